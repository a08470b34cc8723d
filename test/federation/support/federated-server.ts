import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import type { IncomingHttpHeaders } from 'node:http';
import type { GraphQLSchema } from 'graphql';
import { parse } from 'graphql';
import type { ApolloGateway } from '../../../src/federation/gateway/apollo-gateway';
import { createApolloGateway } from '../../../src/federation/gateway/apollo-gateway';
import { createGatewayExecutor } from '../../../src/federation/gateway/create-gateway-executor';
import { composedNodes, nodeTypesOf } from '../../../src/federation/catalog/composed-nodes';
import { runnableNodes, typeOfGlobalId } from '../../../src/federation/catalog/find-nodes';
import { composeSubgraphs } from '../../../src/federation/supergraph/compose-subgraphs';
import { pollSubgraphs } from '../../../src/federation/source/poll-subgraphs';
import { createRemoteExecutor } from '../../../src/federation/transport/remote-executor';
import { createCatalogSubgraph } from './catalog-subgraph';
import { schemaExecutor } from './in-process-gateway';
import { readSupergraphNow } from './read-supergraph';
import type { ManualTimer } from './manual-timer';
import { createManualTimer } from './manual-timer';
import type { RecordedLog } from './source-log';
import { createRecordedLog } from './source-log';

export const intervalMilliseconds = 60_000;
export const timeoutMilliseconds = 30_000;

export interface FederatedServer {
  readonly gateway: ApolloGateway;
  readonly log: RecordedLog;
  /** Of polls and of time limits. */
  readonly timer: ManualTimer;
  query(query: string, variables?: Record<string, unknown>): Promise<unknown>;
  stop(): Promise<void>;
}

/** A server as the product makes one: the catalog in this process, the reviews elsewhere, nodes across both. */
export async function startFederatedServer(
  reviewsUrl: string,
  accept: (schema: GraphQLSchema) => void,
): Promise<FederatedServer> {
  const catalog = createCatalogSubgraph();
  const log = createRecordedLog();
  const timer = createManualTimer();
  const gateway = createApolloGateway({
    source: pollSubgraphs({
      local: [{ name: 'catalog', url: 'local://catalog', sdl: catalog.sdl }],
      remotes: [{ name: 'reviews', url: reviewsUrl }],
      compose(subgraphs) {
        const found = subgraphs.map(({ name, sdl }) => ({ name, nodeTypes: nodeTypesOf(parse(sdl)) }));
        const composed = composeSubgraphs([...subgraphs, ...composedNodes(found)]);
        accept(readSupergraphNow(composed).schema);
        return composed;
      },
      intervalMilliseconds,
      log,
      timer,
    }),
    createExecutor(supergraphSdl) {
      const nodeSchema = runnableNodes(parse(supergraphSdl), (ids) =>
        Promise.resolve(ids.map((id) => (id.startsWith('p') ? 'Product' : typeOfGlobalId(id)))),
      );
      return createGatewayExecutor({
        supergraph: readSupergraphNow(supergraphSdl),
        callerOf: () => ({ isAuthenticated: true, scopes: new Set(['catalog:read']) }),
        localSubgraph: { name: 'catalog', execute: schemaExecutor(catalog.schema) },
        executorFor: (name, url) =>
          name === 'nodes' && nodeSchema !== undefined
            ? schemaExecutor(nodeSchema)
            : createRemoteExecutor({
                name,
                url,
                timer,
                timeoutMilliseconds,
                retries: 0,
                headersOf: (context) => (context as { headers: IncomingHttpHeaders }).headers,
              }),
      });
    },
  });
  const server = new ApolloServer<{ headers: IncomingHttpHeaders }>({
    gateway,
    introspection: true,
    stopOnTerminationSignals: false,
    includeStacktraceInErrorResponses: false,
  });
  const { url } = await startStandaloneServer(server, {
    listen: { host: '127.0.0.1', port: 0 },
    context: ({ req }) => Promise.resolve({ headers: req.headers }),
  });
  return {
    gateway,
    log,
    timer,
    async query(query, variables) {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables }),
      });
      return response.json();
    },
    stop: () => server.stop(),
  };
}
