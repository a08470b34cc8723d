import { RateLimiterCluster, RateLimiterClusterMaster } from 'rate-limiter-flexible';
import { createMemoryRateLimiter } from './memory-rate-limiter';
import type { RateLimitDecision, RateLimiter } from './rate-limiter';
import { toBucketState } from './store-answer';
import { toCountedDecision, toPeekedDecision, windowSeconds } from './window';

/** The primary only counts, and workers do not outlive it: a primary that takes longer than this is suspended. */
const answerTimeoutMilliseconds = 5_000;

interface ClusterRateLimiterOptions {
  readonly points: number;
  /** The primary did not respond. Reported at most once a minute. */
  readonly onDegraded: (error: unknown) => void;
}

/** In the primary: counts for the workers from now on. */
export function serveClusterRateLimiters(): void {
  new RateLimiterClusterMaster();
}

/** In a worker: buckets that the primary holds for all workers, so that they share them exactly (D18). */
export function createClusterRateLimiter({ points, onDegraded }: ClusterRateLimiterOptions): RateLimiter {
  const store = new RateLimiterCluster({
    points,
    duration: windowSeconds,
    keyPrefix: 'ratelimit',
    timeoutMs: answerTimeoutMilliseconds,
  });
  const memory = createMemoryRateLimiter({ points });
  let announcedAt = -Infinity;

  const withFallback = async (
    ask: () => Promise<RateLimitDecision>,
    fallback: () => Promise<RateLimitDecision>,
  ): Promise<RateLimitDecision> => {
    try {
      return await ask();
    } catch (error) {
      if (performance.now() - announcedAt > windowSeconds * 1000) {
        announcedAt = performance.now();
        onDegraded(error);
      }
      return fallback();
    }
  };

  return {
    consume: (bucket) =>
      withFallback(
        async () => toCountedDecision(points, await toBucketState(store.consume(bucket))),
        () => memory.consume(bucket),
      ),
    peek: (bucket) =>
      withFallback(
        async () => {
          const found = await store.get(bucket);
          return toPeekedDecision(points, found === null ? undefined : await toBucketState(Promise.resolve(found)));
        },
        () => memory.peek(bucket),
      ),
    close: () => memory.close(),
  };
}
