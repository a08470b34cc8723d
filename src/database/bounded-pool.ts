import type { PoolClient, PoolConfig } from 'pg';
import { Pool } from 'pg';
import type { QueueEntry, QueueName } from '../common/fair-queue';
import { FairQueue } from '../common/fair-queue';
import type { StatementRun } from './statement-run';
import { sendCancelRequest } from './statement-run';

/** The queue for connections is full: the statement was not sent to the database. */
export class PoolOverloadError extends Error {
  override readonly name = 'PoolOverloadError';
}

type ConnectCallback = (error: Error | undefined, client: PoolClient | undefined, done: () => void) => void;

interface BoundedPoolConfig extends PoolConfig {
  /** Maximum number of connections. */
  readonly max: number;
  /** The longest wait for a turn, and again for a new connection. */
  readonly connectionTimeoutMillis: number;
}

/**
 * Divides the connections of a pool. `perShop`: connections that statements of one shop may take: a third, which leaves
 * processors of the database to others. `reserved`: connections for statements that belong to no shop, above all the
 * reads of keys with which every request begins (docs/decisions.md 40).
 */
export const divideConnections = (poolSize: number): { readonly perShop: number; readonly reserved: number } => ({
  perShop: Math.max(1, Math.round(poolSize / 3)),
  reserved: poolSize >= 3 ? 1 : 0,
});

/**
 * A pool that schedules connections fairly: statements wait in one queue per shop, and one shop may use only a part of
 * the connections (docs/decisions.md 40).
 *
 * It immediately refuses statements that it could not serve in time. Without a bound, every caller would wait until the
 * time-out, responses would arrive after their clients had left, and retries would join the queue. Load beyond capacity
 * would then leave no caller served, instead of as many as there is capacity for.
 */
export class BoundedPool extends Pool {
  readonly #queue: FairQueue;
  readonly #timeoutMilliseconds: number;
  #shopId: QueueName;
  #run: StatementRun | undefined;

  constructor(config: BoundedPoolConfig, queueSize: number) {
    super(config);
    const { perShop, reserved } = divideConnections(config.max);
    this.#queue = new FairQueue({
      slots: config.max,
      slotsPerQueue: perShop,
      reservedSlots: reserved,
      size: queueSize,
    });
    this.#timeoutMilliseconds = config.connectionTimeoutMillis;
  }

  /** Returns the number of statements that wait for a connection. */
  countWaiting(): number {
    return this.#queue.waiting + this.waitingCount;
  }

  /** Assigns the statement that `start` passes to the pool, before it returns, to this shop and this run. */
  startFor<Result>(shopId: QueueName, run: StatementRun | undefined, start: () => Result): Result {
    this.#shopId = shopId;
    this.#run = run;
    try {
      return start();
    } finally {
      this.#shopId = undefined;
      this.#run = undefined;
    }
  }

  // pg's own `query` calls this too, with a callback.
  override connect(): Promise<PoolClient>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): Promise<PoolClient> | void {
    if (callback !== undefined) return this.#wait(callback);
    return new Promise((resolve, reject) => {
      this.#wait((error, client) => {
        if (client !== undefined) resolve(client);
        else reject(error ?? new Error('The pool gave no connection'));
      });
    });
  }

  #wait(callback: ConnectCallback): void {
    const shopId = this.#shopId;
    const run = this.#run;
    let isWaiting = true;
    let timer: NodeJS.Timeout | undefined = undefined;
    const stopWaiting = (): void => {
      isWaiting = false;
      clearTimeout(timer);
    };
    const fail = (error: Error): void => {
      stopWaiting();
      process.nextTick(callback, error, undefined, () => undefined);
    };
    const entry: QueueEntry = {
      start: () => {
        stopWaiting();
        super.connect(this.#checkOut(shopId, run, callback) as Parameters<Pool['connect']>[0]);
      },
      refuse: () =>
        fail(new PoolOverloadError(`${this.countWaiting()} statements are already waiting for a connection`)),
    };
    this.#queue.enter(shopId, entry);
    if (!isWaiting) return;
    const withdraw = (error: Error): void => {
      if (!isWaiting) return;
      this.#queue.withdraw(shopId, entry);
      fail(error);
    };
    timer = setTimeout(() => withdraw(new Error('timeout exceeded when trying to connect')), this.#timeoutMilliseconds);
    timer.unref();
    run?.endBy(() => withdraw(abandoned()));
  }

  #checkOut(shopId: QueueName, run: StatementRun | undefined, callback: ConnectCallback): ConnectCallback {
    let isAnswered = false;
    return (error, client, done) => {
      // pg-pool reports that the wait was too long, and still provides the connection later if it was being verified
      // meanwhile.
      if (isAnswered) return client?.release();
      isAnswered = true;
      if (client === undefined) {
        this.#queue.leave(shopId);
        return callback(error, client, done);
      }
      const { release } = client;
      const giveBack: PoolClient['release'] = (problem) => {
        run?.endBy();
        // The cancel request may arrive late and would then cancel the next statement on the connection.
        release(problem ?? run?.isAbandoned);
        this.#queue.leave(shopId);
      };
      client.release = giveBack;
      if (run?.isAbandoned) {
        // The statement never began: no cancel request is in flight.
        release();
        this.#queue.leave(shopId);
        return callback(abandoned(), undefined, () => undefined);
      }
      run?.endBy(() => sendCancelRequest(client));
      callback(error, client, giveBack);
    };
  }
}

const abandoned = (): Error => new Error('The statement was abandoned before it began');
