import type { Request, RequestHandler, Response } from 'express';
import { randomUUID } from 'node:crypto';
import type { UsageCounter } from '../../auth/usage-counter';
import type { Log } from '../../observability/log';
import type { ConnectionLoss, Metrics } from '../../observability/metrics';
import { traceRequest } from '../../observability/tracing';
import type { EndedRequest, HttpCore } from '../http-dependencies';
import { operationOf } from '../routes';
import type { RequestRecord } from './request-state';
import { findPrincipal, setRecord } from './request-state';

const wellFormed = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * Identifies a request in every log line and on its response: the caller's own id when it is safe to log, else a new
 * one.
 */
export const toRequestId = (given: string | readonly string[] | undefined): string =>
  typeof given === 'string' && wellFormed.test(given) ? given : randomUUID();

/**
 * Shows in `Server-Timing` how long authentication, rate limit and everything after them took. It is for people who try
 * the API: outside production only, because durations reveal more than strangers should know, and overriding a method
 * takes time.
 */
function showTimings(response: Response, record: RequestRecord): void {
  const writeHead = response.writeHead.bind(response) as (...values: unknown[]) => Response;
  const writeTimedHead = (...values: unknown[]): Response => {
    const timing = toServerTiming(record, performance.now());
    const lines = values.at(-1);
    if (Array.isArray(lines))
      return writeHead(...values.slice(0, -1), [...(lines as string[]), 'Server-Timing', timing]);
    response.setHeader('Server-Timing', timing);
    return writeHead(...values);
  };
  response.writeHead = writeTimedHead;
}

/** `auth;dur=1.2, limit;dur=0.1, run;dur=3.4`, in milliseconds. */
function toServerTiming({ startedAt, steps = [] }: RequestRecord, now: number): string {
  let from = startedAt;
  const entries = [...steps, { name: 'run', doneAt: now }].map(({ name, doneAt }) => {
    const entry = `${name};dur=${(doneAt - from).toFixed(1)}`;
    from = doneAt;
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
    if (principal !== undefined) usage?.countRequest(principal, { status, bytes: request.sentBytes ?? 0 });
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

const warnings: Readonly<Record<ConnectionLoss, string>> = {
  stalled: 'a client that read too little was disconnected',
  evicted: 'all connections are in use: one that kept the service waiting was closed',
  dropped: 'all connections are in use: a new one was refused (MAX_CONNECTIONS)',
};

const pauseMilliseconds = 60_000;

/** Counts the connections that the server ended or refused, and logs it at most once a minute for each reason. */
export function createConnectionReport(
  log: Log,
  metrics: Pick<Metrics, 'connectionLost'>,
): (loss: ConnectionLoss) => void {
  const loggedAt: Partial<Record<ConnectionLoss, number>> = {};
  return (loss) => {
    metrics.connectionLost(loss);
    const now = performance.now();
    if (now - (loggedAt[loss] ?? -Infinity) < pauseMilliseconds) return;
    loggedAt[loss] = now;
    log.warn({ loss }, warnings[loss]);
  };
}

/** Clients that disconnected before they were answered; the number is nginx's. */
const clientWentAway = 499;

/**
 * Assigns the request id, follows the request to its end, however it ends, and reports it once. Runs before everything
 * else.
 */
export const observeRequests =
  ({ onRequestEnded, showsTimings }: HttpCore): RequestHandler =>
  (request, response, next) => {
    const record = createRecord(request, showsTimings);
    setRecord(response, record);
    const { socket } = request;
    const sentBefore = socket.bytesWritten;
    response.once('close', () => onRequestEnded(toEndedRequest(record, response, socket.bytesWritten - sentBefore)));
    if (showsTimings) showTimings(response, record);
    if (record.trace === undefined) next();
    else record.trace.run(next);
  };

function createRecord({ method, headers, originalUrl }: Request, showsTimings: boolean): RequestRecord {
  const operation = operationOf(originalUrl);
  return {
    id: toRequestId(headers['x-request-id']),
    method,
    operation,
    startedAt: performance.now(),
    trace: traceRequest(operation, method, headers),
    steps: showsTimings ? [] : undefined,
  };
}

function toEndedRequest(record: RequestRecord, response: Response, sentBytes: number): EndedRequest {
  const { id, method, operation, startedAt, trace, rawStatus } = record;
  const status = response.headersSent ? response.statusCode : (rawStatus ?? clientWentAway);
  trace?.end(status);
  return {
    requestId: id,
    method,
    operation,
    status,
    seconds: (performance.now() - startedAt) / 1000,
    principal: findPrincipal(response),
    traceId: trace?.traceId,
    bytes: record.countBytes?.(),
    sentBytes,
    isCutOff: !response.writableFinished && rawStatus === undefined,
  };
}
