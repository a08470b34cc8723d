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
