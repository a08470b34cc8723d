import type { FetchNode } from '@graphql-hive/router-query-planner' with { 'resolution-mode': 'import' };
import type { OperationDefinitionNode } from 'graphql';
import { Kind } from 'graphql';
import type { AnswerTypes } from '../answer/answer-types';
import { clientKey } from '../answer/plan-keys';
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
  const { types } = execution.environment;
  const problems: SubgraphError[] = [];
  let data: JsonObject | undefined;
  try {
    data = readRoot(answer, types);
  } catch (thrown) {
    // Nested more deeply than the stack allows.
    problems.push(notQueried(thrown));
  }
  for (const error of [...answer.close(), ...problems]) {
    const paths = error.path === undefined ? rootKeys(answer.operation).map((key) => [key]) : [error.path];
    for (const path of paths) reportError(error, node.serviceName, path, execution);
  }
  if (data === undefined) return;
  applyRewrites(data, node.outputRewrites, types.isOfType);
  mergeJson(execution.data, data, types.isAbstract);
}

function readRoot({ data, isTrusted, operation, reader }: OpenAnswer, { schema }: AnswerTypes): JsonObject | undefined {
  if (data === undefined) return undefined;
  return isTrusted
    ? (copyJson(data) as JsonObject)
    : reader.root(schema.getRootType(operation.operation)?.name ?? '', data);
}

/**
 * If a subgraph is unavailable, each of the root fields that it was queried for fails, so each gets the error at its
 * own path.
 */
const rootKeys = ({ selectionSet }: OperationDefinitionNode): readonly string[] =>
  selectionSet.selections.flatMap((selection) => (selection.kind === Kind.FIELD ? [clientKey(selection)] : []));
