import { addressSpellings } from './classes/address-spellings';
import {
  malformedRequests,
  manyConnections,
  manyHeaders,
  neverReading,
  pipelining,
  slowRequests,
} from './classes/connections';
import {
  distinctDocuments,
  distinctIntrospection,
  distinctStatements,
  persistedQueries,
} from './classes/distinct-documents';
import { deadSecrets } from './classes/dead-secrets';
import { abandonedOperations, heavyOperations } from './classes/heavy-operations';
import { dearTexts } from './classes/expensive-texts';
import { documentAttacks, introspectionAttack } from './classes/hostile-documents';
import { hostileImports } from './classes/hostile-imports';
import { randomOperations, representations } from './classes/internal-errors';
import { largeAnswers } from './classes/large-answers';
import { noiseCredentials, tokenGuesses } from './classes/refused-calls';
import { requestBodies, requestTargets } from './classes/request-bodies';
import { slowExports, slowReaders } from './classes/slow-readers';
import { subgraphAnswers, subgraphTransport } from './classes/subgraph-answers';
import { subgraphSdl } from './classes/subgraph-sdl';
import { tokenSpellings } from './classes/token-spellings';
import { unchargedOperations } from './classes/uncharged-operations';
import { slowStreams, slowTools } from './classes/waiting-clients';
import type { Attack } from './attack';

/** In the order of the table. A class of attacks that is missing here is not tried. */
export const attacks: readonly Attack[] = [
  ...documentAttacks,
  introspectionAttack,
  requestBodies,
  requestTargets,
  randomOperations,
  distinctDocuments,
  distinctIntrospection,
  distinctStatements,
  persistedQueries,
  heavyOperations,
  abandonedOperations,
  noiseCredentials,
  tokenGuesses,
  tokenSpellings,
  deadSecrets,
  unchargedOperations,
  neverReading,
  slowReaders,
  slowExports,
  slowStreams,
  slowTools,
  slowRequests,
  manyConnections,
  manyHeaders,
  malformedRequests,
  pipelining,
  largeAnswers,
  dearTexts,
  hostileImports,
  addressSpellings,
  representations,
  subgraphAnswers,
  subgraphTransport,
  subgraphSdl,
];
