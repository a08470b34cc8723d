import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { BucketKind } from '../observability/metrics';

/** The state of a bucket after a call was counted. */
export interface RateLimitDecision {
  readonly admitted: boolean;
  /** Calls allowed per window. */
  readonly limit: number;
  /** Calls left in this window, never below 0. */
  readonly remaining: number;
  /** Whole seconds until the window ends, rounded up, at least 1: waiting this long always succeeds (D18). */
  readonly resetSeconds: number;
}

/** Counts calls in buckets of 60 seconds. Never rejects: a broken store degrades and does not fail a request (D20). */
export interface RateLimiter {
  /** Calls allowed per window, in every bucket. */
  readonly limit: number;
  /** Counts one call. A refused call does not extend the window. */
  consume(bucket: string): Promise<RateLimitDecision>;
  close(): Promise<void>;
}

/** Length of a window in seconds (D18). */
export const windowSeconds = 60;

/** State of a bucket in its store. `millisecondsLeft`: until the window that its first call opened ends. */
export interface BucketState {
  readonly consumed: number;
  readonly millisecondsLeft: number;
}

/** The decision for a counted call, which `consumed` includes. */
export const toCountedDecision = (points: number, state: BucketState): RateLimitDecision =>
  toDecision(points, state, state.consumed <= points);

/** What the response to a call shows that draws on no bucket: an unused window (D19). */
export const toUnusedWindow = (points: number): RateLimitDecision =>
  toDecision(points, { consumed: 0, millisecondsLeft: windowSeconds * 1000 }, true);

// Rounded up: a client that waits the announced whole seconds must find the window closed (D18).
const toDecision = (points: number, state: BucketState, admitted: boolean): RateLimitDecision => ({
  admitted,
  limit: points,
  remaining: Math.max(points - state.consumed, 0),
  resetSeconds: Math.max(Math.ceil(state.millisecondsLeft / 1000), 1),
});

/**
 * Converts the response of a store. A store resolves for an admitted call and rejects for a refused one, with the same
 * kind of response. It also rejects with an Error when it is broken. The two rejections must never be confused.
 * @throws whatever a broken store rejects with
 */
export async function toBucketState(answer: Promise<RateLimiterRes>): Promise<BucketState> {
  const { consumedPoints, msBeforeNext } = await answer.catch((thrown: unknown) => {
    if (thrown instanceof RateLimiterRes) return thrown;
    throw thrown;
  });
  return { consumed: consumedPoints, millisecondsLeft: msBeforeNext };
}

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
