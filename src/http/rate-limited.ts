import { ApiError } from '../errors/api-error';
import type { RateLimitDecision } from '../rate-limit/rate-limiter';

/** The refusal of a call whose bucket is empty; Retry-After stands beside the other rate-limit headers (D18). */
export const createRateLimitedError = ({ limit, resetSeconds }: RateLimitDecision): ApiError =>
  new ApiError(
    'RATE_LIMITED',
    `Expected at most ${limit} requests per 60 seconds; the next one is admitted in ${resetSeconds} s.`,
  );
