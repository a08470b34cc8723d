import type {
  GatewayExecutionResult,
  GatewayGraphQLRequestContext,
  GatewayInterface,
  GatewaySchemaLoadOrUpdateCallback,
} from '@apollo/server-gateway-interface';
import type { GraphQLSchema } from 'graphql';
import type { Cancellation } from '../../common/cancellation';
import type { SupergraphSource } from '../source/supergraph-source';
import type { GatewayExecutor } from './gateway-operation';

interface ApolloGatewayOptions {
  readonly source: SupergraphSource;
  /**
   * Creates the executor of a supergraph: createGatewayExecutor with every option but the SDL filled in. Throws to
   * refuse the supergraph.
   */
  readonly createExecutor: (supergraphSdl: string) => GatewayExecutor | Promise<GatewayExecutor>;
  /** Returns the cancellation of an operation, from its context. */
  readonly cancellationOf?: ((context: unknown) => Cancellation | undefined) | undefined;
}

/**
 * Serves supergraphs through Apollo Server's `gateway` option. An operation runs on the supergraph that it was
 * validated against, even when a newer one has come into use in between.
 */
export function createApolloGateway(options: ApolloGatewayOptions): GatewayInterface {
  const { source, createExecutor, cancellationOf } = options;
  const listeners = new Set<GatewaySchemaLoadOrUpdateCallback>();
  const generations = new WeakMap<GraphQLSchema, GatewayExecutor>();
  let current: GatewayExecutor | undefined;

  async function offer(supergraphSdl: string): Promise<void> {
    const generation = await createExecutor(supergraphSdl);
    await generation.ready();
    generations.set(generation.schema, generation);
    current?.retire();
    current = generation;
    for (const listener of listeners) notify(listener, generation);
  }

  return {
    onSchemaLoadOrUpdate(callback) {
      listeners.add(callback);
      if (current !== undefined) notify(callback, current);
      return () => listeners.delete(callback);
    },
    async load() {
      await source.start(offer);
      return {
        executor: async (request: GatewayGraphQLRequestContext): Promise<GatewayExecutionResult> => {
          const generation = generations.get(request.schema) ?? current;
          if (generation === undefined) throw new Error('No supergraph was loaded.');
          return generation.execute({
            document: request.document,
            source: request.source,
            operationName: request.operationName,
            variables: request.request.variables,
            context: request.context,
            cancellation: cancellationOf?.(request.context),
          });
        },
      };
    },
    async stop() {
      await source.stop();
      current?.retire();
    },
  };
}

function notify(listener: GatewaySchemaLoadOrUpdateCallback, { schema, supergraphSdl }: GatewayExecutor): void {
  listener({ apiSchema: schema, coreSupergraphSdl: supergraphSdl });
}
