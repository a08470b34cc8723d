import type { LaneName } from './fair-queue';
import { FairQueue } from './fair-queue';

/**
 * One queue per process, because a process has one event loop: an entrant runs alone in its turn of the loop, and lanes
 * are scheduled round robin.
 */
const queue = new FairQueue({ slots: 1, slotsPerLane: 1, reservedSlots: 0, size: Infinity });

/**
 * Starts long work in a turn of the event loop in which nothing else from this queue starts. So anything that arrives
 * at the process waits for at most one piece of such work (docs/decisions.md 67).
 * @param lane Usually a shop's id: lanes start round robin, however much waits in each.
 */
export function startInOwnTurn(lane: LaneName, start: () => void): void {
  queue.enter(lane, {
    // An immediate that an immediate sets runs only after the next iteration of the loop.
    start: () =>
      setImmediate(() => {
        queue.leave(lane);
        start();
      }),
    refuse: () => undefined, // The queue is unbounded.
  });
}

/** Resolves in such a turn. */
export const ownTurn = (lane: LaneName): Promise<void> => new Promise((resolve) => startInOwnTurn(lane, resolve));

/** Objects of an answer that are created without a pause: some milliseconds when graphql-js does it. */
const objectsPerTurn = 100;

interface Waiting {
  readonly objects: number;
  proceed(): void;
  fail(error: Error): void;
}

/**
 * Pauses in the work for one operation. Work that fits into one turn of the event loop never waits; the rest runs in
 * pieces.
 */
export class WorkTurns {
  readonly #lane: LaneName;
  #left = objectsPerTurn;
  #waiting: Waiting[] = [];
  #hasWaited = false;
  #afterAll: (() => void)[] = [];
  #failure: Error | undefined;

  /** @param lane The lane of the operation. */
  constructor(lane: LaneName) {
    this.#lane = lane;
  }

  /** Whether the operation was too large for one turn. */
  get hasWaited(): boolean {
    return this.#hasWaited;
  }

  /** Ends the operation at its next step: whatever waits for a turn, or asks for one, is rejected. */
  fail(error: Error): void {
    this.#failure = error;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { fail } of waiting) fail(error);
  }

  /** @throws Error what the operation was ended with */
  check(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /**
   * Call before working on this many objects.
   * @returns A promise to wait for first; undefined when the work can continue immediately.
   */
  take(objects: number): Promise<void> | undefined {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.#left > 0 && this.#waiting.length === 0) {
      this.#left -= objects;
      return undefined;
    }
    return new Promise((proceed, fail) => {
      this.#waiting.push({ objects, proceed, fail });
      if (this.#waiting.length === 1) this.#askForTurn();
    });
  }

  /**
   * Calls back when no part of the operation waits for a turn and the parts that continued have requested everything
   * they need. Loaders use it to load in one batch what was requested over any number of turns.
   */
  afterAll(callback: () => void): void {
    // As DataLoader itself does: after the promises that are settled by now.
    if (this.#waiting.length === 0) void Promise.resolve().then(() => process.nextTick(callback));
    else this.#afterAll.push(callback);
  }

  /** The next turn, however little was done in this one. */
  next(): Promise<void> {
    this.#left = 0;
    return this.take(0) as Promise<void>;
  }

  #askForTurn(): void {
    this.#hasWaited = true;
    startInOwnTurn(this.#lane, () => {
      this.#left = objectsPerTurn;
      const waiting = this.#waiting;
      let started = 0;
      for (const { objects, proceed } of waiting) {
        if (this.#left <= 0) break;
        this.#left -= objects;
        started += 1;
        proceed();
      }
      this.#waiting = waiting.slice(started);
      if (this.#waiting.length > 0) return this.#askForTurn();
      const callbacks = this.#afterAll;
      this.#afterAll = [];
      // A part that continued may have to wait again.
      for (const callback of callbacks) setImmediate(() => this.afterAll(callback));
    });
  }
}
