import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { RateLimiter } from './rate-limiter';
import { toBucketState } from './store-answer';
import { toCountedDecision, toPeekedDecision, windowSeconds } from './window';

/** Buckets of this process alone. Each one is dropped when its window ends. */
export function createMemoryRateLimiter({ points }: { points: number }): RateLimiter {
  const store = new RateLimiterMemory({ points, duration: windowSeconds });
  return {
    consume: async (bucket) => toCountedDecision(points, await toBucketState(store.consume(bucket))),
    async peek(bucket) {
      const found = await store.get(bucket);
      return toPeekedDecision(points, found === null ? undefined : await toBucketState(Promise.resolve(found)));
    },
    async close() {
      // Their timers would keep what made them in memory until the windows end.
      for (const { key } of store.dump().storage) await store.delete(key);
    },
  };
}
