import cluster from 'node:cluster';
import type { BucketState, RateLimiter } from './rate-limiter';
import { answerWithin } from '../common/timer';
import { createMemoryRateLimiter, toCountedDecision, windowSeconds } from './rate-limiter';

/** The primary only counts, and workers do not outlive it. If it takes longer than this, it is suspended. */
const answerTimeoutMilliseconds = 5_000;

/** From a worker: the buckets of the calls that it read in two turns of the event loop, with the number of calls. */
interface CountOrder {
  readonly type: 'count';
  readonly batch: number;
  readonly calls: readonly (readonly [bucket: string, calls: number])[];
}

/** From the primary: the state of each bucket after all calls of the batch, in its order. */
interface Counted {
  readonly type: 'counted';
  readonly batch: number;
  readonly states: readonly BucketState[];
}

interface ClusterRateLimiterOptions {
  readonly points: number;
  /** The primary did not respond. Reported at most once a minute. */
  readonly onDegraded: (error: unknown) => void;
}

/** In the primary: counts for the workers from now on. */
export function serveClusterRateLimiters(points: number): void {
  const limiter = createMemoryRateLimiter({ points });
  cluster.on('message', (worker, { type, batch, calls }: CountOrder) => {
    if (type !== 'count') return;
    void limiter.count(calls).then((states) => {
      // A worker that has ended meanwhile needs no response.
      worker.send({ type: 'counted', batch, states } satisfies Counted, () => undefined);
    });
  });
}

/**
 * In a worker: buckets that the primary holds for all workers, so that they share them exactly (D18). A message takes
 * longer than most requests, so the calls of two turns of the event loop share one, which counts each bucket once.
 */
export function createClusterRateLimiter({ points, onDegraded }: ClusterRateLimiterOptions): RateLimiter {
  const memory = createMemoryRateLimiter({ points });
  const unanswered = new Map<number, (states: readonly BucketState[]) => void>();
  let announcedAt = -Infinity;
  let buckets = new Map<string, { readonly index: number; calls: number }>();
  let current: Promise<readonly BucketState[]> | undefined;
  let last = 0;
  process.on('message', (message: Counted) => {
    if (message.type === 'counted') unanswered.get(message.batch)?.(message.states);
  });

  const count = async (): Promise<readonly BucketState[]> => {
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    const calls = Array.from(buckets, ([bucket, counted]) => [bucket, counted.calls] as const);
    const order: CountOrder = { type: 'count', batch: ++last, calls };
    buckets = new Map();
    current = undefined;
    try {
      const counted = new Promise<readonly BucketState[]>((resolve, reject) => {
        unanswered.set(order.batch, resolve);
        process.send?.(order, undefined, undefined, (error: Error | null) => error && reject(error));
      });
      return await answerWithin(counted, answerTimeoutMilliseconds);
    } catch (error) {
      if (performance.now() - announcedAt > windowSeconds * 1000) {
        announcedAt = performance.now();
        onDegraded(error);
      }
      return memory.count(calls);
    } finally {
      unanswered.delete(order.batch);
    }
  };

  return {
    limit: points,
    async consume(bucket) {
      const counted = buckets.get(bucket) ?? { index: buckets.size, calls: 0 };
      buckets.set(bucket, counted);
      const place = ++counted.calls;
      current ??= count();
      const { consumed, millisecondsLeft } = (await current)[counted.index] as BucketState;
      // The calls of a batch count in the order in which they were made.
      return toCountedDecision(points, { consumed: consumed - counted.calls + place, millisecondsLeft });
    },
  };
}
