import type { DocumentNode } from 'graphql';
import { GraphQLError } from 'graphql';
import type { Cancellation } from '../../common/cancellation';
import type { AnswerBudget } from '../answer/answer-budget';
import type { AnswerTypes } from '../answer/answer-types';
import type { BoundedErrors } from '../answer/bounded-errors';
import type { SubgraphError, SubgraphExecutor, SubgraphRequest } from '../subgraph-executor';
import { maxListedErrors } from '../transport/service-error';
import type { ResponsePath } from '../answer/entity-targets';
import type { JsonObject } from '../answer/json-objects';
import { isJsonObject } from '../answer/json-objects';
import { toClientPath } from '../answer/plan-keys';

/** State that all operations on one supergraph share. */
export interface PlanEnvironment {
  /** By the plan's service name. */
  readonly executors: ReadonlyMap<string, SubgraphExecutor>;
  /** The graph in this process: its errors are our own and contain no service name. */
  readonly localSubgraph: string | undefined;
  /** Parses a plan's document, once. */
  readonly documentOf: (source: string) => DocumentNode;
  readonly types: AnswerTypes;
  /** A subgraph's value of join__Graph, by its name. */
  readonly graphKeyOf: (name: string) => string | undefined;
  /** Receives a description for the log when an answer has the wrong shape, once per answer. */
  readonly onMalformedAnswer?: ((name: string, problem: string) => void) | undefined;
}

/** One operation while its plan runs: the fetches merge their results into `data`. */
export interface PlanExecution {
  readonly environment: PlanEnvironment;
  readonly data: JsonObject;
  readonly errors: BoundedErrors;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly context: unknown;
  readonly cancellation: Cancellation | undefined;
  /** Limits the size of all answers of other subgraphs together. */
  readonly budget: AnswerBudget;
}

/** The part of a fetch node that determines the request and its subgraph. */
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

/** A subgraph's answer, unchanged. */
interface FetchedResult {
  readonly data: JsonObject | undefined;
  /** At most `maxListedErrors`. */
  readonly errors: readonly SubgraphError[];
  readonly unlistedErrors: number;
}

/** Sends a request to a subgraph. Never throws: a failure or a canceled operation is a result without data. */
export async function callSubgraph(
  fetch: FetchInstruction,
  variables: Readonly<Record<string, unknown>>,
  execution: PlanExecution,
): Promise<FetchedResult> {
  const execute = execution.environment.executors.get(fetch.serviceName);
  try {
    if (execution.cancellation?.endReason !== undefined) throw execution.cancellation.endReason;
    if (execute === undefined) throw new Error(`The plan queries ${fetch.serviceName}, which is not a subgraph.`);
    const result = await execute({
      query: fetch.operation,
      document: execution.environment.documentOf(fetch.operation),
      variables,
      operationName: fetch.operationName,
      operationKind: fetch.operationKind ?? 'query',
      context: execution.context,
      cancellation: execution.cancellation,
      budget: execution.budget,
    });
    const { data, errors, unlistedErrors = 0 } = result;
    return {
      data: isJsonObject(data) ? data : undefined,
      errors: errors?.slice(0, maxListedErrors) ?? [],
      unlistedErrors: unlistedErrors + Math.max(0, (errors?.length ?? 0) - maxListedErrors),
    };
  } catch (thrown) {
    return { data: undefined, errors: [notQueried(thrown)], unlistedErrors: 0 };
  }
}

/** The error of a subgraph that could not be queried, or whose data could not be used. */
export function notQueried(thrown: unknown): GraphQLError {
  const originalError = thrown instanceof Error ? thrown : new Error(String(thrown));
  return new GraphQLError('A subgraph could not be queried.', {
    originalError,
    extensions: { code: 'SUBREQUEST_HTTP_ERROR' },
  });
}

/** Reports a subgraph's error at the path where the client sees its effect. */
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
        path: path === undefined ? null : toClientPath(path),
        originalError: error.originalError ?? null,
        extensions: { ...error.extensions, ...(!isLocal && { service: serviceName }) },
      }),
  );
}
