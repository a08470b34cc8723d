import type { Request, RequestHandler, Response } from 'express';
import { toRequestId } from '../../observability/request-id';
import { traceRequest } from '../../observability/tracing';
import { findPrincipal } from './request-state';
import type { HttpDependencies } from '../http-dependencies';
import type { RequestRecord } from './request-record';
import { setRecord } from './request-record';
import { showTimings } from './server-timing';
import { operationOf } from '../routes';

/** Clients that disconnected before they were answered; the number is nginx's. */
const clientWentAway = 499;

/**
 * Assigns the request id, follows the request to its end, however it ends, and reports it once. Runs before everything
 * else.
 */
export const observeRequests =
  ({ onRequestEnded, showsTimings }: HttpDependencies): RequestHandler =>
  (request, response, next) => {
    const record = createRecord(request, showsTimings);
    setRecord(response, record);
    response.once('close', () => onRequestEnded(toEndedRequest(record, response)));
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

function toEndedRequest(record: RequestRecord, response: Response) {
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
    isCutOff: !response.writableFinished && rawStatus === undefined,
  };
}
