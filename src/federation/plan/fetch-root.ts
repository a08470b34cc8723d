import type { FetchNode } from '@graphql-hive/router-query-planner' with { 'resolution-mode': 'import' };
import { Kind } from 'graphql';
import { mergeJson } from './json-objects';
import type { PlanExecution } from './plan-execution';
import { callSubgraph, reportError, usedVariables } from './plan-execution';
import { applyRewrites } from './rewrites';

/** Runs a fetch of root fields and merges its data into the answer. */
export async function fetchRoot(node: FetchNode, execution: PlanExecution): Promise<void> {
  const { data, errors } = await callSubgraph(node, usedVariables(node, execution), execution);
  for (const error of errors) {
    if (error.path !== undefined) reportError(error, node.serviceName, error.path, execution);
    else for (const key of rootKeys(node, execution)) reportError(error, node.serviceName, [key], execution);
  }
  if (data === undefined) return;
  applyRewrites(data, node.outputRewrites, execution.environment.isOfType);
  mergeJson(execution.data, data);
}

/** A subgraph that is away fails each of the root fields that it was asked for, so each gets the error at its own path. */
function rootKeys(node: FetchNode, { environment }: PlanExecution): readonly string[] {
  const operation = environment
    .documentOf(node.operation)
    .definitions.find((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  return (operation?.selectionSet.selections ?? []).flatMap((selection) =>
    selection.kind === Kind.FIELD ? [selection.alias?.value ?? selection.name.value] : [],
  );
}
