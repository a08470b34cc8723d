import type { DocumentNode } from 'graphql';
import { GraphQLError } from 'graphql';
import type { AnswerBudget } from '../answer/answer-budget';
import type { AnswerTypes } from '../answer/answer-types';
import type { BoundedErrors } from '../answer/bounded-errors';
import type { SubgraphError, SubgraphExecutor, SubgraphRequest } from '../subgraph-executor';
import type { TypeCondition } from '../supergraph/type-conditions';
import { maxListedErrors } from '../transport/service-error';
import type { ResponsePath } from './entity-targets';
import type { JsonObject } from './json-objects';
import { isJsonObject } from './json-objects';

/** What all operations on one supergraph share. */
export interface PlanEnvironment {
  /** By the plan's service name. */
  readonly executors: ReadonlyMap<string, SubgraphExecutor>;
  /** The graph in this process: its errors are our own and name no service. */
  readonly localSubgraph: string | undefined;
  readonly isOfType: TypeCondition;
  /** Parses a plan's document, once. */
  readonly documentOf: (source: string) => DocumentNode;
  /** What the supergraph says of answers. */
  readonly answerTypes: AnswerTypes;
  /** A subgraph's value of join__Graph, by its name. */
  readonly graphKeyOf: (name: string) => string | undefined;
  /** Receives what was wrong with the shape of an answer, once for an answer, in words for a log. */
  readonly onMalformedAnswer?: ((name: string, problem: string) => void) | undefined;
}

/** One operation while its plan runs: the fetches merge what they get into `data`. */
export interface PlanExecution {
  readonly environment: PlanEnvironment;
  readonly data: JsonObject;
  readonly errors: BoundedErrors;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly context: unknown;
  readonly signal: AbortSignal | undefined;
  /** What the answers of other subgraphs may have together. */
  readonly budget: AnswerBudget;
}

/** The part of a fetch node that says what to ask whom. */
export interface FetchInstruction {
  readonly serviceName: string;
  readonly operation: string;
  readonly operationName?: string;
  readonly operationKind?: SubgraphRequest['operationKind'];
  readonly variableUsages?: string[];
}

/** The variables of the client's operation that a fetch passes on. */
export function usedVariables(fetch: FetchInstruction, execution: PlanExecution): Record<string, unknown> {
  const names = (fetch.variableUsages ?? []).filter((name) => Object.hasOwn(execution.variables, name));
  return Object.fromEntries(names.map((name) => [name, execution.variables[name]]));
}

/** What a subgraph answered, as it came. */
interface FetchedResult {
  readonly data: JsonObject | undefined;
  /** No more of them than are kept of one answer. */
  readonly errors: readonly SubgraphError[];
  readonly unlistedErrors: number;
}

/** Asks a subgraph. Never throws: a failure, or an operation that was ended, is a result without data. */
export async function callSubgraph(
  fetch: FetchInstruction,
  variables: Readonly<Record<string, unknown>>,
  execution: PlanExecution,
): Promise<FetchedResult> {
  const execute = execution.environment.executors.get(fetch.serviceName);
  try {
    execution.signal?.throwIfAborted();
    if (execute === undefined) throw new Error(`The plan asks ${fetch.serviceName}, which is no subgraph.`);
    const result = await execute({
      query: fetch.operation,
      document: execution.environment.documentOf(fetch.operation),
      variables,
      operationName: fetch.operationName,
      operationKind: fetch.operationKind ?? 'query',
      context: execution.context,
      signal: execution.signal,
      budget: execution.budget,
    });
    const { data, errors, unlistedErrors = 0 } = result;
    return {
      data: isJsonObject(data) ? data : undefined,
      errors: errors?.slice(0, maxListedErrors) ?? [],
      unlistedErrors: unlistedErrors + Math.max(0, (errors?.length ?? 0) - maxListedErrors),
    };
  } catch (thrown) {
    return { data: undefined, errors: [notAsked(thrown)], unlistedErrors: 0 };
  }
}

/** The error of a subgraph that could not be asked, or whose data could not be taken. */
export function notAsked(thrown: unknown): GraphQLError {
  const originalError = thrown instanceof Error ? thrown : new Error(String(thrown));
  return new GraphQLError('A subgraph could not be asked.', {
    originalError,
    extensions: { code: 'SUBREQUEST_HTTP_ERROR' },
  });
}

/** Files a subgraph's error under the path where the client sees its effect. */
export function reportError(
  error: SubgraphError,
  serviceName: string,
  path: ResponsePath | undefined,
  execution: PlanExecution,
): void {
  const isLocal = serviceName === execution.environment.localSubgraph;
  execution.errors.add(
    () =>
      new GraphQLError(error.message, {
        path: path ?? null,
        originalError: error.originalError ?? null,
        extensions: { ...error.extensions, ...(!isLocal && { service: serviceName }) },
      }),
  );
}
