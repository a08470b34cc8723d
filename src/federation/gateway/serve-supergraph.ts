import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import { createClientDocuments } from '../../graph/client-documents';
import { toSyntaxText } from '../../graph/graphql-server';
import { limitOperations } from '../../graph/limit-operations';
import type { LimitSettings } from '../../graph/limits/limits';
import { createOperationLimits } from '../../graph/limits/limits';
import type { Caller } from '../authorization/scope-requirements';
import { anonymous } from '../authorization/scope-requirements';
import type { SupergraphSource } from '../supergraph/supergraph-source';
import type { HeaderValues } from '../transport/forwarded-headers';
import type { RemoteExecutorOptions } from '../transport/remote-executor';
import { createRemoteExecutors } from '../transport/remote-executors';
import { createApolloGateway } from './apollo-gateway';
import type { ReadCaller } from './bearer-callers';
import { createGatewayExecutor } from './create-gateway-executor';

export interface ServeSupergraphOptions {
  readonly source: SupergraphSource;
  readonly host?: string | undefined;
  /** 0 picks a free port. */
  readonly port: number;
  /** Options for requests to the subgraph of that name. */
  readonly remote?: ((name: string) => Omit<RemoteExecutorOptions, 'name' | 'url' | 'headersOf'>) | undefined;
  readonly introspection?: boolean | undefined;
  /** Without it, every caller is anonymous. */
  readonly readCaller?: ReadCaller | undefined;
  /** Where the limits of operations differ from `gatewayLimits`. */
  readonly limits?: GatewayLimits | undefined;
}

/** The limits that do not depend on what a graph is about: the cost of fields is up to the subgraphs. */
export type GatewayLimits = Omit<LimitSettings, 'cost' | 'maxCost'> & {
  /** Words and signs of a document. */
  readonly maxTokens?: number;
};

/**
 * Wider than the catalog's own where an ordinary operation of another graph may have more. A field may be nested in
 * itself, as in a tree of categories; the depth bounds that.
 */
const gatewayLimits: GatewayLimits = {
  maxRootFields: 100,
  maxAliases: 500,
  maxVariables: 200,
  maxRecursion: Infinity,
};

export interface ServedSupergraph {
  readonly url: string;
  stop(): Promise<void>;
}

interface OperationContext {
  readonly headers: HeaderValues;
  readonly signal: AbortSignal;
  readonly caller: Caller;
}

/** Clients are not identified here, so they have one common share of every cache. */
const anyone = '';

/**
 * Serves a supergraph alone, without a graph in this process: any subgraphs, over HTTP. Who can reach the port sees what
 * the supergraph does not protect, and with a token what its scopes open.
 */
export async function serveSupergraph(options: ServeSupergraphOptions): Promise<ServedSupergraph> {
  const { source, host = '127.0.0.1', port, remote, introspection = true } = options;
  const readCaller = options.readCaller ?? (() => Promise.resolve(anonymous));
  const executorFor = createRemoteExecutors((name) => ({
    ...remote?.(name),
    headersOf: (context) => (context as OperationContext).headers,
  }));
  const gateway = createApolloGateway({
    source,
    signalOf: (context) => (context as OperationContext).signal,
    createExecutor: (supergraphSdl) =>
      createGatewayExecutor({
        supergraphSdl,
        executorFor,
        callerOf: (context) => (context as OperationContext).caller,
      }),
  });
  const { maxTokens, ...settings } = { ...gatewayLimits, ...options.limits };
  const limits = createOperationLimits({ ...settings, maxCost: Infinity });
  const documents = createClientDocuments(limits, maxTokens);
  const server = new ApolloServer<OperationContext>({
    ...documents.serverOptions,
    plugins: [limitOperations({ limits, documents, ownerOf: () => anyone, hidesSuggestions: false })],
    gateway,
    introspection,
    formatError: (formatted) => ({
      ...formatted,
      message:
        formatted.extensions?.['code'] === 'GRAPHQL_PARSE_FAILED'
          ? toSyntaxText(formatted.message)
          : formatted.message.replace(/^Context creation failed: /, ''),
    }),
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
  });
  const { url } = await startStandaloneServer(server, {
    listen: { host, port },
    async context({ req, res }) {
      const abort = new AbortController();
      res.once('close', () => abort.abort());
      const caller = await readCaller(req.headersDistinct['authorization'] ?? []);
      return { headers: req.headers, signal: abort.signal, caller };
    },
  });
  return { url, stop: () => server.stop() };
}
