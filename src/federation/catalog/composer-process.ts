import { setPriority } from 'node:os';
import { composeSubgraphs } from '../supergraph/compose-subgraphs';
import { parseBoundedSdl, subgraphSdlLimits, supergraphSdlLimits } from '../supergraph/sdl-limits';
import { serveRequests } from '../../common/serve-requests';
import { describeSdlFailure } from '../../common/serve-requests';
import { canonicalSupergraph } from '../supergraph/canonical-supergraph';
import { catalogName } from './check-catalog-part';
import { checkSupergraph } from './check-supergraph';
import type { ComposerReply, ComposerRequest } from './composer';
import { composedNodes, nodeTypesOf } from './composed-nodes';

/**
 * A process that only composes and checks supergraphs. SDL comes from other teams, and composing it takes seconds, or
 * more resources than a process has (docs/decisions.md 16). composer.ts starts it.
 */
function answer(request: ComposerRequest): ComposerReply {
  if (request.kind === 'Check') {
    checkSupergraph(parseBoundedSdl(request.supergraphSdl, supergraphSdlLimits), request.rules, false);
    return { kind: 'Checked' };
  }
  const { subgraphs, rules, findsNodes } = request;
  const bounded = subgraphs.map(({ name, sdl }) => ({ name, nodeTypes: readNodeTypes(name, sdl) }));
  const nodes = findsNodes ? composedNodes(bounded) : [];
  const supergraphSdl = composeSubgraphs([...subgraphs, ...nodes]);
  const supergraph = parseBoundedSdl(supergraphSdl, supergraphSdlLimits);
  if (rules !== undefined) checkSupergraph(supergraph, rules, true);
  // Check that what is composed here can also be served here.
  else canonicalSupergraph(supergraph);
  return { kind: 'Composed', supergraphSdl };
}

function readNodeTypes(name: string, sdl: string): readonly string[] {
  try {
    return nodeTypesOf(parseBoundedSdl(sdl, name === catalogName ? supergraphSdlLimits : subgraphSdlLimits));
  } catch (thrown) {
    throw new Error(`[${name}] ${describeSdlFailure(thrown)}`, { cause: thrown });
  }
}

// Client requests have a slightly higher priority: composition must progress on a busy machine, too.
try {
  setPriority(5);
} catch {
  // A sandbox may forbid it, such as the systemd unit.
}
serveRequests(answer);
