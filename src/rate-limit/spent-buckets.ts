import { LRUCache } from 'lru-cache';
import type { Clock } from '../common/clock';
import { systemClock } from '../common/clock';
import type { RateLimiter } from './rate-limiter';

/** Beyond this number of addresses the oldest ones are dropped. Their calls then cost what they cost before. */
const maximumBuckets = 10_000;

/**
 * Whether this process has seen the bucket empty and its window has not ended. Does not query the store. The name is
 * passed as a function because it is seldom needed.
 */
export type IsSpent = (nameBucket: () => string) => boolean;

/**
 * The limiter, and what is known of the buckets of addresses without querying it. Buckets of keys are not remembered.
 */
export function watchSpentBuckets(
  rateLimiter: RateLimiter,
  clock: Clock = systemClock,
): { readonly rateLimiter: RateLimiter; readonly isSpent: IsSpent } {
  const windowEnds = new LRUCache<string, number>({ max: maximumBuckets });
  let latestEnd = -Infinity;
  return {
    rateLimiter: {
      limit: rateLimiter.limit,
      async consume(bucket) {
        const decision = await rateLimiter.consume(bucket);
        if (decision.remaining === 0 && !bucket.startsWith('key:')) {
          // The seconds were rounded up, and a window that has ended must not count as open.
          const end = clock() + (decision.resetSeconds - 1) * 1000;
          windowEnds.set(bucket, end);
          latestEnd = Math.max(latestEnd, end);
        }
        return decision;
      },
      close: () => rateLimiter.close(),
    },
    isSpent(nameBucket) {
      const now = clock();
      return now < latestEnd && now < (windowEnds.get(nameBucket()) ?? -Infinity);
    },
  };
}
