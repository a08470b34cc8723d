import { RateLimiterCluster, RateLimiterClusterMaster } from 'rate-limiter-flexible';
import type { RateLimiter } from './rate-limiter';
import { createMemoryRateLimiter, toBucketState, toCountedDecision, windowSeconds } from './rate-limiter';

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

  return {
    limit: points,
    async consume(bucket) {
      try {
        return toCountedDecision(points, await toBucketState(store.consume(bucket)));
      } catch (error) {
        if (performance.now() - announcedAt > windowSeconds * 1000) {
          announcedAt = performance.now();
          onDegraded(error);
        }
        return memory.consume(bucket);
      }
    },
    close: () => memory.close(),
  };
}
