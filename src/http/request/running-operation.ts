import type { Response } from 'express';
import type { Cancellation } from '../../database/statement-asker';
import { ApiError } from '../../errors/api-error';

/** A GraphQL operation under way: ended when its client goes away, and when it has taken too long. */
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

  /** For what wants a signal: made when it is asked for. */
  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      const abort = new AbortController();
      if (this.#endReason !== undefined) abort.abort(this.#endReason);
      else this.onEnd((reason) => abort.abort(reason));
      this.#abort = abort;
    }
    return this.#abort.signal;
  }

  /** Nobody waits any longer: what it asked of the database and of subgraphs fails for this reason, now. */
  end(reason: ApiError): void {
    this.#endReason = reason;
    for (const listener of this.#listeners) listener(reason);
  }
}

/** Without a cause, so that the log is not told of it: clients come and go. */
const clientGone = (): ApiError => new ApiError('SERVICE_UNAVAILABLE', 'Nobody waits for the answer any more.');
