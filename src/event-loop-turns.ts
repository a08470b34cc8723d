import type { LaneName } from './fair-queue';
import { FairQueue } from './fair-queue';

/** Of this process, because its event loop is one: whatever waits here runs alone in its turn of the loop, in turn by lane. */
const queue = new FairQueue({ slots: 1, slotsPerLane: 1, reservedSlots: 0, size: Infinity });

/**
 * Starts long work in a turn of the event loop in which nothing else starts that came this way, so that whatever arrives at the process
 * waits for one piece of such work at most (docs/decisions.md 67).
 * @param lane Usually a shop's id: lanes start in turn, however much waits in each.
 */
export function startInOwnTurn(lane: LaneName, start: () => void): void {
  queue.enter(lane, {
    // Of immediates that are set by an immediate none runs before the loop has been around.
    start: () =>
      setImmediate(() => {
        queue.leave(lane);
        start();
      }),
    refuse: () => undefined, // The queue has no end.
  });
}

/** Resolves in such a turn. */
export const ownTurn = (lane: LaneName): Promise<void> => new Promise((resolve) => startInOwnTurn(lane, resolve));

/** Objects of an answer that are made without a pause: some milliseconds where graphql-js does it. */
const objectsPerTurn = 100;

interface Waiting {
  readonly objects: number;
  proceed(): void;
}

/**
 * The pauses in the work for one operation. What fits into one turn of the event loop never waits; the rest is done piece by piece.
 */
export class WorkTurns {
  readonly #lane: LaneName;
  #left = objectsPerTurn;
  #waiting: Waiting[] = [];
  #hasWaited = false;
  #afterAll: (() => void)[] = [];

  /** @param lane Whose operation it is. */
  constructor(lane: LaneName) {
    this.#lane = lane;
  }

  /** Whether the operation was too large for one turn. */
  get hasWaited(): boolean {
    return this.#hasWaited;
  }

  /**
   * To be called before so many objects are worked on.
   * @returns What to wait for first; undefined when the work can go on at once.
   */
  take(objects: number): Promise<void> | undefined {
    if (this.#left > 0 && this.#waiting.length === 0) {
      this.#left -= objects;
      return undefined;
    }
    return new Promise((proceed) => {
      this.#waiting.push({ objects, proceed });
      if (this.#waiting.length === 1) this.#askForTurn();
    });
  }

  /**
   * Calls back when nothing of the operation waits for a turn and what went on has asked for all it needs: when a loader is to load
   * what was asked for in one go, whatever number of turns that took.
   */
  afterAll(callback: () => void): void {
    // As DataLoader does it itself: behind the promises that are settled by now.
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
      // What went on may have to wait again.
      for (const callback of callbacks) setImmediate(() => this.afterAll(callback));
    });
  }
}
