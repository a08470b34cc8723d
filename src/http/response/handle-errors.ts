import type { ErrorRequestHandler, Request, Response } from 'express';
import type { ApiError } from '../../errors/api-error';
import { chargeFailure } from '../access/access-steps';
import { findPrincipal, isTooLate, keepFromOtherOrigins, requestIdOf } from '../request/request-state';
import { toErrorBody } from './error-body';
import type { HttpCore } from '../http-dependencies';
import { send, toLines } from './send';
import { isSameOriginPath, surfaceOf } from '../routes';
import { toHttpError } from './to-http-error';

/** The last item of the list: turns whatever was thrown into a response of the surface that it happened on. */
export function createErrorHandler({ rateLimiter, log, challengeOf }: HttpCore): ErrorRequestHandler {
  // Express recognizes error handlers by their four parameters.
  return async (thrown: unknown, request: Request, response: Response, _next) => {
    if (isTooLate(response, thrown)) return;
    const found = toHttpError(thrown);
    const requestId = requestIdOf(response);
    // Without a cause, the service refuses more than it can do: no fault, and the stack says nothing.
    if (found.code === 'SERVICE_UNAVAILABLE' && found.cause === undefined) {
      log({ level: 'warn', message: found.message, requestId });
    } else if (found.status >= 500) log({ level: 'error', message: found.message, error: found, requestId });
    if (response.headersSent) {
      request.socket.destroy();
      return;
    }
    const surface = surfaceOf(request.originalUrl);
    // Some requests fail before they are routed.
    if (isSameOriginPath(request.originalUrl)) keepFromOtherOrigins(response);
    const error = await chargeFailure(rateLimiter, found, request, response);
    // A handler may have responded while the bucket was queried.
    if (response.headersSent) return;
    const headers = {
      ...(needsCredential(error, response) && challengeOf(error, request.originalUrl)),
      ...error.headers,
    };
    send(response, error.status, ['Cache-Control', 'no-store', ...toLines(headers)], toErrorBody(surface, error));
  };
}

/** Whether another credential, or one at all, would help: 401, 429 of an address, 403 for scopes (D16). */
const needsCredential = ({ code, credentialFault }: ApiError, response: Response): boolean =>
  code === 'UNAUTHORIZED' ||
  credentialFault !== undefined ||
  (code === 'RATE_LIMITED' && findPrincipal(response) === undefined);
