import type { Request, Response } from 'express';
import { ApiError } from '../../errors/api-error';
import { addressBucket, keyBucket } from '../../rate-limit/bucket-names';
import type { RateLimitDecision, RateLimiter } from '../../rate-limit/rate-limiter';
import { findPrincipal, rateLimitOf, setRateLimit } from '../request/request-state';
import { isRateLimited } from '../routes';

/*
 * Every way in which a call draws on a bucket (D18, D19). The bucket's decision is stored beside the response, for its
 * headers. Only the token endpoint counts elsewhere: failed authentications, in a separate bucket
 * (src/auth/oauth/token-endpoint.ts).
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

/** A public document: counts against the address for its headers, and is never refused. */
export async function chargeDocument(rateLimiter: RateLimiter, request: Request, response: Response): Promise<void> {
  setRateLimit(response, withoutRefusal(await rateLimiter.consume(addressBucket(request.ip))));
}

/**
 * A call that is not counted (OPTIONS): shows what its address has left, on surfaces whose responses carry the headers.
 */
export async function showBucket(rateLimiter: RateLimiter, request: Request, response: Response): Promise<void> {
  if (!isRateLimited(request.originalUrl)) return;
  setRateLimit(response, withoutRefusal(await rateLimiter.peek(addressBucket(request.ip))));
}

/**
 * A call that failed before it was charged: counts against its address, unless the fault is ours. An empty bucket
 * refuses only calls without a valid credential; an unknown route stays a 404 (D1).
 * @returns the error to respond with: the original one, or 429 in its place
 */
export async function chargeFailure(
  rateLimiter: RateLimiter,
  error: ApiError,
  request: Request,
  response: Response,
): Promise<ApiError> {
  if (!isRateLimited(request.originalUrl) || rateLimitOf(response) !== undefined) return error;
  if (error.status >= 500) {
    await showBucket(rateLimiter, request, response);
    return error;
  }
  const decision = await rateLimiter.consume(addressBucket(request.ip));
  const isRefused = error.code === 'UNAUTHORIZED' && !decision.admitted;
  setRateLimit(response, isRefused ? decision : withoutRefusal(decision));
  return isRefused ? createRateLimitedError(decision) : error;
}

/**
 * Bytes that never became a request: count against the address of the connection, because no proxy can identify the
 * client.
 * @returns undefined where responses carry no rate-limit headers
 */
export async function chargeMalformed(
  rateLimiter: RateLimiter,
  target: string | undefined,
  remoteAddress: string | undefined,
): Promise<RateLimitDecision | undefined> {
  if (target !== undefined && !isRateLimited(target)) return undefined;
  return withoutRefusal(await rateLimiter.consume(addressBucket(remoteAddress)));
}

/** The decision for a call that an empty bucket does not refuse: shows the remainder, without Retry-After. */
const withoutRefusal = (decision: RateLimitDecision): RateLimitDecision =>
  decision.admitted ? decision : { ...decision, admitted: true };

/** Retry-After is sent with the other rate-limit headers (D18). */
const createRateLimitedError = ({ limit, resetSeconds }: RateLimitDecision): ApiError =>
  new ApiError(
    'RATE_LIMITED',
    `Expected at most ${limit} requests per 60 seconds; the next one is admitted in ${resetSeconds} s.`,
  );
