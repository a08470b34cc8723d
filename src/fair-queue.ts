/** What waits for its turn. Exactly one of the two is called, once, unless it withdraws before. */
export interface Entrant {
  /** It is under way from now on, until `leave` is called for it. */
  start(): void;
  /** The queue is full, and its lane is the longest one. */
  refuse(): void;
}

export interface FairQueueOptions {
  /** What may be under way at once. */
  readonly slots: number;
  /** What one lane may have under way at once. The lane without a name has no such bound. */
  readonly slotsPerLane: number;
  /** Slots that only the lane without a name may take. */
  readonly reservedSlots: number;
  /** What may wait, over all lanes. */
  readonly size: number;
}

/** Undefined is the lane without a name: what belongs to no shop. */
export type LaneName = string | undefined;

interface Lane {
  underWay: number;
  /** In the order in which they came. */
  readonly waiting: Set<Entrant>;
}

/**
 * Round robin over lanes (fair queueing, RFC 970). Of the lanes that wait, each starts one entrant in turn, so the first entrant of
 * a lane starts after at most one start of every other lane, however long those lanes are. When the queue is full, the newest entrant
 * of the longest lane is refused, so a lane cannot keep shorter ones out.
 */
export class FairQueue {
  readonly #options: FairQueueOptions;
  readonly #lanes = new Map<LaneName, Lane>();
  /** The lanes in which something waits, the one whose turn is next first. */
  readonly #turns = new Map<LaneName, Lane>();
  #underWay = 0;
  #underWayOfNamed = 0;
  #waiting = 0;

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Starts the entrant now, lets it wait, or refuses it. */
  enter(name: LaneName, entrant: Entrant): void {
    const lane = this.#lanes.get(name) ?? this.#addLane(name);
    // Whatever else waits could not start either, or it would have.
    if (this.#mayStart(name, lane)) return this.#start(name, lane, entrant);
    lane.waiting.add(entrant);
    this.#waiting += 1;
    if (lane.waiting.size === 1) this.#turns.set(name, lane);
    if (this.#waiting > this.#options.size) this.#refuseNewestOfLongest();
  }

  /** Takes an entrant that waits out of the queue. Does nothing to one that does not. */
  withdraw(name: LaneName, entrant: Entrant): void {
    const lane = this.#lanes.get(name);
    if (lane?.waiting.delete(entrant) !== true) return;
    this.#waiting -= 1;
    if (lane.waiting.size === 0) this.#turns.delete(name);
    this.#dropIfEmpty(name, lane);
  }

  /** An entrant of the lane is no longer under way. */
  leave(name: LaneName): void {
    const lane = this.#lanes.get(name);
    if (lane === undefined) throw new Error('Nothing of this lane is under way');
    lane.underWay -= 1;
    this.#underWay -= 1;
    if (name !== undefined) this.#underWayOfNamed -= 1;
    this.#dropIfEmpty(name, lane);
    this.#startNext();
  }

  #startNext(): void {
    for (const [name, lane] of this.#turns) {
      if (!this.#mayStart(name, lane)) continue;
      const entrant = lane.waiting.values().next().value as Entrant;
      lane.waiting.delete(entrant);
      this.#waiting -= 1;
      // To the end of the turns.
      this.#turns.delete(name);
      if (lane.waiting.size > 0) this.#turns.set(name, lane);
      return this.#start(name, lane, entrant);
    }
  }

  #mayStart(name: LaneName, lane: Lane): boolean {
    const { slots, slotsPerLane, reservedSlots } = this.#options;
    if (this.#underWay >= slots) return false;
    return name === undefined || (lane.underWay < slotsPerLane && this.#underWayOfNamed < slots - reservedSlots);
  }

  #start(name: LaneName, lane: Lane, entrant: Entrant): void {
    lane.underWay += 1;
    this.#underWay += 1;
    if (name !== undefined) this.#underWayOfNamed += 1;
    entrant.start();
  }

  /** Looks at every lane that waits, which happens under overload only. */
  #refuseNewestOfLongest(): void {
    let [longestName, longest] = [...this.#turns][0] as [LaneName, Lane];
    for (const [name, lane] of this.#turns) {
      // Of equally long ones the last to come.
      if (lane.waiting.size >= longest.waiting.size) [longestName, longest] = [name, lane];
    }
    const newest = [...longest.waiting].at(-1) as Entrant;
    this.withdraw(longestName, newest);
    newest.refuse();
  }

  #addLane(name: LaneName): Lane {
    const lane = { underWay: 0, waiting: new Set<Entrant>() };
    this.#lanes.set(name, lane);
    return lane;
  }

  #dropIfEmpty(name: LaneName, lane: Lane): void {
    if (lane.underWay === 0 && lane.waiting.size === 0) this.#lanes.delete(name);
  }
}
