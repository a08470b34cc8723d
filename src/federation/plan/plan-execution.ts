import type { DocumentNode } from 'graphql';
import { GraphQLError } from 'graphql';
import type { SubgraphError, SubgraphExecutor, SubgraphRequest } from '../subgraph-executor';
import type { TypeCondition } from '../supergraph/type-conditions';
import type { ResponsePath } from './entity-targets';
import type { JsonObject } from './json-objects';
import { copyJson, isJsonObject } from './json-objects';

/** What all operations on one supergraph share. */
export interface PlanEnvironment {
  /** By the plan's service name. */
  readonly executors: ReadonlyMap<string, SubgraphExecutor>;
  /** The graph in this process: its errors are our own and name no service. */
  readonly localSubgraph: string | undefined;
  readonly isOfType: TypeCondition;
  /** Parses a plan's document, once. */
  readonly documentOf: (source: string) => DocumentNode;
}

/** One operation while its plan runs: the fetches merge what they get into `data`. */
export interface PlanExecution {
  readonly environment: PlanEnvironment;
  readonly data: JsonObject;
  readonly errors: GraphQLError[];
  readonly variables: Readonly<Record<string, unknown>>;
  readonly context: unknown;
  readonly signal: AbortSignal | undefined;
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

/** What a subgraph answered; `data` belongs to the execution, which merges into it. */
interface FetchedResult {
  readonly data: JsonObject | undefined;
  readonly errors: readonly SubgraphError[];
}

/** Asks a subgraph. Never throws: a failure, an operation that was ended, or data too deep to be taken is a result without data. */
export async function callSubgraph(
  fetch: FetchInstruction,
  variables: Readonly<Record<string, unknown>>,
  execution: PlanExecution,
): Promise<FetchedResult> {
  const execute = execution.environment.executors.get(fetch.serviceName);
  try {
    execution.signal?.throwIfAborted();
    if (execute === undefined) throw new Error(`The plan asks ${fetch.serviceName}, which is no subgraph.`);
    const { data, errors = [] } = await execute({
      query: fetch.operation,
      document: execution.environment.documentOf(fetch.operation),
      variables,
      operationName: fetch.operationName,
      operationKind: fetch.operationKind ?? 'query',
      context: execution.context,
      signal: execution.signal,
    });
    return { data: isJsonObject(data) ? (copyJson(data) as JsonObject) : undefined, errors };
  } catch (thrown) {
    const originalError = thrown instanceof Error ? thrown : new Error(String(thrown));
    const error = new GraphQLError('A subgraph could not be asked.', {
      originalError,
      extensions: { code: 'SUBREQUEST_HTTP_ERROR' },
    });
    return { data: undefined, errors: [error] };
  }
}

/** Files a subgraph's error under the path where the client sees its effect. */
export function reportError(
  error: SubgraphError,
  serviceName: string,
  path: ResponsePath | undefined,
  execution: PlanExecution,
): void {
  const isLocal = serviceName === execution.environment.localSubgraph;
  execution.errors.push(
    new GraphQLError(error.message, {
      path: path ?? null,
      originalError: error.originalError ?? null,
      extensions: { ...error.extensions, ...(!isLocal && { service: serviceName }) },
    }),
  );
}
