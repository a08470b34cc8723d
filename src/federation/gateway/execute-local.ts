import type { ExecutionResult } from 'graphql';
import { getVariableValues } from 'graphql';
import { BoundedErrors } from '../answer/bounded-errors';
import type { JsonObject } from '../answer/json-objects';
import { clientKey } from '../answer/plan-keys';
import { copyJson, isJsonObject } from '../answer/json-objects';
import { shapeResponse } from '../answer/shape-response';
import type { LocalSubgraph, PlannedEnvironment, PreparedOperation } from './gateway-operation';

/**
 * The fast path: the local subgraph runs the operation unchanged. When a part was removed because the caller may not
 * see it, that part is added to the answer as nulls with errors.
 */
export async function executeLocal(
  { execute, answer = execute }: LocalSubgraph,
  prepared: PreparedOperation,
  { schema, types }: PlannedEnvironment,
): Promise<ExecutionResult> {
  const { client, permitted, original, denied } = prepared;
  // An executor in this process returns GraphQLErrors, as an ExecutionResult does.
  const run = denied.size === 0 ? answer : execute;
  const result = (await run({
    // The client's text is equivalent to the document only if nothing was removed from it.
    query: permitted === original && client.source !== undefined ? client.source : permitted.text(),
    document: permitted.document,
    variables: client.variables ?? {},
    operationName: client.operationName ?? undefined,
    operationKind: permitted.operation(client.operationName)?.operation ?? 'query',
    context: client.context,
    cancellation: client.cancellation,
  })) as ExecutionResult;
  const operation = original.operation(client.operationName);
  if (denied.size === 0 || operation === undefined || !isJsonObject(result.data)) return result;
  const variables = getVariableValues(schema, operation.variableDefinitions ?? [], client.variables ?? {});
  const errors = new BoundedErrors();
  for (const error of result.errors ?? []) errors.add(() => error);
  return shapeResponse({
    schema,
    isOfType: types.isOfType,
    operation,
    fragments: original.fragments,
    variables: variables.coerced ?? {},
    data: copyJson(result.data) as JsonObject,
    keyInData: clientKey,
    errors,
    denied,
  });
}
