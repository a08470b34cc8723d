import type { ExecutionResult, GraphQLSchema } from 'graphql';
import { execute, GraphQLError } from 'graphql';
import type { LocalGraph } from '../../graph/create-graph';
import type { GraphqlContext, OperationMaker } from '../../graph/operations';
import { createOperationCache, createOperationMaker, createPlainOperationMaker } from '../../graph/operations';
import { toPublicError } from '../../graph/to-public-error';
import type { LocalSubgraph } from '../gateway/gateway-operation';
import type { SubgraphExecutor, SubgraphResult } from '../subgraph-executor';

/**
 * Creates executors for the catalog. `answer` runs whole operations of clients, from the cache where possible.
 * `execute` runs the parts of other operations that plans send to the catalog.
 */
export function createCatalogExecutors(
  schema: GraphQLSchema,
  graph: Pick<LocalGraph, 'execute' | 'executeCached'>,
): Pick<Required<LocalSubgraph>, 'execute' | 'answer'> {
  const executor = (make: OperationMaker, run: LocalGraph['execute'], isOfClient: boolean): SubgraphExecutor => {
    const operationOf = createOperationCache(make);
    return async ({ query: source, document, variables, operationName, context: given }) => {
      const context = given as GraphqlContext;
      const operation = operationOf(source, document, operationName);
      return toSubgraphResult(await run(operation, context.principal, variables, context.cancellation), isOfClient);
    };
  };

  return {
    // Plans merge results, so they need data, not text.
    execute: executor(createPlainOperationMaker(schema), graph.execute, false),
    answer: executor(createOperationMaker(schema), graph.executeCached, true),
  };
}

/** Creates an executor for another schema in this process. */
export const createSchemaExecutor =
  (schema: GraphQLSchema): SubgraphExecutor =>
  async ({ document, variables, operationName, context }) =>
    toSubgraphResult(
      await execute({
        schema,
        document,
        variableValues: variables,
        contextValue: context,
        operationName: operationName ?? null,
      }),
    );

/**
 * Errors are translated where they occur. The gateway moves them to where the client sees their effect, and from then
 * on it is unknown which of them was about the request itself.
 */
function toSubgraphResult(result: ExecutionResult, isOfClient = false): SubgraphResult {
  if (result.errors === undefined) return result;
  const errors = result.errors.map((error) => {
    const { path, nodes } = error;
    const originalError = toPublicError(error);
    return new GraphQLError(originalError.message, {
      path,
      // Locations in a document of a plan would mean nothing to the client.
      ...(isOfClient && nodes && { nodes }),
      originalError,
      extensions: { code: originalError.code },
    });
  });
  return { data: result.data, errors };
}
