import type { FetchNode } from '@graphql-hive/router-query-planner' with { 'resolution-mode': 'import' };
import type { OperationDefinitionNode } from 'graphql';
import { Kind } from 'graphql';
import type { SubgraphError } from '../subgraph-executor';
import type { JsonObject } from '../answer/json-objects';
import { copyJson, mergeJson } from '../answer/json-objects';
import type { PlanExecution } from './plan-execution';
import { notQueried, reportError, usedVariables } from './plan-execution';
import type { OpenAnswer } from './read-answer';
import { openAnswer } from './read-answer';
import { applyRewrites } from './rewrites';

/** Runs a fetch of root fields and merges its data into the answer. */
export async function fetchRoot(node: FetchNode, execution: PlanExecution): Promise<void> {
  const answer = await openAnswer(node, usedVariables(node, execution), execution);
  const { data, problem } = readRoot(answer, execution);
  for (const error of [...answer.close(), ...problem]) {
    if (error.path !== undefined) reportError(error, node.serviceName, error.path, execution);
    else for (const key of rootKeys(answer.operation)) reportError(error, node.serviceName, [key], execution);
  }
  if (data === undefined) return;
  const { types } = execution.environment;
  applyRewrites(data, node.outputRewrites, types.isOfType);
  mergeJson(execution.data, data, types.isAbstract);
}

interface ReadData {
  readonly data: JsonObject | undefined;
  readonly problem: readonly SubgraphError[];
}

function readRoot({ data, isTrusted, operation, reader }: OpenAnswer, { environment }: PlanExecution): ReadData {
  if (data === undefined) return { data, problem: [] };
  try {
    const root = environment.types.schema.getRootType(operation.operation)?.name ?? '';
    const read = isTrusted ? (copyJson(data) as JsonObject) : reader.root(root, data);
    return { data: read, problem: [] };
  } catch (thrown) {
    // Deeper than the stack allows.
    return { data: undefined, problem: [notQueried(thrown)] };
  }
}

/**
 * If a subgraph is unavailable, each of the root fields that it was queried for fails, so each gets the error at its
 * own path.
 */
const rootKeys = ({ selectionSet }: OperationDefinitionNode): readonly string[] =>
  selectionSet.selections.flatMap((selection) =>
    selection.kind === Kind.FIELD ? [selection.alias?.value ?? selection.name.value] : [],
  );
