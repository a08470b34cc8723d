/**
 * Cancels work. Like an AbortSignal, at a tenth of its cost, which every statement and every request to a subgraph
 * would pay.
 */
export interface Cancellation {
  /** Why the work was canceled; undefined until then. */
  readonly endReason: Error | undefined;
  /** Calls back on cancellation. @returns a function that removes the callback */
  onEnd(callback: (reason: Error) => void): () => void;
}

/** A cancellation that its owner brings about. */
export class CancellationSource<Reason extends Error = Error> implements Cancellation {
  readonly #listeners = new Set<(reason: Reason) => void>();
  #endReason: Reason | undefined;

  get endReason(): Reason | undefined {
    return this.#endReason;
  }

  onEnd(callback: (reason: Reason) => void): () => void {
    this.#listeners.add(callback);
    return () => this.#listeners.delete(callback);
  }

  /** Cancels: what waits on this fails with the reason, immediately. */
  end(reason: Reason): void {
    this.#endReason = reason;
    for (const listener of this.#listeners) listener(reason);
  }
}
