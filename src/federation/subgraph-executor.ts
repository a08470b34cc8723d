import type { DocumentNode } from 'graphql';
import type { AnswerBudget } from './answer/answer-budget';

/** A request to one subgraph. */
export interface SubgraphRequest {
  readonly query: string;
  /** `query`, parsed. The same object whenever the same plan runs. */
  readonly document: DocumentNode;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string | undefined;
  readonly operationKind: 'query' | 'mutation' | 'subscription';
  /** The context of the client's operation, whatever the server makes it. */
  readonly context: unknown;
  /** Aborted when the client goes away, and when the operation has taken too long. */
  readonly signal: AbortSignal | undefined;
  /** What the answers to the client's operation may have together. */
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
  /** How many more errors the subgraph reported than `errors` holds. */
  readonly unlistedErrors?: number | undefined;
}

/** Runs requests on one subgraph, in this process or over a network. What it throws becomes an error of the fields it served. */
export type SubgraphExecutor = (request: SubgraphRequest) => SubgraphResult | PromiseLike<SubgraphResult>;
