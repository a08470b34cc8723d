import type { PoolClient, PoolConfig } from 'pg';
import { Pool } from 'pg';
import type { StatementRun } from './statement-run';

/** The queue for connections is full: nobody asked the database. */
export class PoolOverloadError extends Error {
  override readonly name = 'PoolOverloadError';
}

type ConnectCallback = (error: Error | undefined, client: PoolClient | undefined, done: () => void) => void;

/**
 * A pool that refuses at once what it could not serve in time. Without a bound every caller waits until the time-out, the answers
 * come when nobody reads them any more, and the callers' second attempts join the queue: load beyond capacity would end in
 * answering nobody, instead of answering as many as there is capacity for.
 */
export class BoundedPool extends Pool {
  readonly #queueSize: number;
  #run: StatementRun | undefined;

  constructor(config: PoolConfig, queueSize: number) {
    super(config);
    this.#queueSize = queueSize;
  }

  /** The statement that `start` hands to the pool, before it returns, is this run's. */
  startRun<Result>(run: StatementRun, start: () => Result): Result {
    this.#run = run;
    try {
      return start();
    } finally {
      this.#run = undefined;
    }
  }

  // pg's own `query` comes through here too, with a callback.
  override connect(): Promise<PoolClient>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): Promise<PoolClient> | void {
    if (this.waitingCount >= this.#queueSize) {
      const error = new PoolOverloadError(`${this.waitingCount} statements wait for a connection already`);
      if (callback === undefined) return Promise.reject(error);
      process.nextTick(callback, error, undefined, () => undefined);
      return;
    }
    if (callback === undefined) return super.connect();
    return super.connect(this.#run === undefined ? callback : beginRun(this.#run, callback));
  }
}

const beginRun =
  (run: StatementRun, callback: ConnectCallback): ConnectCallback =>
  (error, client, done) => {
    if (client === undefined) return callback(error, client, done);
    if (run.isAbandoned) {
      done();
      return callback(new Error('The statement was abandoned before it began'), undefined, () => undefined);
    }
    run.begin(client);
    callback(error, client, done);
  };
