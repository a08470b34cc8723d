import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { RateLimiter } from './rate-limiter';
import { toBucketState } from './store-answer';
import { toCountedDecision, windowSeconds } from './window';

/** Buckets of this process alone. Each one is dropped when its window ends. */
export function createMemoryRateLimiter({ points }: { points: number }): RateLimiter {
  const store = new RateLimiterMemory({ points, duration: windowSeconds });
  return {
    limit: points,
    consume: async (bucket) => toCountedDecision(points, await toBucketState(store.consume(bucket))),
    async close() {
      // Their timers would keep what made them in memory until the windows end.
      for (const { key } of store.dump().storage) await store.delete(key);
    },
  };
}
