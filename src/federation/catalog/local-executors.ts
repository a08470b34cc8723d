import type { DocumentNode, ExecutionResult, GraphQLSchema } from 'graphql';
import { execute, GraphQLError } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { CompiledOperation } from '../../graph/compiled-operation';
import { compileOperation, isCompiledOperation } from '../../graph/compiled-operation';
import type { LocalGraph } from '../../graph/create-graph';
import type { GraphqlContext } from '../../graph/graphql-context';
import type { OperationCompiler } from '../../graph/operation-compiler';
import { createOperationCompiler } from '../../graph/operation-compiler';
import { toPublicError } from '../../graph/to-public-error';
import type { LocalSubgraph } from '../gateway/gateway-operation';
import type { SubgraphExecutor, SubgraphResult } from '../subgraph-executor';

/** Documents kept compiled: those of clients, those of clients with fewer scopes, and those of plans. */
const maximumDocuments = 2000;

/**
 * Runs requests on the catalog: whole operations of clients (`answer`, from memory where that is exact) and the parts of
 * others that plans ask of it (`execute`). Documents are compiled once each; the gateway hands out the same document object
 * as long as it keeps it.
 */
export function createCatalogExecutors(
  schema: GraphQLSchema,
  graph: Pick<LocalGraph, 'execute' | 'executeCached'>,
): Pick<Required<LocalSubgraph>, 'execute' | 'answer'> {
  const executor = (compile: OperationCompiler, run: LocalGraph['execute']): SubgraphExecutor => {
    const documents = new LRUCache<DocumentNode, Map<string, CompiledOperation>>({ max: maximumDocuments });

    function compiled(source: string, document: DocumentNode, name: string | undefined) {
      const operations = documents.get(document) ?? new Map<string, CompiledOperation>();
      const known = operations.get(name ?? '');
      if (known !== undefined) return known;
      const operation = compile(source, document, name);
      if (!isCompiledOperation(operation)) return operation;
      operations.set(name ?? '', operation);
      documents.set(document, operations);
      return operation;
    }

    return async ({ query, document, variables, operationName, context }) => {
      const { principal, asker } = context as GraphqlContext;
      const operation = compiled(query, document, operationName);
      if (!isCompiledOperation(operation)) return toSubgraphResult(operation);
      return toSubgraphResult(await run(operation, principal, variables, asker));
    };
  };

  return {
    // Plans join what they get: they need data, not text.
    execute: executor((...given) => compileOperation(schema, ...given), graph.execute),
    answer: executor(createOperationCompiler(schema), graph.executeCached),
  };
}

/** Runs requests on another schema in this process. */
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
 * Errors are translated where they happen. The gateway moves them to where the client sees their effect, and there nobody
 * could tell any more which of them was about the request itself.
 */
function toSubgraphResult(result: ExecutionResult): SubgraphResult {
  if (result.errors === undefined) return result;
  const errors = result.errors.map((error) => {
    const { path } = error;
    const originalError = toPublicError(error);
    return new GraphQLError(originalError.message, {
      path,
      originalError,
      extensions: { code: originalError.code },
    });
  });
  return { data: result.data, errors };
}
