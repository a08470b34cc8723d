import type { GatewayInterface } from '@apollo/server-gateway-interface';
import { LRUCache } from 'lru-cache';
import type { GraphqlContext } from './graphql-context';
import type { LocalGraph } from './create-graph';
import type { CompiledOperation } from './compiled-operation';
import { isCompiledOperation } from './compiled-operation';

/** Client documents kept compiled. Parsing and validating is Apollo's and has a cache of its own. */
const maximumDocuments = 1000;

/** The local graph as Apollo Server's gateway: the one way to give the server an executor of our own. */
export function createLocalGateway(graph: Pick<LocalGraph, 'schema' | 'compile' | 'executeCached'>): GatewayInterface {
  const operations = new LRUCache<string, CompiledOperation>({ max: maximumDocuments });

  return {
    onSchemaLoadOrUpdate(callback) {
      callback({ apiSchema: graph.schema, coreSupergraphSdl: '' });
      return () => undefined;
    },
    load: () =>
      Promise.resolve({
        executor: async ({ queryHash, document, source, operationName, request, context }) => {
          const key = `${queryHash} ${operationName ?? ''}`;
          let operation = operations.get(key);
          if (operation === undefined) {
            const compiled = graph.compile(source, document, operationName ?? undefined);
            if (!isCompiledOperation(compiled)) return compiled;
            operations.set(key, compiled);
            operation = compiled;
          }
          const { principal, asker } = context as GraphqlContext;
          return graph.executeCached(operation, principal, request.variables ?? {}, asker);
        },
      }),
    stop: () => Promise.resolve(),
  };
}
