/**
 * The cancellation signal of statements. Like an AbortSignal, at a tenth of its cost, which every statement of every
 * operation would pay.
 */
export interface Cancellation {
  /** Why the operation was cancelled; undefined until then. */
  readonly endReason: Error | undefined;
  /** Calls back on cancellation. @returns a function that removes the callback */
  onEnd(callback: (reason: Error) => void): () => void;
}
