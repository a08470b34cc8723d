import type { ErrorRequestHandler, Request, Response } from 'express';
import type { ApiError } from '../errors/api-error';
import { drawOnAddress, peekAtAddress, withoutRefusal } from './address-bucket';
import { isTooLate, keepFromOtherOrigins, rateLimitOf, setRateLimit } from './admission';
import { toErrorBody } from './error-body';
import type { HttpDependencies } from './http-dependencies';
import { createRateLimitedError } from './rate-limited';
import { requestIdOf } from './request-record';
import { send, toLines } from './send';
import { isRateLimited, isSameOriginPath, surfaceOf } from './surface';
import { toHttpError } from './to-http-error';

/** The last item of the list: turns whatever was thrown into the response of the surface it happened on. */
export function createErrorHandler({ rateLimiter, log }: HttpDependencies): ErrorRequestHandler {
  /**
   * A call that failed before a key's bucket was asked counts against its address (D19), unless the failure is ours. The empty bucket
   * refuses only who has no valid credential; an unknown route stays a 404 (D1).
   */
  async function chargeAddress(error: ApiError, request: Request, response: Response): Promise<ApiError> {
    if (error.status >= 500) {
      setRateLimit(response, await peekAtAddress(rateLimiter, request));
      return error;
    }
    const decision = await drawOnAddress(rateLimiter, request);
    const isRefused = error.code === 'UNAUTHORIZED' && !decision.admitted;
    setRateLimit(response, isRefused ? decision : withoutRefusal(decision));
    return isRefused ? createRateLimitedError(decision) : error;
  }

  // Express tells error handlers from others by their four parameters.
  return async (thrown: unknown, request: Request, response: Response, _next) => {
    if (isTooLate(response, thrown)) return;
    const found = toHttpError(thrown);
    if (found.status >= 500) {
      log({ level: 'error', message: found.message, error: found, requestId: requestIdOf(response) });
    }
    if (response.headersSent) {
      request.socket.destroy();
      return;
    }
    const surface = surfaceOf(request.originalUrl);
    // Some fail before they are routed.
    if (isSameOriginPath(request.originalUrl)) keepFromOtherOrigins(response);
    const isUncharged = isRateLimited(surface) && rateLimitOf(response) === undefined;
    const error = isUncharged ? await chargeAddress(found, request, response) : found;
    // A handler may have been quicker after all, while the bucket was asked.
    if (response.headersSent) return;
    send(response, error.status, ['Cache-Control', 'no-store', ...toLines(error.headers)], toErrorBody(surface, error));
  };
}
