import DataLoader from 'dataloader';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import type { Client, PoolClient, PoolConfig } from 'pg';
import type { Cancellation } from '../common/cancellation';
import { Pool } from 'pg';
import type { QueueEntry, QueueName } from '../common/fair-queue';
import { FairQueue } from '../common/fair-queue';

/** "Cancel", sent in place of a protocol version (PostgreSQL, "Message Formats": CancelRequest). */
const cancelRequestCode = 80_877_102;

/**
 * Requests cancellation of the statement that runs on a connection. The request needs a separate connection without a
 * login. The server sends no response, and if the request is lost, the statement's time limit still applies. It is sent
 * unencrypted, as libpq does: a reader of it can cancel what runs on the connection, which is about to be closed.
 */
export function sendCancelRequest({ processID, secretKey, connection, host, port }: Client): void {
  const request = Buffer.alloc(16);
  for (const [index, word] of [request.length, cancelRequestCode, processID, secretKey].entries()) {
    request.writeInt32BE(word | 0, index * 4);
  }
  // One host name may lead to several servers; only the one at the other end of this connection knows the numbers.
  const { remoteAddress, remotePort } = connection.stream as Socket;
  const socket =
    remoteAddress === undefined || remotePort === undefined
      ? connect({ path: `${host}/.s.PGSQL.${port}` })
      : connect({ host: remoteAddress, port: remotePort });
  socket.on('error', () => socket.destroy());
  socket.setTimeout(cancelMilliseconds, () => socket.destroy());
  socket.unref().resume().end(request);
}

const cancelMilliseconds = 1000;

/** One run of a statement through the pool. Its caller may abandon it: then it never begins, or is canceled. */
export class StatementRun {
  #cancel: (() => void) | undefined;
  isAbandoned = false;

  /**
   * Sets how to end the statement from now on: while it is queued, while it runs, or, without a function, not at all.
   */
  endBy(cancel?: () => void): void {
    this.#cancel = cancel;
  }

  abandon(): void {
    this.isAbandoned = true;
    this.#cancel?.();
  }
}

/**
 * Runs a statement until its cancellation.
 * @param start Passes the statement to the pool; the pool must know the run.
 * @throws the reason of the cancellation, as soon as it occurs
 */
export function runUntilCanceled<Result>(
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
 * timeout, responses would arrive after their clients had left, and retries would join the queue. Under
 * overload no caller would then be served, instead of as many as capacity allows.
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
        else reject(error ?? new Error('No database connection became available'));
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
        fail(new PoolOverloadError(`the queue for connections is full (statements waiting: ${this.countWaiting()})`)),
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

const abandoned = (): Error => new Error('The statement was canceled before it started');

interface CoalescedReadOptions<Key, Value> {
  /**
   * Reads many keys with one statement; results are in the order of the keys. An error is thrown only to the caller of
   * its key.
   */
  readonly readMany: (keys: readonly Key[]) => Promise<readonly (Value | Error)[]>;
  readonly maximumKeys: number;
  /** Maximum number of statements in flight; further keys wait for one to finish. */
  readonly maximumInFlight: number;
  /** A statement that hangs delays the keys behind it no longer than this. */
  readonly maximumDelayMilliseconds: number;
}

/**
 * Calls that arrive close together, or while other reads are in flight, share a statement. The statement always begins
 * after the calls that it answers, and nothing is cached, so sharing never makes a result older.
 */
export function createCoalescedRead<Key, Value>(
  options: CoalescedReadOptions<Key, Value>,
): (key: Key) => Promise<Value> {
  const { readMany, maximumKeys, maximumInFlight, maximumDelayMilliseconds } = options;
  const waiting = new Set<() => void>();
  let inFlight = 0;

  const startWaiting = () => {
    for (const start of waiting) {
      if (inFlight >= maximumInFlight) return;
      start();
    }
  };

  const loader = new DataLoader<Key, Value>(
    async (keys) => {
      inFlight += 1;
      try {
        return await readMany(keys);
      } finally {
        inFlight -= 1;
        startWaiting();
      }
    },
    {
      cache: false,
      maxBatchSize: maximumKeys,
      // Called when the first key of a batch arrives; the batch collects keys until `dispatch`.
      batchScheduleFn(dispatch) {
        const start = () => {
          clearTimeout(timer);
          waiting.delete(start);
          dispatch();
        };
        const timer = setTimeout(start, maximumDelayMilliseconds);
        waiting.add(start);
        // After the sockets have been polled, so that requests that arrived together are all included.
        setImmediate(startWaiting);
      },
    },
  );
  return (key) => loader.load(key);
}
