import type { PoolClient } from 'pg';
import { sendCancelRequest } from './cancel-request';
import type { Cancellation } from './cancellation';

/** One run of a statement through the pool. Its caller may abandon it: then it never begins, or is cancelled. */
export class StatementRun {
  #client: PoolClient | undefined;
  #withdraw: (() => void) | undefined;
  #isAbandoned = false;

  get isAbandoned(): boolean {
    return this.#isAbandoned;
  }

  /** Marks the statement as queued. @param withdraw Removes it from the queue. */
  waitFor(withdraw: () => void): void {
    this.#withdraw = withdraw;
  }

  /** Marks the statement as started on a connection of the pool. */
  begin(client: PoolClient): void {
    this.#withdraw = undefined;
    this.#client = client;
  }

  /** Marks the statement as finished; the pool gets the connection back. */
  end(): void {
    this.#client = undefined;
  }

  abandon(): void {
    this.#isAbandoned = true;
    if (this.#client !== undefined) sendCancelRequest(this.#client);
    else this.#withdraw?.();
  }
}

/**
 * Runs a statement until its cancellation.
 * @param start Passes the statement to the pool; the pool must know the run.
 * @throws the reason of the cancellation, as soon as it occurs
 */
export function runUntilCancelled<Result>(
  cancellation: Cancellation,
  start: (run: StatementRun) => Promise<Result>,
): Promise<Result> {
  if (cancellation.endReason !== undefined) return Promise.reject(cancellation.endReason);
  return new Promise((resolve, reject) => {
    const run = new StatementRun();
    const unsubscribe = cancellation.onEnd((reason) => {
      reject(reason);
      run.abandon();
    });
    start(run).then(
      (result) => {
        unsubscribe();
        resolve(result);
      },
      (thrown: Error) => {
        unsubscribe();
        reject(thrown);
      },
    );
  });
}
