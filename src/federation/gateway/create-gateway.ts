import type { GatewayInterface } from '@apollo/server-gateway-interface';
import type { Cancellation } from '../../common/cancellation';
import type { Caller } from '../supergraph/scope-requirements';
import type { SubgraphExecutor } from '../subgraph-executor';
import type { ScalarParsers } from '../supergraph/public-schema';
import type { SourceLog, SupergraphSource } from '../source/supergraph-source';
import type { HeaderValues } from '../transport/forwarded-headers';
import type { SubgraphWatcher } from '../transport/observed-executors';
import { observeExecutors } from '../transport/observed-executors';
import type { RemoteExecutorOptions } from '../transport/remote-executor';
import { createRemoteExecutors } from '../transport/remote-executor';
import { createApolloGateway } from './apollo-gateway';
import { createGatewayExecutor } from './create-gateway-executor';
import type { LocalSubgraph } from './gateway-operation';
import type { ReadSupergraph } from './read-supergraph';
import { readSupergraph } from './read-supergraph';

/** How a gateway reads its own kind of context. */
interface ContextReaders<Context> {
  headersOf(context: Context): HeaderValues;
  cancellationOf(context: Context): Cancellation | undefined;
  callerOf(context: Context): Caller;
  /** Whose share of the plan cache an operation uses. */
  ownerOf(context: Context): string;
}

/** Subgraphs that run in this process. */
interface LocalParts {
  readonly subgraph: LocalSubgraph;
  /** The executor of another local subgraph; undefined for one that is queried over HTTP. */
  executorFor(name: string): SubgraphExecutor | undefined;
}

/** All members are required, so that no command can forget one. */
interface GatewayParts<Context> {
  readonly source: SupergraphSource;
  readonly contexts: ContextReaders<Context>;
  readonly log: SourceLog;
  /** For one request to a subgraph. Default: five seconds. */
  readonly timeoutMilliseconds: number | undefined;
  /** For production: clients receive the code of a subgraph's error, but not its message. */
  readonly hidesMessages: boolean;
  /** Headers sent to a subgraph, by its name. */
  readonly headersFor: (name: string) => Required<Pick<RemoteExecutorOptions, 'headers' | 'forwardHeaders'>>;
  readonly onSubgraphAnswered: SubgraphWatcher;
  readonly scalars: ScalarParsers;
  readonly localParts: ((supergraph: ReadSupergraph) => LocalParts) | undefined;
}

/** A gateway over the subgraphs of a supergraph, for Apollo Server. */
export function createGateway<Context>(parts: GatewayParts<Context>): GatewayInterface {
  const { source, contexts, log, timeoutMilliseconds, hidesMessages, headersFor, scalars } = parts;
  const remoteExecutors = createRemoteExecutors((name) => ({
    ...headersFor(name),
    timeoutMilliseconds,
    headersOf: (context) => contexts.headersOf(context as Context),
    hideMessages: hidesMessages,
    onFailure: (_, { message }) => log.warn(`subgraph ${name}: ${message}`),
  }));
  const remoteExecutor = observeExecutors(remoteExecutors, parts.onSubgraphAnswered);
  return createApolloGateway({
    source: { ...source, start: (offer) => source.start(offer, parts.onSubgraphAnswered) },
    cancellationOf: (context) => contexts.cancellationOf(context as Context),
    async createExecutor(supergraphSdl) {
      const supergraph = await readSupergraph(supergraphSdl, scalars);
      const local = parts.localParts?.(supergraph);
      return createGatewayExecutor({
        supergraph,
        callerOf: (context) => contexts.callerOf(context as Context),
        ownerOf: (context) => contexts.ownerOf(context as Context),
        localSubgraph: local?.subgraph,
        onMalformedAnswer: (name, problem) => log.warn(`subgraph ${name}: ${problem}`),
        executorFor: (name, url) => local?.executorFor(name) ?? remoteExecutor(name, url),
      });
    },
  });
}
