import type { GatewayInterface } from '@apollo/server-gateway-interface';
import type { GraphqlContext } from './graphql-context';
import type { LocalGraph } from './create-graph';
import { createOperationCache } from './operation-compiler';

/** The local graph as Apollo Server's gateway: the only way to give the server our own executor. */
export function createLocalGateway(
  graph: Pick<LocalGraph, 'schema' | 'compilers' | 'executeCached'>,
): GatewayInterface {
  const operationOf = createOperationCache(graph.compilers);

  return {
    onSchemaLoadOrUpdate(callback) {
      callback({ apiSchema: graph.schema, coreSupergraphSdl: '' });
      return () => undefined;
    },
    load: () =>
      Promise.resolve({
        executor: async ({ queryHash, document, source, operationName: name, request, context: given }) => {
          const context = given as GraphqlContext;
          const operationName = name ?? undefined;
          const operation = operationOf({ key: queryHash, source, document, operationName, context });
          return graph.executeCached(operation, context.principal, request.variables ?? {}, context.cancellation);
        },
      }),
    stop: () => Promise.resolve(),
  };
}
