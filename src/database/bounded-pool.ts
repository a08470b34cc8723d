import type { PoolClient, PoolConfig } from 'pg';
import { Pool } from 'pg';

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

  constructor(config: PoolConfig, queueSize: number) {
    super(config);
    this.#queueSize = queueSize;
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
    return callback === undefined ? super.connect() : super.connect(callback);
  }
}
