import type { RateLimitDecision } from './rate-limiter';
import { windowSeconds } from './window';

/** The headers of every response (D19). A refused call also gets the time to wait (D18). */
export function rateLimitHeaders(decision: RateLimitDecision): Record<string, string> {
  return {
    'RateLimit-Limit': String(decision.limit),
    'RateLimit-Remaining': String(decision.remaining),
    'RateLimit-Reset': String(decision.resetSeconds),
    'RateLimit-Policy': `${decision.limit};w=${windowSeconds}`,
    ...(decision.admitted ? {} : { 'Retry-After': String(decision.resetSeconds) }),
  };
}
