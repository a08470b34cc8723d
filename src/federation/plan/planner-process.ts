import type { QueryPlanner } from '@graphql-hive/router-query-planner' with { 'resolution-mode': 'import' };
import { loadQueryPlanner } from './load-query-planner';
import type { PlannerReply, PlannerRequest } from './planner-messages';

/**
 * A process that plans, and does nothing else: a panic of the native planner ends it and nobody besides (docs/decisions.md 29).
 * start-planner.ts starts it.
 */
let planner: QueryPlanner | undefined;

async function answer(request: PlannerRequest): Promise<PlannerReply> {
  if ('supergraphSdl' in request) {
    const QueryPlanner = loadQueryPlanner();
    planner = new QueryPlanner(request.supergraphSdl);
    return { kind: 'Loaded' };
  }
  if (planner === undefined) throw new Error('Expected a supergraph first.');
  // Not on this thread, which has to notice when the parent is gone.
  return planner.planAsync(request.source, request.operationName, new Set(), request.percentage);
}

const refused = (thrown: unknown): PlannerReply => ({
  kind: 'Refused',
  reason: thrown instanceof Error ? thrown.message : String(thrown),
});

process.on('message', (request: PlannerRequest) => {
  void answer(request)
    .catch(refused)
    .then((reply) => process.send?.(reply));
});
// Not by process.exit(), which waits for a plan that may never be finished.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
// Terminals and supervisors signal all processes of a group. The parent finishes what it has begun, and may need plans for it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
