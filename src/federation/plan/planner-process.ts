import type { QueryPlanner } from '@graphql-hive/router-query-planner' with { 'resolution-mode': 'import' };
import { serveRequests } from '../process/serve-requests';
import { loadQueryPlanner } from './load-query-planner';
import type { PlannerReply, PlannerRequest } from './planner-messages';

/**
 * A process that only plans: a panic of the native planner ends it and no other process (docs/decisions.md 16).
 * isolated-planner.ts starts it.
 */
let planner: QueryPlanner | undefined;

async function answer(request: PlannerRequest): Promise<PlannerReply> {
  if ('supergraphSdl' in request) {
    const QueryPlanner = loadQueryPlanner();
    planner = new QueryPlanner(request.supergraphSdl);
    return { kind: 'Loaded' };
  }
  if (planner === undefined) throw new Error('Expected a supergraph first.');
  // Not on this thread, which has to notice when the parent exits.
  return planner.planAsync(request.source, request.operationName, new Set(), request.percentage);
}

serveRequests(answer);
