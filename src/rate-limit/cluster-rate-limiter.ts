import cluster from 'node:cluster';
import type { RateLimitDecision, RateLimiter } from './rate-limiter';
import { answerWithin } from '../common/timer';
import { createMemoryRateLimiter, windowSeconds } from './rate-limiter';

/** The primary only counts, and workers do not outlive it. If it takes longer than this, it is suspended. */
const answerTimeoutMilliseconds = 5_000;

/** From a worker: the buckets of the calls that it read in two turns of the event loop. */
interface CountOrder {
  readonly type: 'count';
  readonly batch: number;
  readonly buckets: readonly string[];
}

/** From the primary: the decision for each bucket of the batch, in its order. */
interface Counted {
  readonly type: 'counted';
  readonly batch: number;
  readonly decisions: readonly RateLimitDecision[];
}

interface ClusterRateLimiterOptions {
  readonly points: number;
  /** The primary did not respond. Reported at most once a minute. */
  readonly onDegraded: (error: unknown) => void;
}

/** In the primary: counts for the workers from now on. */
export function serveClusterRateLimiters(points: number): void {
  const limiter = createMemoryRateLimiter({ points });
  cluster.on('message', (worker, message: CountOrder) => {
    if (message.type !== 'count') return;
    const { batch, buckets } = message;
    void Promise.all(buckets.map((bucket) => limiter.consume(bucket))).then((decisions) => {
      // A worker that has ended meanwhile needs no decision.
      worker.send({ type: 'counted', batch, decisions } satisfies Counted, () => undefined);
    });
  });
}

/**
 * In a worker: buckets that the primary holds for all workers, so that they share them exactly (D18). A message takes
 * longer than most requests, so the calls of two turns of the event loop share one.
 */
export function createClusterRateLimiter({ points, onDegraded }: ClusterRateLimiterOptions): RateLimiter {
  const memory = createMemoryRateLimiter({ points });
  const unanswered = new Map<number, (decisions: readonly RateLimitDecision[]) => void>();
  let announcedAt = -Infinity;
  let buckets: string[] = [];
  let current: Promise<readonly RateLimitDecision[]> | undefined;
  let last = 0;
  process.on('message', (message: Counted) => {
    if (message.type === 'counted') unanswered.get(message.batch)?.(message.decisions);
  });

  const count = async (): Promise<readonly RateLimitDecision[]> => {
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    const order: CountOrder = { type: 'count', batch: ++last, buckets };
    [buckets, current] = [[], undefined];
    try {
      const counted = new Promise<readonly RateLimitDecision[]>((resolve, reject) => {
        unanswered.set(order.batch, resolve);
        process.send?.(order, undefined, undefined, (error: Error | null) => error && reject(error));
      });
      return await answerWithin(counted, answerTimeoutMilliseconds);
    } catch (error) {
      if (performance.now() - announcedAt > windowSeconds * 1000) {
        announcedAt = performance.now();
        onDegraded(error);
      }
      return Promise.all(order.buckets.map((bucket) => memory.consume(bucket)));
    } finally {
      unanswered.delete(order.batch);
    }
  };

  return {
    limit: points,
    async consume(bucket) {
      const index = buckets.push(bucket) - 1;
      current ??= count();
      return (await current)[index] as RateLimitDecision;
    },
    close: () => memory.close(),
  };
}
