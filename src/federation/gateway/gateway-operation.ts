import type { DocumentNode, ExecutionResult, GraphQLSchema } from 'graphql';
import type { Caller } from '../authorization/scope-requirements';
import type { ReadSupergraph } from './read-supergraph';
import type { SubgraphExecutor } from '../subgraph-executor';
import type { ScalarParsers } from '../supergraph/public-schema';

export interface GatewayExecutorOptions {
  readonly supergraphSdl: string;
  /** What readSupergraph makes of it; made here when it is not given. */
  readonly supergraph?: ReadSupergraph | undefined;
  /** Makes the executor of a subgraph, once per subgraph of the supergraph; `name` and `url` as it was composed. */
  readonly executorFor: (name: string, url: string) => SubgraphExecutor;
  /**
   * The subgraph that runs in this process. Operations that it can answer alone go to it as they are, unplanned (the fast
   * path), and its answer is passed on as it is; parts of other operations come to it like to any other subgraph.
   */
  readonly localSubgraph?: LocalSubgraph | undefined;
  /** Who calls. Without it `@requiresScopes` and `@authenticated` are not enforced here. */
  readonly callerOf?: ((context: unknown) => Caller) | undefined;
  /** Custom scalars whose values are checked before anything is planned; others pass through. */
  readonly scalars?: ScalarParsers | undefined;
  /** Receives what was wrong with the shape of a subgraph's answer, in words for a log. */
  readonly onMalformedAnswer?: ((name: string, problem: string) => void) | undefined;
  /** Whose share of the memory of plans an operation takes. Without it all clients have one together. */
  readonly ownerOf?: ((context: unknown) => string) | undefined;
  /** 0 ≤ random() < 1: decides which share of the requests a progressive `@override` takes. */
  readonly random?: (() => number) | undefined;
}

export interface LocalSubgraph {
  readonly name: string;
  readonly execute: SubgraphExecutor;
  /**
   * Runs a client's whole operation, when nothing was taken out of it: nobody looks into its answer before the client does,
   * so it may be in whatever form the server passes on. `execute` unless it is given.
   */
  readonly answer?: SubgraphExecutor | undefined;
}

/** A valid operation of a client. */
export interface GatewayOperation {
  readonly document: DocumentNode;
  /** The client's text of the document, passed to the local subgraph on the fast path. */
  readonly source?: string | undefined;
  readonly operationName?: string | null | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined;
  readonly context?: unknown;
  /** Aborted when the client goes away, and when the operation has taken too long. */
  readonly signal?: AbortSignal | undefined;
}

/** A supergraph, ready to run. */
export interface GatewayExecutor {
  /** What clients see: validate documents against it. */
  readonly schema: GraphQLSchema;
  readonly supergraphSdl: string;
  /**
   * Resolves when operations over several subgraphs can be planned. Nobody has to wait for it: the first of them would.
   * @throws Error when the planner does not take the supergraph, or this platform has no planner.
   */
  ready(): Promise<void>;
  execute(operation: GatewayOperation): Promise<ExecutionResult>;
  /** Leaves nothing behind once all operations are answered. Further ones are answered too, each at the cost of a new start. */
  retire(): void;
}
