import type { Response } from 'express';
import type { Cancellation } from '../../database/statement-run';
import { ApiError } from '../../errors/api-error';

/** A GraphQL operation in progress: cancelled when its client disconnects, and when it has taken too long. */
export class RunningOperation implements Cancellation {
  readonly #listeners = new Set<(reason: ApiError) => void>();
  #endReason: ApiError | undefined;
  #abort: AbortController | undefined;

  constructor(response: Response) {
    if (response.destroyed) this.end(clientGone());
    response.once('close', () => {
      if (!response.writableFinished) this.end(clientGone());
    });
  }

  get endReason(): ApiError | undefined {
    return this.#endReason;
  }

  onEnd(callback: (reason: ApiError) => void): () => void {
    this.#listeners.add(callback);
    return () => this.#listeners.delete(callback);
  }

  /** For APIs that take a signal; created on first use. */
  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      const abort = new AbortController();
      if (this.#endReason !== undefined) abort.abort(this.#endReason);
      else this.onEnd((reason) => abort.abort(reason));
      this.#abort = abort;
    }
    return this.#abort.signal;
  }

  /** Cancels the operation: its database statements and subgraph requests fail with this reason, immediately. */
  end(reason: ApiError): void {
    this.#endReason = reason;
    for (const listener of this.#listeners) listener(reason);
  }
}

/** Without a cause, so that it is not logged: clients disconnect all the time. */
const clientGone = (): ApiError =>
  new ApiError('SERVICE_UNAVAILABLE', 'The client disconnected before the operation was answered.');
