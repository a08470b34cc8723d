import { CancellationSource } from '../../common/cancellation';
import { decodePercent } from '../../common/parse-json';
import { ApiError } from '../../errors/api-error';
import type { Request, RequestHandler, Response, ErrorRequestHandler } from 'express';
import type { Principal } from '../../auth/principal';
import { isTracingOn, traceRequest } from '../../observability/tracing';
import type { RateLimitDecision, RateLimiter } from '../../rate-limit/rate-limiter';
import { randomUUID } from 'node:crypto';
import type { UsageCounter } from '../../auth/usage-counter';
import type { Log } from '../../observability/log';
import type { Metrics } from '../../observability/metrics';
import type { Route } from '../routes';
import { operationOf, pathOf, findRoute, routes } from '../routes';

/** A request from its first byte to its last, reduced to what may be logged and counted (D25). */
export interface EndedRequest {
  readonly requestId: string;
  readonly method: string;
  /** See routes.ts. */
  readonly operation: string;
  readonly status: number;
  readonly seconds: number;
  readonly principal?: Principal | undefined;
  readonly traceId?: string | undefined;
  /** All bytes written to the connection for it, headers included; undefined if it bypassed the response object. */
  readonly bytes?: number;
  /** The connection ended before the response did. */
  readonly isCutOff?: boolean;
}

declare module 'express-serve-static-core' {
  /** What the steps of a request pass on to later ones, stored with its response. */
  interface Locals {
    /** On the response and in every log line (`X-Request-Id`). */
    requestId?: string;
    /** In the time of performance.now(). */
    startedAt?: number;
    /** When each step finished; only if Server-Timing is shown. */
    steps?: [name: 'auth' | 'limit' | 'run', doneAt: number][] | undefined;
    /** The calls of a window (D18); Infinity without a limit. */
    limit?: number;
    /** Undefined if none matches. A handler may replace the one that the path indicates. */
    route?: Route | undefined;
    /** The caller; undefined before authentication, and for the few calls that need no credential (D26). */
    principal?: Principal;
    /** The decision of the call's bucket; undefined before it was charged, and for a call that is not. */
    rateLimit?: RateLimitDecision;
    /** The call's GraphQL operation, once it has begun. */
    operation?: RunningOperation;
    /** The response is this error, whatever the handlers still produce. */
    timeout?: ApiError;
    /** The status, if the answer bypassed the response object (answer-malformed.ts). */
    rawStatus?: number;
    /** Called once the response is complete: its bytes count until the client has read it (buffered-bytes.ts). */
    onHandOver?: () => void;
    /** Whether the response goes on for as long as the client reads. */
    isEndless?: boolean;
  }
}

/** The caller, for handlers that run after the access steps. */
export function principalOf({ locals: { principal } }: Response): Principal {
  if (principal === undefined) throw new Error('This handler is mounted before the access steps.');
  return principal;
}

/** Every value of a header as it was sent: of several, node:http silently keeps the first (D16). */
const valuesOf = ({ rawHeaders }: Request, name: string): string[] =>
  rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);

export const authorizationValues = (request: Request): string[] => valuesOf(request, 'authorization');

/** A GraphQL operation in progress: canceled when its client disconnects, and when it has taken too long. */
export class RunningOperation extends CancellationSource<ApiError> {
  constructor(response: Response) {
    super();
    if (response.destroyed) this.end(clientGone());
    response.on('close', () => {
      if (!response.writableFinished) this.end(clientGone());
    });
  }
}

/** Without a cause, so that it is not logged: clients disconnect all the time. */
const clientGone = (): ApiError =>
  new ApiError('SERVICE_UNAVAILABLE', 'The client disconnected before the operation finished.');

const wellFormed = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * Identifies a request in every log line and on its response: the caller's own id when it is safe to log, else a new
 * one.
 */
export const toRequestId = (given: string | readonly string[] | undefined): string =>
  typeof given === 'string' && wellFormed.test(given) ? given : randomUUID();

/**
 * How long authentication, rate limit and everything after them took, in milliseconds: `auth;dur=1.2, limit;dur=0.1,
 * run;dur=3.4`. For people who try the API: outside production only, because durations reveal more than strangers
 * should know.
 */
export function toServerTiming({ startedAt: from = 0, steps = [] }: Response['locals']): string {
  let before = from;
  const entries = [...steps, ['run', performance.now()] as const].map(([name, doneAt]) => {
    const entry = `${name};dur=${(doneAt - before).toFixed(1)}`;
    before = doneAt;
    return entry;
  });
  return entries.join(', ');
}

/**
 * Counts a completed request and writes its log line. Paths, query strings, headers and bodies are left out: they
 * contain what clients type, and ids of customers' data. Client and shop ids are not secret.
 */
export const createRequestReport =
  (log: Log, metrics: Pick<Metrics, 'requestEnded'>, usage?: UsageCounter) =>
  (request: EndedRequest): void => {
    const { requestId, method, operation, status, seconds, principal, traceId, bytes, isCutOff } = request;
    metrics.requestEnded(operation, method, status, seconds);
    if (principal !== undefined) usage?.countRequest(principal, { status, bytes: bytes ?? 0 });
    if (!log.isLevelEnabled('info')) return;
    const line = {
      requestId,
      method,
      operation,
      status,
      durationMs: Math.round(seconds * 1e6) / 1000,
      clientId: principal?.clientId,
      shopId: principal?.shop.id,
      traceId,
      bytes,
      cutOff: isCutOff === true ? true : undefined,
    };
    log.info(line, 'request');
  };

/** Counts the cost of a GraphQL operation, in points. */
export const createCostReport =
  (metrics: Pick<Metrics, 'operationPriced'>, usage?: UsageCounter) =>
  (cost: number, { principal }: { readonly principal: Principal | undefined }): void => {
    metrics.operationPriced(cost);
    if (principal !== undefined) usage?.addCost(principal, cost);
  };

/** Clients that disconnected before they were answered; the number is nginx's. */
const clientWentAway = 499;

export interface ObserverOptions {
  readonly rateLimiter: Pick<RateLimiter, 'limit'>;
  /** Called once for every request, when it completes. */
  readonly onRequestEnded: (request: EndedRequest) => void;
  /** Whether responses carry Server-Timing. */
  readonly showsTimings: boolean;
}

/**
 * Assigns the request id, follows the request to its end, however it ends, and reports it once. Runs before everything
 * else.
 */
export const observeRequests =
  ({ rateLimiter, onRequestEnded, showsTimings }: ObserverOptions, isTraced = isTracingOn()): RequestHandler =>
  ({ method, headers, originalUrl, socket }, response, next) => {
    const { locals } = response;
    const requestId = toRequestId(headers['x-request-id']);
    const startedAt = performance.now();
    const route = findRoute(originalUrl);
    const steps: typeof locals.steps = showsTimings ? [] : undefined;
    Object.assign(locals, { requestId, startedAt, steps, limit: rateLimiter.limit, route } satisfies typeof locals);
    const trace = isTraced ? traceRequest(operationOf(route), method, headers) : undefined;
    const sentBefore = socket.bytesWritten;
    // `on` here and elsewhere: a response closes once, and `once` would cost each request another closure.
    response.on('close', () => {
      const { rawStatus, principal } = locals;
      const status = response.headersSent ? response.statusCode : (rawStatus ?? clientWentAway);
      const operation = operationOf(locals.route);
      trace?.end(operation, status);
      onRequestEnded({
        requestId,
        method,
        operation,
        status,
        seconds: (performance.now() - startedAt) / 1000,
        principal,
        traceId: trace?.traceId,
        bytes: socket.bytesWritten - sentBefore,
        isCutOff: !response.writableFinished && rawStatus === undefined,
      });
    });
    if (trace === undefined) next();
    else trace.run(next);
  };

/**
 * A request that violates HTTP itself. The registry has one code for client errors (D2); HTTP distinguishes more: 408,
 * 414, 417 and 431 besides 400.
 */
export class ProtocolError extends ApiError {
  constructor(
    private readonly httpStatus: 400 | 408 | 414 | 417 | 431,
    message: string,
  ) {
    super('BAD_USER_INPUT', message);
  }

  override get status(): number {
    return this.httpStatus;
  }
}

/** Longer targets are refused with 414; node:http's own limit on all headers together is twice that. */
export const maximumTargetLength = 8192;

export const targetExpectation =
  'URL: expected printable ASCII without spaces or a fragment; percent-encode everything else.';

const outsideTarget = /[^\x21-\x7e]|#/;

/**
 * The first step: refuses violations of HTTP itself before any other check (D1). node:http and Express would either
 * respond without our body or accept them.
 */
export const checkRequest: RequestHandler = (request, _response, next) => {
  checkVersion(request);
  checkExpectation(request);
  checkHeaders(request);
  checkTarget(request);
  next();
};

/** RFC 9110 2.5: the same characters may mean something else in other versions. The parser accepts some of them. */
function checkVersion({ httpVersion }: Request): void {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') {
    throw new ProtocolError(400, `HTTP: expected version 1.1 or 1.0, got ${httpVersion}.`);
  }
}

/** RFC 9110 10.1.1: readBody answers the only expectation that exists. */
function checkExpectation({ headers }: Request): void {
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue') {
    throw new ProtocolError(417, 'Expect: the only supported expectation is 100-continue.');
  }
}

/** RFC 9112 3.2: exactly one Host. RFC 9112 5.1: no space before the colon, which Node 20 accepts. */
function checkHeaders(request: Request): void {
  if (request.rawHeaders.some((text, index) => index % 2 === 0 && text.endsWith(' ')))
    throw new ProtocolError(400, 'Headers: expected "Name: value" lines without a space before the colon.');
  const { length } = valuesOf(request, 'host');
  if (length > 1 || (length === 0 && request.httpVersion === '1.1')) {
    throw new ProtocolError(400, `Host: expected exactly one header, got ${length}.`);
  }
}

function checkTarget(request: Request): void {
  if (request.url.length > maximumTargetLength) {
    throw new ProtocolError(414, `URL: expected at most ${maximumTargetLength} characters, got ${request.url.length}.`);
  }
  if (outsideTarget.test(request.url)) {
    throw new ProtocolError(400, targetExpectation);
  }
  // `*` is about the server as a whole, and valid for OPTIONS only (RFC 9112 3.2.4).
  if (!request.url.startsWith('/') && !(request.url === '*' && request.method === 'OPTIONS')) {
    throw new ProtocolError(400, 'URL: expected a path that starts with a slash.');
  }
  const path = pathOf(request.url);
  if (path.includes('%') && decodePercent(path) === undefined) {
    throw new ProtocolError(400, 'URL: the path contains invalid percent-encoding; expected UTF-8 bytes as %XX.');
  }
}

export interface TimeLimits {
  /** A request without a response after this time gets 503. */
  readonly requestTimeoutMilliseconds: number;
  /** The extra time of an operation that may wait for other teams' services; undefined if none does. */
  readonly subgraphTimeoutMilliseconds: number | undefined;
}

/**
 * Responds with 503 to a request that has no response in time. Every statement has a limit of its own, but a request
 * runs several sequentially; this bounds their sum. What the handlers produce later is discarded, and the statements of
 * an operation are canceled.
 *
 * An operation that may query other subgraphs has their time in addition, and then responds with what it has: late data
 * costs its own fields, not the response (docs/decisions.md 20).
 */
export function answerInTime(
  { requestTimeoutMilliseconds: milliseconds, subgraphTimeoutMilliseconds }: TimeLimits,
  answerError: ErrorRequestHandler,
): RequestHandler {
  return (request, response, next) => {
    let limit = milliseconds + (response.locals.route?.waitMilliseconds ?? 0);
    const stepMilliseconds = limit / steps;
    let passed = 0;
    const check = (): void => {
      // A body that arrives slowly is the client's fault; the server's own time limit for requests ends that.
      if (request.complete) passed += stepMilliseconds;
      if (passed < limit) return;
      if (response.headersSent) return clearInterval(timer);
      const { route, operation } = response.locals;
      const mayQuerySubgraphs = subgraphTimeoutMilliseconds !== undefined && route !== routes.subgraph;
      if (!mayQuerySubgraphs || operation === undefined || operation.endReason !== undefined) {
        clearInterval(timer);
        return answerTimeout(request, response, answerError);
      }
      // The subgraphs' time comes first; after it the operation is ended, with a short time left to respond.
      const isOver = limit > milliseconds;
      if (isOver) operation.end(createTimeout());
      limit += isOver ? milliseconds : subgraphTimeoutMilliseconds;
    };
    const timer = setInterval(check, stepMilliseconds);
    response.on('close', () => clearInterval(timer));
    next();
  };
}

/**
 * Time is counted in steps. On a machine that is short of CPU, the response may already be in the socket while
 * wall-clock time passes; no request is refused for that.
 */
const steps = 10;

function answerTimeout(request: Request, response: Response, answerError: ErrorRequestHandler): void {
  const error = createTimeout();
  response.locals.timeout = error;
  response.locals.operation?.end(error);
  void answerError(error, request, response, () => undefined);
}

const createTimeout = (): ApiError =>
  new ApiError('SERVICE_UNAVAILABLE', 'The request timed out. Try again in a moment.');
