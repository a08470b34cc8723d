import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import { createClientDocuments } from '../../graph/client-documents';
import { toSyntaxText } from '../../graph/graphql-server';
import { limitOperations } from '../../graph/limit-operations';
import { createOperationLimits } from '../../graph/limits/limits';
import type { SupergraphSource } from '../supergraph/supergraph-source';
import type { HeaderValues } from '../transport/forwarded-headers';
import type { RemoteExecutorOptions } from '../transport/remote-executor';
import { createRemoteExecutors } from '../transport/remote-executors';
import { createApolloGateway } from './apollo-gateway';
import { createGatewayExecutor } from './create-gateway-executor';

export interface ServeSupergraphOptions {
  readonly source: SupergraphSource;
  readonly host?: string | undefined;
  /** 0 picks a free port. */
  readonly port: number;
  /** Options for requests to the subgraph of that name. */
  readonly remote?: ((name: string) => Omit<RemoteExecutorOptions, 'name' | 'url' | 'headersOf'>) | undefined;
  readonly introspection?: boolean | undefined;
}

export interface ServedSupergraph {
  readonly url: string;
  stop(): Promise<void>;
}

interface OperationContext {
  readonly headers: HeaderValues;
  readonly signal: AbortSignal;
}

/** Clients are not identified here, so they have one common share of every cache. */
const anyone = '';

/**
 * Serves a supergraph alone, without a graph in this process: any subgraphs, over HTTP, for anyone who can reach the
 * port.
 */
export async function serveSupergraph(options: ServeSupergraphOptions): Promise<ServedSupergraph> {
  const { source, host = '127.0.0.1', port, remote, introspection = true } = options;
  const executorFor = createRemoteExecutors((name) => ({
    ...remote?.(name),
    headersOf: (context) => (context as OperationContext).headers,
  }));
  const gateway = createApolloGateway({
    source,
    signalOf: (context) => (context as OperationContext).signal,
    createExecutor: (supergraphSdl) => createGatewayExecutor({ supergraphSdl, executorFor }),
  });
  // The cost of fields is up to the subgraphs: their lists have other arguments.
  const limits = createOperationLimits({ maxCost: Infinity });
  const documents = createClientDocuments(limits);
  const server = new ApolloServer<OperationContext>({
    ...documents.serverOptions,
    plugins: [limitOperations({ limits, documents, ownerOf: () => anyone, hidesSuggestions: false })],
    gateway,
    introspection,
    formatError: (formatted) =>
      formatted.extensions?.['code'] === 'GRAPHQL_PARSE_FAILED'
        ? { ...formatted, message: toSyntaxText(formatted.message) }
        : formatted,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
  });
  const { url } = await startStandaloneServer(server, {
    listen: { host, port },
    context: ({ req, res }) => {
      const abort = new AbortController();
      res.once('close', () => abort.abort());
      return Promise.resolve({ headers: req.headers, signal: abort.signal });
    },
  });
  return { url, stop: () => server.stop() };
}
