import type { PoolClient } from 'pg';
import { sendCancelRequest } from './cancel-request';
import type { StatementAsker } from './statement-asker';

/** One statement on its way through the pool. Who asked for it may abandon it: then it never begins, or is cancelled. */
export class StatementRun {
  #client: PoolClient | undefined;
  #withdraw: (() => void) | undefined;
  #isAbandoned = false;

  get isAbandoned(): boolean {
    return this.#isAbandoned;
  }

  /** It waits for its turn. @param withdraw Ends the waiting. */
  waitFor(withdraw: () => void): void {
    this.#withdraw = withdraw;
  }

  /** The pool found a connection for it. */
  begin(client: PoolClient): void {
    this.#withdraw = undefined;
    this.#client = client;
  }

  /** The pool gets the connection back. */
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
 * Runs a statement as long as somebody waits for its result.
 * @param start Hands the statement to the pool; the pool must know the run.
 * @throws why nobody waits, as soon as that is so
 */
export function runWhileAwaited<Result>(
  asker: StatementAsker,
  start: (run: StatementRun) => Promise<Result>,
): Promise<Result> {
  if (asker.endReason !== undefined) return Promise.reject(asker.endReason);
  return new Promise((resolve, reject) => {
    const run = new StatementRun();
    const callOff = asker.onEnd((reason) => {
      reject(reason);
      run.abandon();
    });
    start(run).then(
      (result) => {
        callOff();
        resolve(result);
      },
      (thrown: Error) => {
        callOff();
        reject(thrown);
      },
    );
  });
}
