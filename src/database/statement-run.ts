import type { PoolClient } from 'pg';
import { sendCancelRequest } from './cancel-request';
import type { StatementAsker } from './statement-asker';

/** One statement on its way through the pool. Who asked for it may abandon it: then it never begins, or is cancelled. */
export class StatementRun {
  #client: PoolClient | undefined;
  #isAbandoned = false;

  get isAbandoned(): boolean {
    return this.#isAbandoned;
  }

  /** The pool found a connection for it, and gets it back when the statement has ended. */
  begin(client: PoolClient): void {
    this.#client = client;
    const { release } = client;
    const giveBack: PoolClient['release'] = (problem) => {
      this.#client = undefined;
      // The request to cancel may come late, and would hit what runs on the connection next.
      release(problem ?? this.#isAbandoned);
    };
    client.release = giveBack;
  }

  abandon(): void {
    this.#isAbandoned = true;
    if (this.#client !== undefined) sendCancelRequest(this.#client);
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
