import type { DocumentNode } from 'graphql';
import type { Cancellation } from '../common/cancellation';
import type { AnswerBudget } from './answer/answer-budget';

/** A request to one subgraph. */
export interface SubgraphRequest {
  readonly query: string;
  /** `query`, parsed. The same object for every run of the same plan. */
  readonly document: DocumentNode;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string | undefined;
  readonly operationKind: 'query' | 'mutation' | 'subscription';
  /** The context of the client's operation, as the server defines it. */
  readonly context: unknown;
  /** Ends when the client disconnects, and when the operation has taken too long. */
  readonly cancellation: Cancellation | undefined;
  /** Limits the size of all answers to the client's operation together. */
  readonly budget?: AnswerBudget | undefined;
}

/** An error as a subgraph reports it: from JSON, or a GraphQLError of an executor in this process. */
export interface SubgraphError {
  readonly message: string;
  readonly path?: readonly (string | number)[] | undefined;
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
  readonly originalError?: Error | null | undefined;
}

export interface SubgraphResult {
  readonly data?: Readonly<Record<string, unknown>> | null | undefined;
  readonly errors?: readonly SubgraphError[] | undefined;
  /** How many errors the subgraph reported beyond those in `errors`. */
  readonly unlistedErrors?: number | undefined;
}

/**
 * Runs requests on one subgraph, in this process or over a network. An exception becomes an error of the fields it
 * served.
 */
export type SubgraphExecutor = (request: SubgraphRequest) => SubgraphResult | PromiseLike<SubgraphResult>;
