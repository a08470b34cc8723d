import type { RequestHandler } from 'express';
import { keyBucket } from '../../rate-limit/bucket-names';
import { drawOnAddress } from '../address-bucket';
import { findPrincipal, setRateLimit } from '../admission';
import type { HttpDependencies } from '../http-dependencies';
import { createRateLimitedError } from '../rate-limited';
import { noteStep } from '../request-record';

/** Has the key calls left in its window? 429 when not; whatever is refused later has been counted (D1, D18). */
export const limitRate =
  ({ rateLimiter }: HttpDependencies): RequestHandler =>
  async (request, response, next) => {
    const principal = findPrincipal(response);
    const decision = await (principal === undefined
      ? drawOnAddress(rateLimiter, request)
      : rateLimiter.consume(keyBucket(principal)));
    setRateLimit(response, decision);
    noteStep(response, 'limit');
    if (!decision.admitted) throw createRateLimitedError(decision);
    next();
  };
