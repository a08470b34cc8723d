import type { Response } from 'express';
import type { Principal } from '../../../auth/principal';
import type { ChangeWatch } from '../../../catalog/change/change-watch';
import { burdenSince, CallerLedger } from '../../../common/caller-ledger';
import { FairQueue } from '../../../common/fair-queue';

/**
 * `late`: the time is over. `ended`: another shop needs the slot, the process is closing, or the client disconnected.
 */
export type WaitOutcome = 'changed' | 'late' | 'ended';

export interface WaitingOptions {
  readonly watch: ChangeWatch;
  /** Maximum number of clients waiting at the same time. */
  readonly maximum: number;
  /** Aborted when the process accepts no more requests. */
  readonly closing: AbortSignal;
}

/** Concurrent page reads for clients whose shop has changed: over all shops, and for one. */
const turns = { slots: 256, slotsPerQueue: 64, reservedSlots: 0, size: Infinity };

/** The share of the clients that is disconnected when there are too many. */
const shareToEnd = 0.01;

/**
 * The clients of a process that wait for changes. When there are too many, some of the shop with the most stop waiting,
 * so that one shop does not lock out others: the client gets a response without changes, or its stream ends, and it
 * reconnects.
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

  /** Registers the client of a response until that is closed. */
  enter(shopId: string, response: Response): WaitingClient {
    const client = new WaitingClient(shopId, this.options.watch, this.#queue);
    const since = performance.now();
    const caller = `shop:${shopId}`;
    const leave = this.#ledger.hold({
      caller: () => caller,
      amount: 1,
      burden: () => burdenSince(since),
      giveWay: () => client.end(),
    });
    this.#clients.add(client);
    response.on('close', () => {
      leave();
      this.#clients.delete(client);
      client.end();
    });
    const { maximum, closing } = this.options;
    if (closing.aborted) client.end();
    if (this.#ledger.size > maximum) this.#ledger.evict(Math.ceil(maximum * shareToEnd));
    return client;
  }
}

/** One client, which may wait repeatedly. */
class WaitingClient {
  #settle: ((outcome: WaitOutcome) => void) | undefined;
  #isEnded = false;

  constructor(
    private readonly shopId: string,
    private readonly watch: ChangeWatch,
    private readonly queue: FairQueue,
  ) {}

  /**
   * Waits until the version of the shop's data differs from the one in which the caller was authenticated. Without a
   * caller, only waits.
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

  /**
   * Runs a read when it is the shop's turn, because one change may wake thousands of clients.
   *
   * @returns undefined if the client's waits have ended by then
   */
  async inTurn<Result>(read: () => Promise<Result>): Promise<Result | undefined> {
    await new Promise<void>((start) => this.queue.enter(this.shopId, { start, refuse: start }));
    try {
      return this.#isEnded ? undefined : await read();
    } finally {
      this.queue.leave(this.shopId);
    }
  }

  /** Ends the current and all later waits. */
  end(): void {
    this.#isEnded = true;
    this.#settle?.('ended');
  }
}
