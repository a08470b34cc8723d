

/** An entry of the queue. Exactly one of the two methods is called, once, unless the entrant is withdrawn before. */
export interface Entrant {
  /** Starts the entrant, which is in progress until `leave` is called for it. */
  start(): void;
  /** The queue is full, and its lane is the longest one. */
  refuse(): void;
}

export interface FairQueueOptions {
  /** Maximum number in progress at the same time. */
  readonly slots: number;
  /** Maximum number of one lane in progress at the same time. The unnamed lane has no such bound. */
  readonly slotsPerLane: number;
  /** Slots that only the unnamed lane may take. */
  readonly reservedSlots: number;
  /** Maximum number waiting, over all lanes. */
  readonly size: number;
}

/** Undefined is the unnamed lane, for what belongs to no shop. */
export type LaneName = string | undefined;

interface Lane {
  running: number;
  /** In order of arrival. */
  readonly waiting: Set<Entrant>;
}

/**
 * Round robin over lanes (fair queueing, RFC 970). Each waiting lane starts one entrant at a time, so the first entrant
 * of a lane starts after at most one start of every other lane, however long those lanes are. When the queue is full,
 * the newest entrant of the longest lane is refused, so a lane cannot keep shorter ones out.
 */
export class FairQueue {
  readonly #options: FairQueueOptions;
  readonly #lanes = new Map<LaneName, Lane>();
  /** The waiting lanes, the next one to start first. */
  readonly #turns = new Map<LaneName, Lane>();
  #running = 0;
  #runningOfNamed = 0;
  #waiting = 0;

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Starts the entrant now, queues it, or refuses it. */
  enter(name: LaneName, entrant: Entrant): void {
    const lane = this.#lanes.get(name) ?? this.#addLane(name);
    // Anything else that waits cannot start either, or it would have started.
    if (this.#mayStart(name, lane)) return this.#start(name, lane, entrant);
    lane.waiting.add(entrant);
    this.#waiting += 1;
    if (lane.waiting.size === 1) this.#turns.set(name, lane);
    if (this.#waiting > this.#options.size) this.#refuseNewestOfLongest();
  }

  /** Removes a waiting entrant from the queue. Does nothing for any other. */
  withdraw(name: LaneName, entrant: Entrant): void {
    const lane = this.#lanes.get(name);
    if (lane?.waiting.delete(entrant) !== true) return;
    this.#waiting -= 1;
    if (lane.waiting.size === 0) this.#turns.delete(name);
    this.#dropIfEmpty(name, lane);
  }

  /** Marks an entrant of the lane as completed. */
  leave(name: LaneName): void {
    const lane = this.#lanes.get(name);
    if (lane === undefined) throw new Error('Nothing in this lane is in progress');
    lane.running -= 1;
    this.#running -= 1;
    if (name !== undefined) this.#runningOfNamed -= 1;
    this.#dropIfEmpty(name, lane);
    this.#startNext();
  }

  #startNext(): void {
    for (const [name, lane] of this.#turns) {
      if (!this.#mayStart(name, lane)) continue;
      const entrant = lane.waiting.values().next().value as Entrant;
      lane.waiting.delete(entrant);
      this.#waiting -= 1;
      // To the end of the round.
      this.#turns.delete(name);
      if (lane.waiting.size > 0) this.#turns.set(name, lane);
      return this.#start(name, lane, entrant);
    }
  }

  #mayStart(name: LaneName, lane: Lane): boolean {
    const { slots, slotsPerLane, reservedSlots } = this.#options;
    if (this.#running >= slots) return false;
    return name === undefined || (lane.running < slotsPerLane && this.#runningOfNamed < slots - reservedSlots);
  }

  #start(name: LaneName, lane: Lane, entrant: Entrant): void {
    lane.running += 1;
    this.#running += 1;
    if (name !== undefined) this.#runningOfNamed += 1;
    entrant.start();
  }

  /** Visits every waiting lane, which happens only under overload. */
  #refuseNewestOfLongest(): void {
    let [longestName, longest] = [...this.#turns][0] as [LaneName, Lane];
    for (const [name, lane] of this.#turns) {
      // Of lanes of equal length, the last one.
      if (lane.waiting.size >= longest.waiting.size) [longestName, longest] = [name, lane];
    }
    const newest = [...longest.waiting].at(-1) as Entrant;
    this.withdraw(longestName, newest);
    newest.refuse();
  }

  #addLane(name: LaneName): Lane {
    const lane = { running: 0, waiting: new Set<Entrant>() };
    this.#lanes.set(name, lane);
    return lane;
  }

  #dropIfEmpty(name: LaneName, lane: Lane): void {
    if (lane.running === 0 && lane.waiting.size === 0) this.#lanes.delete(name);
  }
}

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
