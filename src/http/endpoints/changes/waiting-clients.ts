import type { Response } from 'express';
import type { Principal } from '../../../auth/principal';
import type { ChangeWatch } from '../../../catalog/change/change-watch';
import { burdenSince, CallerLedger } from '../../../common/caller-ledger';
import { FairQueue } from '../../../common/fair-queue';

/** `late`: the time is over. `ended`: another shop needs the place, the process ends, or the client disconnected. */
export type WaitOutcome = 'changed' | 'late' | 'ended';

export interface WaitingOptions {
  readonly watch: ChangeWatch;
  /** Clients of a process that may wait at a time. */
  readonly maximum: number;
  /** Aborted when the process accepts no more requests. */
  readonly closing: AbortSignal;
}

/** Pages that are read at a time for clients whose shop has changed: over all shops, and of one. */
const turns = { slots: 32, slotsPerQueue: 8, reservedSlots: 0, size: Infinity };

/** The share of the clients that is disconnected when there are too many. */
const shareToEnd = 0.01;

/**
 * The clients of a process that wait for changes. When there are too many, some of the shop with most of them stop
 * waiting, so that one shop does not keep others out: to a client that is an answer without changes, or the end of a
 * stream, after which it comes again.
 */
export class WaitingClients {
  readonly #ledger = new CallerLedger();
  readonly #queue = new FairQueue(turns);
  readonly #clients = new Set<WaitingClient>();

  constructor(private readonly options: WaitingOptions) {
    options.closing.addEventListener('abort', () => {
      for (const client of [...this.#clients]) client.end();
    });
  }

  /** A place for the client of a response, until that is closed. */
  enter(shopId: string, response: Response): WaitingClient {
    const client = new WaitingClient(this.options.watch);
    const since = performance.now();
    const caller = `shop:${shopId}`;
    const leave = this.#ledger.hold({
      caller: () => caller,
      amount: 1,
      burden: () => burdenSince(since),
      giveWay: () => client.end(),
    });
    this.#clients.add(client);
    response.once('close', () => {
      leave();
      this.#clients.delete(client);
      client.end();
    });
    const { maximum, closing } = this.options;
    if (closing.aborted) client.end();
    if (this.#ledger.size > maximum) this.#ledger.evict(Math.ceil(maximum * shareToEnd));
    return client;
  }

  /** Runs a read when it is the shop's turn, because one change may wake thousands of clients. */
  async inTurn<Result>(shopId: string, read: () => Promise<Result>): Promise<Result> {
    await new Promise<void>((start) => this.#queue.enter(shopId, { start, refuse: start }));
    try {
      return await read();
    } finally {
      this.#queue.leave(shopId);
    }
  }
}

/** One client, which may wait repeatedly. */
export class WaitingClient {
  #settle: ((outcome: WaitOutcome) => void) | undefined;
  #isEnded = false;

  constructor(private readonly watch: ChangeWatch) {}

  /**
   * Waits until the data of the caller's shop have another version than the one in which it was authenticated. Without
   * a caller it only waits.
   */
  wait(caller: Principal | undefined, milliseconds: number): Promise<WaitOutcome> {
    if (this.#isEnded) return Promise.resolve('ended');
    return new Promise((resolve) => {
      const settle = (outcome: WaitOutcome): void => {
        this.#settle = undefined;
        clearTimeout(timer);
        unwatch?.();
        resolve(outcome);
      };
      this.#settle = settle;
      const timer = setTimeout(() => settle('late'), milliseconds);
      const unwatch = caller && this.watch.watch(caller.shop.id, caller.dataVersion, () => settle('changed'));
    });
  }

  /** Ends the current and all later waits. */
  end(): void {
    this.#isEnded = true;
    this.#settle?.('ended');
  }
}
