import type { QueryPlan } from '@graphql-hive/router-query-planner' with { 'resolution-mode': 'import' };
import type { ExecutionResult, GraphQLObjectType, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { getVariableValues, GraphQLError, OperationTypeNode } from 'graphql';
import { AnswerBudget } from '../answer/answer-budget';
import { BoundedErrors } from '../answer/bounded-errors';
import { emptyObject } from '../answer/json-objects';
import { ApiError } from '../../errors/api-error';
import type { PlanExecution } from '../plan/plan-execution';
import { clientKey } from '../answer/plan-keys';
import { runPlan } from '../plan/run-plan';
import { collectFields } from '../answer/collect-fields';
import { introspect, introspectionFields, needsPlan } from '../answer/introspection';
import { shapeResponse } from '../answer/shape-response';
import type { PlannedEnvironment, PreparedOperation } from './gateway-operation';

/** Plans an operation, runs the plan on the subgraphs, and shapes the result. */
export async function executePlanned(
  prepared: PreparedOperation,
  environment: PlannedEnvironment,
): Promise<ExecutionResult> {
  const { client, original, permitted, denied } = prepared;
  const { schema, types, planKey } = environment;
  const { isOfType } = types;
  const operation = original.operation(client.operationName);
  const permittedOperation = permitted.operation(client.operationName);
  if (operation === undefined || permittedOperation === undefined)
    return failed('operationName: expected the name of the operation to run.');
  const root = rootType(schema, operation);
  if (root === undefined) return failed(`This graph does not support ${operation.operation} operations.`);
  const variables = getVariableValues(schema, operation.variableDefinitions ?? [], client.variables ?? {});
  if (variables.errors !== undefined) return { errors: variables.errors };
  const { coerced } = variables;
  const unset = original.conditions().find((name) => coerced[name] === null);
  if (unset !== undefined) return failed(`Argument "if" of non-null type "Boolean!" must not be null: $${unset}.`);
  const execution: PlanExecution = {
    environment,
    data: emptyObject(),
    errors: new BoundedErrors(),
    variables: coerced,
    context: client.context,
    cancellation: client.cancellation,
    budget: new AnswerBudget(),
  };
  const selection = { fragments: permitted.fragments, variables: coerced };
  const collected = collectFields([permittedOperation.selectionSet], root, selection, (_, condition) =>
    isOfType(root.name, condition) ? root : undefined,
  );
  const rootFields = [...collected.values()].flat().map(({ node }) => node);
  if (needsPlan(rootFields)) {
    const plan = await findPlan(prepared, permittedOperation, coerced, environment).catch(unplanned);
    if ('errors' in plan) return plan;
    await runPlan(plan.node, execution);
  }
  const introspected = introspectionFields(rootFields);
  if (introspected.length > 0) {
    const result = introspect(schema, permitted.document, permittedOperation, introspected, coerced);
    for (const field of introspected) {
      execution.data[planKey(field)] = result.data?.[clientKey(field)];
    }
    for (const error of result.errors ?? []) execution.errors.add(() => error);
  }
  const { data, errors } = execution;
  const { fragments } = original;
  return shapeResponse({
    schema,
    isOfType,
    operation,
    fragments,
    variables: coerced,
    data,
    keyInData: planKey,
    errors,
    denied,
  });
}

/** @throws ApiError when the operation has no plan. */
const findPlan = async (
  { client, permitted }: PreparedOperation,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
  { plans, ownerOf }: PlannedEnvironment,
): Promise<QueryPlan> =>
  plans.planFor({
    source: permitted.planSource(operation, variables),
    operationName: client.operationName ?? undefined,
    owner: ownerOf(client.context),
  });

/** The response without a plan: an error with the matching HTTP status for the server. */
function unplanned(thrown: unknown): { readonly errors: readonly GraphQLError[] } {
  if (!(thrown instanceof ApiError)) throw thrown;
  const { message, code, status } = thrown;
  return { errors: [new GraphQLError(message, { originalError: thrown, extensions: { code, http: { status } } })] };
}

/** Subscriptions are not planned here. */
function rootType(schema: GraphQLSchema, { operation }: OperationDefinitionNode): GraphQLObjectType | undefined {
  return operation === OperationTypeNode.SUBSCRIPTION ? undefined : (schema.getRootType(operation) ?? undefined);
}

const failed = (message: string): ExecutionResult => ({
  errors: [new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } })],
});
