import type { GatewayInterface } from '@apollo/server-gateway-interface';
import type { GraphqlContext } from './graphql-context';
import type { LocalGraph } from './create-graph';
import { createOperationCache } from './operations';

interface LocalGatewayOptions extends Pick<LocalGraph, 'schema' | 'toOperation'> {
  /** `executeWritten` or `executeCached` of the graph. */
  readonly execute: LocalGraph['execute'];
}

/** The local graph as Apollo Server's gateway: the only way to give the server our own executor. */
export function createLocalGateway({ schema, toOperation, execute }: LocalGatewayOptions): GatewayInterface {
  const operationOf = createOperationCache(toOperation);

  return {
    onSchemaLoadOrUpdate(callback) {
      callback({ apiSchema: schema, coreSupergraphSdl: '' });
      return () => undefined;
    },
    load: () =>
      Promise.resolve({
        executor: async ({ queryHash, document, source, operationName: name, request, context: given }) => {
          const context = given as GraphqlContext;
          const operationName = name ?? undefined;
          const operation = operationOf({ key: queryHash, source, document, operationName, context });
          return execute(operation, context.principal, request.variables ?? {}, context.cancellation);
        },
      }),
    stop: () => Promise.resolve(),
  };
}
