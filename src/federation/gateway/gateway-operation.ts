import type { DocumentNode, ExecutionResult, GraphQLSchema } from 'graphql';
import type { Cancellation } from '../../common/cancellation';
import type { Caller } from '../supergraph/scope-requirements';
import type { AuthorizedDocument } from './authorize-document';
import type { PlanEnvironment } from '../plan/plan-execution';
import type { PlanKey } from '../answer/plan-keys';
import type { QueryPlans } from '../plan/query-plans';
import type { PreparedDocument } from './prepared-document';
import type { ReadSupergraph } from './read-supergraph';
import type { SubgraphExecutor } from '../subgraph-executor';

export interface GatewayExecutorOptions {
  readonly supergraph: ReadSupergraph;
  /** Creates the executor of a subgraph, once per subgraph of the supergraph; `name` and `url` as it was composed. */
  readonly executorFor: (name: string, url: string) => SubgraphExecutor;
  /**
   * The subgraph that runs in this process. Operations that it can answer alone are passed to it unchanged and
   * unplanned (the fast path), and its answer is passed on unchanged. Parts of other operations are sent to it like to
   * any other subgraph.
   */
  readonly localSubgraph?: LocalSubgraph | undefined;
  /** The caller. Without it, every caller is anonymous. */
  readonly callerOf?: ((context: unknown) => Caller) | undefined;
  /** Receives a description for the log when a subgraph's answer has the wrong shape. */
  readonly onMalformedAnswer?: ((name: string, problem: string) => void) | undefined;
  /** The owner whose share of the plan cache an operation uses. Without it, all clients have one common share. */
  readonly ownerOf?: ((context: unknown) => string) | undefined;
  /** 0 ≤ random() < 1: decides which share of the requests a progressive `@override` takes. */
  readonly random?: (() => number) | undefined;
}

export interface LocalSubgraph {
  readonly name: string;
  readonly execute: SubgraphExecutor;
  /**
   * Runs a client's whole operation when nothing was removed from it. The gateway does not inspect its answer, which
   * may have any form that the server passes on. Default: `execute`.
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
  /** Ends when the client disconnects, and when the operation has taken too long. */
  readonly cancellation?: Cancellation | undefined;
}

/** An executable supergraph. */
export interface GatewayExecutor {
  /** The schema for clients: validate documents against it. */
  readonly schema: GraphQLSchema;
  readonly supergraphSdl: string;
  /**
   * Resolves when operations over several subgraphs can be planned. Waiting for it is optional: otherwise the first of
   * them waits.
   * @throws Error when the planner rejects the supergraph, or this platform has no planner.
   */
  ready(): Promise<void>;
  execute(operation: GatewayOperation): Promise<ExecutionResult>;
  /**
   * Releases everything once all operations have been answered. Later ones are still answered, each at the cost of a
   * new start.
   */
  retire(): void;
}

/** State that all planned operations on one supergraph share. */
export interface PlannedEnvironment extends PlanEnvironment {
  readonly schema: GraphQLSchema;
  readonly plans: QueryPlans;
  readonly planKey: PlanKey;
  /** The owner whose share of the plan cache an operation uses. */
  readonly ownerOf: (context: unknown) => string;
}

/** An operation, the document the client sent, and the part of it that the client may see. */
export interface PreparedOperation {
  readonly client: GatewayOperation;
  readonly original: PreparedDocument;
  readonly permitted: PreparedDocument;
  readonly denied: AuthorizedDocument['denied'];
}
