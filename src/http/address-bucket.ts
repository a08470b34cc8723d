import type { Request } from 'express';
import { addressBucket } from '../rate-limit/bucket-names';
import type { RateLimitDecision, RateLimiter } from '../rate-limit/rate-limiter';

/** Counts a call against its IP address (D19). */
export const drawOnAddress = (rateLimiter: RateLimiter, request: Request): Promise<RateLimitDecision> =>
  rateLimiter.consume(addressBucket(request.ip));

/** Reads the bucket of the IP address, for the headers of calls that count nowhere. */
export const peekAtAddress = async (rateLimiter: RateLimiter, request: Request): Promise<RateLimitDecision> =>
  withoutRefusal(await rateLimiter.peek(addressBucket(request.ip)));

/** The decision for a call that an empty bucket does not refuse: it is told what is left, not to come back later. */
export const withoutRefusal = (decision: RateLimitDecision): RateLimitDecision =>
  decision.admitted ? decision : { ...decision, admitted: true };
