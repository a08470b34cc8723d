import { parse, print } from 'graphql';
import { readAnswerTypes } from '../../../src/federation/answer/answer-types';
import type { ReadSupergraph } from '../../../src/federation/gateway/read-supergraph';
import { canonicalSupergraph } from '../../../src/federation/supergraph/canonical-supergraph';
import type { ScalarParsers } from '../../../src/federation/supergraph/public-schema';
import { publicSchema } from '../../../src/federation/supergraph/public-schema';

/** readSupergraph, but synchronous. */
export function readSupergraphNow(given: string, scalars: ScalarParsers = {}): ReadSupergraph {
  const document = canonicalSupergraph(parse(given, { noLocation: true }));
  const types = readAnswerTypes(document, scalars);
  return { given, document, sdl: print(document), schema: publicSchema(document, scalars), types };
}
