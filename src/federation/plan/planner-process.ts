import type { QueryPlan, QueryPlanner } from '@graphql-hive/router-query-planner' with { 'resolution-mode': 'import' };
import { parse, print } from 'graphql';
import { serveRequests } from '../../common/serve-requests';
import { loadQueryPlanner } from './load-query-planner';
import type { PlannerReply, PlannerRequest, PlanQuestion } from './isolated-planner';
import type { PlannerNames } from './planner-names';
import { mergeFetches } from './merge-fetches';
import { toPlannerNames } from './planner-names';
import { replaceRequired } from './required-keys';

/**
 * A process that only plans: a panic of the native planner ends it and no other process (docs/decisions.md 16).
 * isolated-planner.ts starts it.
 */
let loaded: { readonly planner: QueryPlanner; readonly nameOf: PlannerNames['nameOf'] } | undefined;

async function answer(request: PlannerRequest): Promise<PlannerReply> {
  if ('supergraphSdl' in request) {
    const QueryPlanner = loadQueryPlanner();
    const { document, originalOf } = replaceRequired(parse(request.supergraphSdl, { noLocation: true }));
    const { document: named, nameOf } = toPlannerNames(document, originalOf);
    loaded = { planner: new QueryPlanner(print(named)), nameOf };
    return { kind: 'Loaded' };
  }
  if (loaded === undefined) throw new Error('Expected a supergraph first.');
  return plan(request, loaded);
}

/**
 * The plan with the subgraphs' own names. Not made on this thread, which has to notice when the parent exits.
 * @throws Error when there is no plan; GraphQLError for a plan with an invalid document, such as `{ a { } }`
 */
async function plan(
  { source, operationName, percentage }: PlanQuestion,
  { planner, nameOf }: NonNullable<typeof loaded>,
): Promise<QueryPlan> {
  const made = await planner.planAsync(source, operationName, new Set(), percentage);
  const named = JSON.parse(JSON.stringify(made), (key, value: unknown) => {
    if (key === 'serviceName' && typeof value === 'string') return nameOf.get(value) ?? value;
    if (key === 'operation' && typeof value === 'string') parse(value, { noLocation: true });
    return value;
  }) as QueryPlan;
  return named.node === undefined ? named : { ...named, node: mergeFetches(named.node) };
}

serveRequests(answer);
