import type { RateLimitDecision } from './rate-limiter';

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
