import { HeaderMap } from '@apollo/server';
import { GraphQLError } from 'graphql';
import type { Cancellation } from '../../common/cancellation';
import { CancellationSource } from '../../common/cancellation';
import { withTraceContext } from '../../observability/tracing';
import type { AnswerLimits } from '../answer/answer-budget';
import { defaultAnswerLimits } from '../answer/answer-budget';
import type { SubgraphExecutor, SubgraphRequest, SubgraphResult } from '../subgraph-executor';
import { systemTimer } from '../../common/timer';
import type { CircuitBreakerOptions } from './circuit-breaker';
import { createCircuitBreaker } from './circuit-breaker';
import { maxListedErrors, toServiceError } from './service-error';
import type { HeaderValues } from './forwarded-headers';
import { defaultForwardedHeaders, forwardedHeaders } from './forwarded-headers';
import { readGraphqlResponse, receiveText } from './post-graphql';
import { withRetries } from './retry';
import { SharedRequests } from './shared-requests';
import { TransportError } from './transport-error';
import { getOrMake } from '../../common/once';

export interface RemoteExecutorOptions {
  readonly name: string;
  readonly url: string;
  /** For the whole request, retries included. */
  readonly timeoutMilliseconds?: number | undefined;
  /** For queries only: a mutation that failed in transit may have been executed. */
  readonly retries?: number | undefined;
  /** Stricter bounds on an answer. */
  readonly limits?: Partial<AnswerLimits> | undefined;
  readonly circuitBreaker?: CircuitBreakerOptions | undefined;
  /** The headers of the client's request, names in lower case, from the context of its operation. */
  readonly headersOf?: ((context: unknown) => HeaderValues) | undefined;
  /** Names of the headers that are forwarded. */
  readonly forwardHeaders?: readonly string[] | undefined;
  /** Headers that are always sent, such as a secret that opens the subgraph to gateways. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** For production: clients receive the code of a subgraph's error, but not its message. */
  readonly hideMessages?: boolean | undefined;
  /** Called for every failed request with the reason, which clients do not receive. */
  readonly onFailure?: ((name: string, error: Error) => void) | undefined;
  readonly random?: (() => number) | undefined;
}

/**
 * Sends requests to a subgraph over HTTP, with a time limit, retries, a bound on the answer's size and a circuit
 * breaker. Never throws: without an answer, the result is an error with `extensions.service` and a code, and its fields
 * are null.
 */
export function createRemoteExecutor(options: RemoteExecutorOptions): SubgraphExecutor {
  const { name, timeoutMilliseconds = 5000 } = options;
  const breaker = createCircuitBreaker(options.circuitBreaker ?? { failures: 5, openMilliseconds: 10_000 });
  const send = createSend(options);
  return async (request) => {
    if (!breaker.admit()) {
      return failure(name, new TransportError('SUBREQUEST_HTTP_ERROR', 'not queried after repeated failures'));
    }
    const deadline = new CancellationSource();
    const cancelTimer = systemTimer.after(timeoutMilliseconds, () =>
      deadline.end(new TransportError('GATEWAY_TIMEOUT', `no response within ${timeoutMilliseconds} ms`)),
    );
    const { cancellation } = request;
    if (cancellation?.endReason !== undefined) deadline.end(cancellation.endReason);
    const forget = cancellation?.onEnd((reason) => deadline.end(reason));
    try {
      const result = await send(request, deadline);
      breaker.succeeded();
      return withService(result, options);
    } catch (thrown) {
      const isCanceled = cancellation?.endReason !== undefined;
      const error = isCanceled ? waitedNoLonger : (thrown as Error);
      if (isCanceled) breaker.abandoned();
      else if (saysSubgraphIsDown(error)) breaker.failed();
      else breaker.succeeded();
      options.onFailure?.(name, error);
      return failure(name, error);
    } finally {
      cancelTimer();
      forget?.();
    }
  };
}

/**
 * Creates executors of remote subgraphs. A subgraph keeps its executor, and with it the state of its circuit breaker,
 * when the supergraph is reloaded.
 */
export function createRemoteExecutors(
  optionsOf: (name: string) => Omit<RemoteExecutorOptions, 'name' | 'url'>,
): (name: string, url: string) => SubgraphExecutor {
  const executors = new Map<string, SubgraphExecutor>();
  return (name, url) =>
    getOrMake(executors, `${name} ${url}`, () => createRemoteExecutor({ ...optionsOf(name), name, url }));
}

type Send = (request: SubgraphRequest, cancellation: Cancellation) => Promise<SubgraphResult>;

function createSend(options: RemoteExecutorOptions): Send {
  const { forwardHeaders = defaultForwardedHeaders, random = Math.random } = options;
  const limits = { ...defaultAnswerLimits, ...options.limits };
  const queries = new SharedRequests();
  let url: URL | undefined;
  return async ({ query, variables, operationName, operationKind, context, budget }, cancellation) => {
    // Parsed on first use: a supergraph may have subgraphs without a URL.
    url ??= new URL(options.url);
    const forwarded = forwardedHeaders(options.headersOf?.(context) ?? {}, forwardHeaders);
    const headers = withTraceContext({ ...forwarded, ...options.headers });
    const body = JSON.stringify({ query, variables, ...(operationName !== undefined && { operationName }) });
    const post = { url, headers, body, limits, budget, cancellation };
    const isQuery = operationKind === 'query';
    const attempt = async () => readGraphqlResponse(await (isQuery ? queries.receive(post) : receiveText(post)));
    return withRetries(attempt, { retries: isQuery ? (options.retries ?? 2) : 0, random, cancellation });
  };
}

const waitedNoLonger = new TransportError('GATEWAY_TIMEOUT', 'the operation was canceled before a response arrived');

/**
 * A 4xx, a response that is not GraphQL, or an error of our own is a defect that a pause would not fix. An answer that
 * is too large is the client's doing: one shop's questions must not switch a subgraph off for others.
 */
const saysSubgraphIsDown = (error: Error): boolean =>
  error instanceof TransportError &&
  (error.options.isRetryable === true || error.code === 'GATEWAY_TIMEOUT' || (error.options.status ?? 0) >= 500);

const failure = (name: string, error: Error): SubgraphResult => ({
  data: null,
  errors: [
    new GraphQLError(`The subgraph "${name}" returned no usable response.`, {
      originalError: error,
      extensions: {
        code: error instanceof TransportError ? error.code : 'SUBREQUEST_HTTP_ERROR',
        service: name,
        ...retryAfterOf(error),
      },
    }),
  ],
});

/** Retry delay for clients, as seconds and as a response header. */
function retryAfterOf(error: Error) {
  const seconds = error instanceof TransportError ? error.options.retryAfterSeconds : undefined;
  if (seconds === undefined) return {};
  return { retryAfter: seconds, http: { headers: new HeaderMap([['retry-after', String(seconds)]]) } };
}

function withService(result: SubgraphResult, { name, hideMessages = false }: RemoteExecutorOptions): SubgraphResult {
  const { errors } = result;
  if (errors === undefined) return result;
  const unlisted = errors.length - maxListedErrors;
  return {
    ...result,
    errors: errors.slice(0, maxListedErrors).map((error) => toServiceError(error, name, hideMessages)),
    ...(unlisted > 0 && { unlistedErrors: unlisted }),
  };
}
