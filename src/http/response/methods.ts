import type { RequestHandler } from 'express';
import { ApiError } from '../../errors/api-error';
import type { RateLimiter } from '../../rate-limit/rate-limiter';
import { showUnusedWindow } from '../access/access-steps';
import type { HttpCore } from '../http-dependencies';
import { send } from './send';
import { preflightHeaders } from './standing-headers';

/** OPTIONS: 204 with Allow, without a credential and without counting (D6); it also answers a browser's preflight. */
export const answerOptions =
  (allow: string, rateLimiter: RateLimiter): RequestHandler =>
  (request, response) => {
    showUnusedWindow(rateLimiter, request, response);
    send(response, 204, ['Allow', allow, ...preflightHeaders(request)]);
  };

/**
 * The same for responses that scripts of other origins may not read, and for those without a limit: there is no
 * preflight to answer.
 */
export const answerPlainOptions =
  (allow: string): RequestHandler =>
  (_request, response) =>
    send(response, 204, ['Allow', allow]);

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
    throw new ApiError('NOT_FOUND', `There is nothing at this path. ${whereToLook}`);
  };
