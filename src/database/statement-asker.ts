/**
 * Whoever waits for statements, and may stop. What an AbortSignal would be, at a tenth of its price, which every statement of
 * every operation would pay.
 */
export interface StatementAsker {
  /** Why nobody waits any more; undefined while somebody does. */
  readonly endReason: Error | undefined;
  /** Calls back when the waiting ends. @returns a function that calls it off */
  onEnd(callback: (reason: Error) => void): () => void;
}
