import { setPriority } from 'node:os';
import type { DocumentNode } from 'graphql';
import type { SubgraphDefinition } from '../supergraph/compose-subgraphs';
import { composeSubgraphs } from '../supergraph/compose-subgraphs';
import { parseBoundedSdl, subgraphSdlLimits, supergraphSdlLimits } from '../supergraph/sdl-limits';
import { serveRequests } from '../../common/serve-requests';
import { reasonOf } from '../../common/reason-of';
import { canonicalSupergraph } from '../supergraph/canonical-supergraph';
import { checkSupergraph } from './check-supergraph';
import type { ComposerReply, ComposerRequest } from './composer-messages';
import { catalogName, nodesName } from './names';
import { composedNodes } from './composed-nodes';
import { tagAll } from './tag-all';

/**
 * A process that only composes and checks supergraphs. SDL comes from other teams, and composing it takes seconds, or
 * more resources than a process has (docs/decisions.md 16). composer.ts starts it.
 */
function answer(request: ComposerRequest): ComposerReply {
  if (request.kind === 'Check') {
    checkSupergraph(parseBoundedSdl(request.supergraphSdl, supergraphSdlLimits), request.rules, {
      isComposedHere: false,
    });
    return { kind: 'Checked' };
  }
  const { subgraphs, rules, findsNodes, contract } = request;
  const documents = subgraphs.map(({ name, sdl }) => ({
    name,
    document: parseSdlOf(name, sdl),
  }));
  const nodes = findsNodes ? composedNodes(documents, nodesName) : [];
  const supergraphSdl = composeSubgraphs([...subgraphs, ...nodes]);
  const supergraph = parseBoundedSdl(supergraphSdl, supergraphSdlLimits);
  if (rules !== undefined) checkSupergraph(supergraph, rules, { isComposedHere: true });
  // What is written here can be served here.
  else canonicalSupergraph(supergraph);
  if (contract === undefined) return { kind: 'Composed', supergraphSdl };
  const part = composeSubgraphs([...subgraphs.map(withCatalogTag), ...nodes], contract);
  canonicalSupergraph(parseBoundedSdl(part, supergraphSdlLimits));
  return { kind: 'Composed', supergraphSdl: part };
}

const withCatalogTag = (subgraph: SubgraphDefinition): SubgraphDefinition =>
  subgraph.name === catalogName ? { ...subgraph, sdl: tagAll(subgraph.sdl, catalogName) } : subgraph;

function parseSdlOf(name: string, sdl: string): DocumentNode {
  try {
    return parseBoundedSdl(sdl, name === catalogName ? supergraphSdlLimits : subgraphSdlLimits);
  } catch (thrown) {
    throw new Error(`[${name}] ${reasonOf(thrown)}`, { cause: thrown });
  }
}

// Client requests have a slightly higher priority: composition must progress on a busy machine, too.
setPriority(5);
serveRequests(answer);
