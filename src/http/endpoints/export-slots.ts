import { setTimeout as delay } from 'node:timers/promises';
import { createBusyError } from '../../catalog/export/export-shop';
import { ApiError } from '../../errors/api-error';
import type { Holding } from '../request/caller-ledger';
import { CallerLedger } from '../request/caller-ledger';

/** A client that keeps an export waiting for less reads as fast as the database writes, or nearly so. */
const leastWaitMilliseconds = 100;
/** How long a new export waits for its turn while all others are read that fast. */
const patienceMilliseconds = 1_000;
const lookMilliseconds = 20;
/** A shop whose export gave way does not take another's place at once: else they would end each other in turns. */
const graceMilliseconds = 60_000;

/**
 * The exports that a process may run at once: one of each shop. When another shop asks and none is free, the one gives
 * way whose client keeps the service waiting longest.
 */
export class ExportSlots {
  readonly #running = new CallerLedger();
  /** When the export of a shop gave way last. */
  readonly #gaveWayAt = new Map<string, number>();

  constructor(private readonly maximum: number) {}

  /**
   * @param isOver Whether the client of the new export has disconnected.
   * @returns what frees the slot
   * @throws ApiError RATE_LIMITED while the shop has an export; SERVICE_UNAVAILABLE when no slot becomes free
   */
  async enter(
    shopId: string,
    { waitsSince, giveWay }: Pick<Holding, 'waitsSince' | 'giveWay'>,
    isOver: () => boolean,
  ): Promise<() => void> {
    const until = performance.now() + patienceMilliseconds;
    while (!this.#hasRoomFor(shopId)) {
      if (isOver() || performance.now() > until || this.#hasGivenWay(shopId)) throw createFullError(this.maximum);
      await delay(lookMilliseconds);
    }
    return this.#running.hold({
      caller: () => shopId,
      amount: 1,
      waitsSince,
      giveWay: () => {
        this.#gaveWayAt.set(shopId, performance.now());
        giveWay();
      },
    });
  }

  #hasRoomFor(shopId: string): boolean {
    if (this.#running.isHeldBy(shopId)) throw createBusyError();
    if (this.#running.size < this.maximum) return true;
    return !this.#hasGivenWay(shopId) && this.#running.makeRoom(leastWaitMilliseconds) > 0;
  }

  #hasGivenWay(shopId: string): boolean {
    for (const [name, at] of this.#gaveWayAt) {
      if (performance.now() - at > graceMilliseconds) this.#gaveWayAt.delete(name);
    }
    return this.#gaveWayAt.has(shopId);
  }
}

const createFullError = (maximum: number): ApiError =>
  new ApiError(
    'SERVICE_UNAVAILABLE',
    `Expected at most ${maximum} exports at a time; that many are running. Try again later.`,
    { headers: { 'Retry-After': '10' } },
  );
