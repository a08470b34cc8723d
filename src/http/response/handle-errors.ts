import type { ErrorRequestHandler, Request, Response, RequestHandler } from 'express';
import { ApiError } from '../../errors/api-error';
import { chargeFailure } from '../access/access-steps';
import type { HttpCore } from '../http-dependencies';
import { send, toLines, preflightHeaders } from './send';
import type { Surface } from '../routes';
import { surfaceOf } from '../routes';
import { toApiError } from '../../errors/to-api-error';

/** The last handler: turns whatever was thrown into a response in the format of its surface. */
export function createErrorHandler({ rateLimiter, log, challengeOf }: HttpCore): ErrorRequestHandler {
  // Express recognizes error handlers by their four parameters.
  return async (thrown: unknown, request: Request, response: Response, _next) => {
    const { requestId, timeout = thrown } = response.locals;
    if (timeout !== thrown) return;
    const found = toApiError(thrown);
    // Without a cause, the service is rejecting load: not a bug, and the stack is irrelevant.
    if (found.code === 'SERVICE_UNAVAILABLE' && found.cause === undefined) {
      log.warn({ requestId }, found.message);
    } else if (found.status >= 500) log.error({ requestId, err: found }, found.message);
    if (response.headersSent) {
      request.socket.destroy();
      return;
    }
    const surface = surfaceOf(request.originalUrl);
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
  (code === 'RATE_LIMITED' && response.locals.principal === undefined);

/** Error codes of RFC 6749 5.2 and 4.1.2.1 for failures before or around the token endpoint (D13). */
function toOAuthWord(status: number): string {
  if (status === 429 || status === 503) return 'temporarily_unavailable';
  return status >= 500 ? 'server_error' : 'invalid_request';
}

/** The body of an error in the format that the surface's clients expect (D2, D13, D26). */
export function toErrorBody(surface: Surface, { code, message, status }: ApiError): Buffer {
  if (surface === 'graphql') return toJson({ errors: [{ message, extensions: { code } }] });
  if (surface === 'oauth') return toJson({ error: toOAuthWord(status), error_description: message });
  return toJson({ error: { code, message } });
}

export const toJson = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

/**
 * OPTIONS: 204 with Allow, without a credential and without counting (D6). It also answers a browser's preflight, where
 * scripts of other origins may read the response.
 */
export const answerOptions =
  (allow: string): RequestHandler =>
  (request, response) =>
    send(response, 204, [
      'Allow',
      allow,
      ...(response.locals.route?.isSameOriginOnly ? [] : preflightHeaders(request)),
    ]);

/** Any other method on a known path (D6). */
export const refuseMethod =
  (allow: string): RequestHandler =>
  ({ method }) => {
    throw new ApiError('METHOD_NOT_ALLOWED', `Expected one of ${allow}, got ${method}.`, { headers: { Allow: allow } });
  };

/** A path that does not exist. */
export const refuseRoute =
  ({ whereToLook }: HttpCore): RequestHandler =>
  () => {
    throw new ApiError('NOT_FOUND', `No route matches this path. ${whereToLook}`);
  };
