import type { PlanNode } from '@graphql-hive/router-query-planner' with { 'resolution-mode': 'import' };
import { fetchEntities, flattenedAlias } from './fetch-entities';
import { fetchRoot } from './fetch-root';
import type { PlanExecution } from './plan-execution';

/**
 * Runs a plan. Its fetches never throw: each adds data or errors to the execution, even those that are skipped because
 * the operation was canceled.
 */
export async function runPlan(node: PlanNode | undefined, execution: PlanExecution): Promise<void> {
  switch (node?.kind) {
    case undefined:
      return;
    case 'Sequence':
      for (const step of node.nodes) await runPlan(step, execution);
      return;
    case 'Parallel':
      await Promise.all(node.nodes.map((step) => runPlan(step, execution)));
      return;
    case 'Fetch':
      return fetchRoot(node, execution);
    case 'Flatten':
      if (node.node.kind !== 'Fetch') throw new Error(`Cannot run a flattened ${node.node.kind} of a query plan.`);
      return fetchEntities(node.node, [flattenedAlias(node.path, node.node)], execution);
    case 'BatchFetch':
      return fetchEntities(node, node.entityBatch.aliases, execution);
    // Plans are made of operations without @include and @skip (flattenOperation).
    case 'Condition':
    case 'Subscription':
    case 'Defer':
      throw new Error(`Cannot run a ${node.kind} of a query plan.`);
  }
}
