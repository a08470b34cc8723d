import type { BucketKind } from '../observability/metrics';
import type { RateLimiter } from './rate-limiter';

/** Reports every counted call by the kind of its bucket (bucket-names.ts), never by the bucket's name. */
export const countDecisions = (
  rateLimiter: RateLimiter,
  onDecision: (bucket: BucketKind, admitted: boolean) => void,
): RateLimiter => ({
  limit: rateLimiter.limit,
  async consume(bucket) {
    const decision = await rateLimiter.consume(bucket);
    onDecision(bucket.startsWith('key:') ? 'key' : bucket.startsWith('ip:') ? 'ip' : 'token', decision.admitted);
    return decision;
  },
  close: () => rateLimiter.close(),
});
