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
