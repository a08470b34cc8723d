import type { ExecutionResult, GraphQLError, OperationDefinitionNode } from 'graphql';
import type { JsonObject } from '../plan/json-objects';
import { shapeResponse } from '../response/shape-response';
import type { PlannedEnvironment, PreparedOperation } from './prepared-operation';

/** Shapes what was answered by the document that the client sent: what it may not see becomes null with its error. */
export function shapeOperation(
  { original, denied }: PreparedOperation,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
  answer: { readonly data: JsonObject; readonly errors: readonly GraphQLError[] },
  { schema, isOfType }: Pick<PlannedEnvironment, 'schema' | 'isOfType'>,
): ExecutionResult {
  const { fragments } = original;
  const shaped = shapeResponse({ schema, isOfType, operation, fragments, variables, denied, ...answer });
  const errors = [...answer.errors, ...shaped.errors];
  return errors.length === 0 ? { data: shaped.data } : { data: shaped.data, errors };
}
