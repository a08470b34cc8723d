import type { Request, Response } from 'express';
import { ApiError } from '../../errors/api-error';
import { addressBucket, keyBucket } from '../../rate-limit/bucket-names';
import type { RateLimitDecision, RateLimiter } from '../../rate-limit/rate-limiter';
import { toUnusedWindow } from '../../rate-limit/window';
import { authorizationValues } from '../request/authorization-values';
import { findPrincipal, rateLimitOf, setRateLimit } from '../request/request-state';
import { isRateLimited } from '../routes';

/*
 * Every way in which a call draws on a bucket (D18, D19). The bucket's decision is stored beside the response, for its
 * headers; a call that draws on none shows an unused window, so that no caller waits for what others did. Only the token
 * endpoint counts elsewhere: failed authentications, in a separate bucket (src/auth/oauth/token-endpoint.ts).
 */

/**
 * A call of the API: draws on the bucket of its key, or of its address if it needs no credential (D26).
 * @returns the refusal if the bucket is empty
 */
export async function chargeCall(
  rateLimiter: RateLimiter,
  request: Request,
  response: Response,
): Promise<ApiError | undefined> {
  const principal = findPrincipal(response);
  const bucket = principal === undefined ? addressBucket(request.ip) : keyBucket(principal);
  const decision = await rateLimiter.consume(bucket);
  setRateLimit(response, decision);
  return decision.admitted ? undefined : createRateLimitedError(decision);
}

/**
 * A public document: counts against the address for its headers, and is never refused. A caller that presents a
 * credential all the same has a bucket of its own, which this is not.
 */
export async function chargeDocument(rateLimiter: RateLimiter, request: Request, response: Response): Promise<void> {
  if (authorizationValues(request).length > 0) return showUnusedWindow(rateLimiter, request, response);
  setRateLimit(response, withoutRefusal(await rateLimiter.consume(addressBucket(request.ip))));
}

/** A call that draws on no bucket, on surfaces whose responses carry the headers. */
export function showUnusedWindow(rateLimiter: RateLimiter, request: Request, response: Response): void {
  if (isRateLimited(request.originalUrl)) setRateLimit(response, toUnusedWindow(rateLimiter.limit));
}

/**
 * A call that failed before it was charged. Only a credential that was refused counts against the address: it may cost a
 * read. Without one, and before one is read, a refusal costs nothing and draws on nothing (D19).
 * @returns the error to respond with: the original one, or 429 in its place, with the same challenge
 */
export async function chargeFailure(
  rateLimiter: RateLimiter,
  error: ApiError,
  request: Request,
  response: Response,
): Promise<ApiError> {
  if (!isRateLimited(request.originalUrl) || rateLimitOf(response) !== undefined) return error;
  if (error.code !== 'UNAUTHORIZED' || error.credentialFault === undefined) {
    showUnusedWindow(rateLimiter, request, response);
    return error;
  }
  const decision = await rateLimiter.consume(addressBucket(request.ip));
  setRateLimit(response, decision);
  return decision.admitted ? error : createRateLimitedError(decision, error);
}

/**
 * Bytes that never became a request draw on nothing.
 * @returns undefined where responses carry no rate-limit headers
 */
export const decideMalformed = ({ limit }: RateLimiter, target: string | undefined): RateLimitDecision | undefined =>
  target === undefined || isRateLimited(target) ? toUnusedWindow(limit) : undefined;

/** The decision for a call that an empty bucket does not refuse: shows the remainder, without Retry-After. */
const withoutRefusal = (decision: RateLimitDecision): RateLimitDecision =>
  decision.admitted ? decision : { ...decision, admitted: true };

/**
 * Retry-After is sent with the other rate-limit headers (D18).
 * @param refused What the call is refused for besides.
 */
const createRateLimitedError = (
  { limit, resetSeconds }: RateLimitDecision,
  { headers, credentialFault }: Partial<Pick<ApiError, 'headers' | 'credentialFault'>> = {},
): ApiError =>
  new ApiError(
    'RATE_LIMITED',
    `Expected at most ${limit} requests per 60 seconds; the next one is admitted in ${resetSeconds} s.`,
    { ...(headers && { headers }), ...(credentialFault && { credentialFault }) },
  );
