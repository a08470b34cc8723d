import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock';
import { systemClock } from '../clock';
import type { RateLimiter } from './rate-limiter';

/** More than this many addresses at once are forgotten, the oldest first: then their calls cost what they cost before. */
const maximumBuckets = 10_000;

/**
 * Whether this process has seen the bucket empty, and its window is not over. Asks no store. The name is a function because it is
 * seldom needed.
 */
export type IsSpent = (nameBucket: () => string) => boolean;

/** The limiter, and what can be known of its addresses' buckets without asking it. Buckets of keys are not remembered. */
export function watchSpentBuckets(
  rateLimiter: RateLimiter,
  clock: Clock = systemClock,
): { readonly rateLimiter: RateLimiter; readonly isSpent: IsSpent } {
  const windowEnds = new LRUCache<string, number>({ max: maximumBuckets });
  let latestEnd = -Infinity;
  return {
    rateLimiter: {
      async consume(bucket) {
        const decision = await rateLimiter.consume(bucket);
        if (decision.remaining === 0 && !bucket.startsWith('key:')) {
          // The seconds were rounded up, and a window that is over must not count as open.
          const end = clock() + (decision.resetSeconds - 1) * 1000;
          windowEnds.set(bucket, end);
          latestEnd = Math.max(latestEnd, end);
        }
        return decision;
      },
      peek: (bucket) => rateLimiter.peek(bucket),
      close: () => rateLimiter.close(),
    },
    isSpent(nameBucket) {
      const now = clock();
      return now < latestEnd && now < (windowEnds.get(nameBucket()) ?? -Infinity);
    },
  };
}
