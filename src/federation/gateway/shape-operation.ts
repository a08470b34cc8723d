import type { ExecutionResult, OperationDefinitionNode } from 'graphql';
import type { BoundedErrors } from '../answer/bounded-errors';
import type { JsonObject } from '../answer/json-objects';
import type { PlanKey } from '../answer/plan-keys';
import { shapeResponse } from '../answer/shape-response';
import type { PlannedEnvironment, PreparedOperation } from './prepared-operation';

/** Shapes a result by the document that the client sent: what the client may not see becomes null with its error. */
export function shapeOperation(
  { original, denied }: PreparedOperation,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
  answer: { readonly data: JsonObject; readonly errors: BoundedErrors; readonly keyInData: PlanKey },
  { schema, isOfType }: Pick<PlannedEnvironment, 'schema' | 'isOfType'>,
): ExecutionResult {
  const { fragments } = original;
  const { data: found, errors, keyInData } = answer;
  const options = { schema, isOfType, operation, fragments, variables, denied, data: found, keyInData, errors };
  const data = shapeResponse(options);
  const list = errors.toList();
  return list.length === 0 ? { data } : { data, errors: list };
}
