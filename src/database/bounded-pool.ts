import type { PoolClient, PoolConfig } from 'pg';
import { Pool } from 'pg';
import type { Entrant, LaneName } from '../fair-queue';
import { FairQueue } from '../fair-queue';
import type { StatementRun } from './statement-run';

/** The queue for connections is full: nobody asked the database. */
export class PoolOverloadError extends Error {
  override readonly name = 'PoolOverloadError';
}

type ConnectCallback = (error: Error | undefined, client: PoolClient | undefined, done: () => void) => void;

interface BoundedPoolConfig extends PoolConfig {
  /** Connections at most. */
  readonly max: number;
  /** The longest wait for a turn, and then again for a new connection. */
  readonly connectionTimeoutMillis: number;
}

/**
 * Connections that statements of one shop may take: a third, which leaves processors of the database to others. And those kept for what
 * belongs to no shop: above all the reads of keys, which every request begins with (docs/decisions.md 40).
 */
export const shareOut = (poolSize: number): { readonly perShop: number; readonly reserved: number } => ({
  perShop: Math.max(1, Math.round(poolSize / 3)),
  reserved: poolSize >= 3 ? 1 : 0,
});

/**
 * A pool whose connections are given out in turn: statements wait in a queue per shop, and one shop has a part of the connections at
 * most (docs/decisions.md 40).
 *
 * It refuses at once what it could not serve in time. Without a bound every caller waits until the time-out, the answers come when
 * nobody reads them any more, and the callers' second attempts join the queue: load beyond capacity would end in answering nobody,
 * instead of answering as many as there is capacity for.
 */
export class BoundedPool extends Pool {
  readonly #queue: FairQueue;
  readonly #timeoutMilliseconds: number;
  #shopId: LaneName;
  #run: StatementRun | undefined;

  constructor(config: BoundedPoolConfig, queueSize: number) {
    super(config);
    const { perShop, reserved } = shareOut(config.max);
    this.#queue = new FairQueue({
      slots: config.max,
      slotsPerLane: perShop,
      reservedSlots: reserved,
      size: queueSize,
    });
    this.#timeoutMilliseconds = config.connectionTimeoutMillis;
  }

  /** Statements that wait for a connection. */
  countWaiting(): number {
    return this.#queue.waiting + this.waitingCount;
  }

  /** The statement that `start` hands to the pool, before it returns, is this shop's and this run's. */
  startFor<Result>(shopId: LaneName, run: StatementRun | undefined, start: () => Result): Result {
    this.#shopId = shopId;
    this.#run = run;
    try {
      return start();
    } finally {
      this.#shopId = undefined;
      this.#run = undefined;
    }
  }

  // pg's own `query` comes through here too, with a callback.
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
    const entrant: Entrant = {
      start: () => {
        stopWaiting();
        super.connect(this.#checkOut(shopId, run, callback) as Parameters<Pool['connect']>[0]);
      },
      refuse: () => fail(new PoolOverloadError(`${this.countWaiting()} statements wait for a connection already`)),
    };
    this.#queue.enter(shopId, entrant);
    if (!isWaiting) return;
    const withdraw = (error: Error): void => {
      if (!isWaiting) return;
      this.#queue.withdraw(shopId, entrant);
      fail(error);
    };
    timer = setTimeout(() => withdraw(new Error('timeout exceeded when trying to connect')), this.#timeoutMilliseconds);
    timer.unref();
    run?.waitFor(() => withdraw(abandoned()));
  }

  #checkOut(shopId: LaneName, run: StatementRun | undefined, callback: ConnectCallback): ConnectCallback {
    let isAnswered = false;
    return (error, client, done) => {
      // pg-pool says that the wait was too long, and later gives the connection after all when it was being verified meanwhile.
      if (isAnswered) return client?.release();
      isAnswered = true;
      if (client === undefined) {
        this.#queue.leave(shopId);
        return callback(error, client, done);
      }
      const { release } = client;
      const giveBack: PoolClient['release'] = (problem) => {
        run?.end();
        // The request to cancel may come late, and would hit what runs on the connection next.
        release(problem ?? run?.isAbandoned);
        this.#queue.leave(shopId);
      };
      client.release = giveBack;
      if (run?.isAbandoned) {
        // It never began: no request to cancel is under way.
        release();
        this.#queue.leave(shopId);
        return callback(abandoned(), undefined, () => undefined);
      }
      run?.begin(client);
      callback(error, client, giveBack);
    };
  }
}

const abandoned = (): Error => new Error('The statement was abandoned before it began');
