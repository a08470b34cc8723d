/** An entry of the queue. Exactly one of the two methods is called, once, unless the entry is withdrawn before. */
export interface QueueEntry {
  /** Starts the entry, which is in progress until `leave` is called for it. */
  start(): void;
  /** Called when the total size is exceeded and its queue is the longest one. */
  refuse(): void;
}

export interface FairQueueOptions {
  /** Maximum number in progress at the same time. */
  readonly slots: number;
  /** Maximum number of one queue in progress at the same time. The unnamed queue has no such bound. */
  readonly slotsPerQueue: number;
  /** Slots that only the unnamed queue may take. */
  readonly reservedSlots: number;
  /** Maximum number waiting, over all queues. */
  readonly size: number;
}

/** Undefined is the unnamed queue, for work that belongs to no shop. */
export type QueueName = string | undefined;

interface ShopQueue {
  running: number;
  /** In order of arrival. */
  readonly waiting: Set<QueueEntry>;
}

/**
 * Round robin over queues (fair queueing, RFC 970). Each waiting queue starts one entry at a time, so the first entry
 * of a queue starts after at most one start of every other queue, however long those queues are. When too many entries
 * wait, the newest entry of the longest queue is refused, so that queue cannot lock out shorter ones.
 */
export class FairQueue {
  readonly #options: FairQueueOptions;
  readonly #queues = new Map<QueueName, ShopQueue>();
  /** The waiting queues, the next one to start first. */
  readonly #turns = new Map<QueueName, ShopQueue>();
  #running = 0;
  #runningOfNamed = 0;
  #waiting = 0;

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Starts the entry now, queues it, or refuses it. */
  enter(name: QueueName, entry: QueueEntry): void {
    const queue = this.#queues.get(name) ?? this.#addQueue(name);
    // Anything else that waits cannot start either, or it would have started.
    if (this.#mayStart(name, queue)) return this.#start(name, queue, entry);
    queue.waiting.add(entry);
    this.#waiting += 1;
    if (queue.waiting.size === 1) this.#turns.set(name, queue);
    if (this.#waiting > this.#options.size) this.#refuseNewestOfLongest();
  }

  /** Removes a waiting entry from the queue. Does nothing for any other. */
  withdraw(name: QueueName, entry: QueueEntry): void {
    const queue = this.#queues.get(name);
    if (queue?.waiting.delete(entry) !== true) return;
    this.#waiting -= 1;
    if (queue.waiting.size === 0) this.#turns.delete(name);
    this.#dropIfEmpty(name, queue);
  }

  /** Marks an entry of the queue as completed. */
  leave(name: QueueName): void {
    const queue = this.#queues.get(name);
    if (queue === undefined) throw new Error('Nothing of this queue is in progress');
    queue.running -= 1;
    this.#running -= 1;
    if (name !== undefined) this.#runningOfNamed -= 1;
    this.#dropIfEmpty(name, queue);
    this.#startNext();
  }

  #startNext(): void {
    for (const [name, queue] of this.#turns) {
      if (!this.#mayStart(name, queue)) continue;
      const entry = queue.waiting.values().next().value as QueueEntry;
      queue.waiting.delete(entry);
      this.#waiting -= 1;
      // To the end of the round.
      this.#turns.delete(name);
      if (queue.waiting.size > 0) this.#turns.set(name, queue);
      return this.#start(name, queue, entry);
    }
  }

  #mayStart(name: QueueName, queue: ShopQueue): boolean {
    const { slots, slotsPerQueue, reservedSlots } = this.#options;
    if (this.#running >= slots) return false;
    return name === undefined || (queue.running < slotsPerQueue && this.#runningOfNamed < slots - reservedSlots);
  }

  #start(name: QueueName, queue: ShopQueue, entry: QueueEntry): void {
    queue.running += 1;
    this.#running += 1;
    if (name !== undefined) this.#runningOfNamed += 1;
    entry.start();
  }

  /** Visits every waiting queue, which happens only under overload. */
  #refuseNewestOfLongest(): void {
    let [longestName, longest] = [...this.#turns][0] as [QueueName, ShopQueue];
    for (const [name, queue] of this.#turns) {
      // If several are equally long, the last one.
      if (queue.waiting.size >= longest.waiting.size) [longestName, longest] = [name, queue];
    }
    const newest = [...longest.waiting].at(-1) as QueueEntry;
    this.withdraw(longestName, newest);
    newest.refuse();
  }

  #addQueue(name: QueueName): ShopQueue {
    const queue = { running: 0, waiting: new Set<QueueEntry>() };
    this.#queues.set(name, queue);
    return queue;
  }

  #dropIfEmpty(name: QueueName, queue: ShopQueue): void {
    if (queue.running === 0 && queue.waiting.size === 0) this.#queues.delete(name);
  }
}

interface Patience {
  /** The longest wait of an entry. */
  readonly milliseconds: number;
  /** Ends the waiting. */
  readonly signal: AbortSignal;
  /** What is thrown when no slot becomes free in time. */
  createError(): Error;
}

/** Waits for a slot of the queue. @returns a function that frees it, to be called once */
export const enterInTime = (
  queue: FairQueue,
  name: QueueName,
  { milliseconds, signal, createError }: Patience,
): Promise<() => void> =>
  new Promise((resolve, reject) => {
    const stopWaiting = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', refuse);
    };
    const refuse = (): void => {
      stopWaiting();
      queue.withdraw(name, entry);
      reject(createError());
    };
    const start = (): void => {
      stopWaiting();
      resolve(() => queue.leave(name));
    };
    const entry = { start, refuse };
    const timer = setTimeout(refuse, milliseconds);
    signal.addEventListener('abort', refuse);
    queue.enter(name, entry);
  });

/**
 * One queue per process, because a process has one event loop: each entry gets its own turn of the loop, and queues are
 * scheduled round robin.
 */
const queue = new FairQueue({ slots: 1, slotsPerQueue: 1, reservedSlots: 0, size: Infinity });

/**
 * Resolves in a turn of the event loop in which nothing else from this queue does. So anything that arrives at the
 * process waits for at most one piece of such work (docs/decisions.md 67).
 * @param name Usually a shop's id: queues take turns round robin, however much waits in each.
 */
export const yieldToLoop = (name: QueueName): Promise<void> =>
  new Promise((resolve) =>
    queue.enter(name, {
      // An immediate that an immediate sets runs only after the next iteration of the loop.
      start: () =>
        setImmediate(() => {
          queue.leave(name);
          resolve();
        }),
      refuse: () => undefined, // The queue is unbounded.
    }),
  );

/** Objects of a response that are created without a pause: a few milliseconds of graphql-js. */
export const objectsPerPiece = 50;
/** How long all operations together work in one turn of the event loop, before the next one has to wait. */
const millisecondsPerTurn = 5;
let turnEndsAt: number | undefined;

function isTurnOver(): boolean {
  const now = performance.now();
  if (turnEndsAt === undefined) setImmediate(() => (turnEndsAt = undefined));
  turnEndsAt ??= now + millisecondsPerTurn;
  return now > turnEndsAt;
}

interface PausedWork {
  readonly objects: number;
  proceed(): void;
  fail(error: Error): void;
}

/**
 * Pauses in the work for one operation. Work that fits into one turn of the event loop, beside that of other
 * operations, never waits; the rest runs in pieces.
 */
export class WorkPauses {
  readonly #queue: QueueName;
  #left = objectsPerPiece;
  #waiting: PausedWork[] = [];
  #hasWaited = false;
  #afterAll: (() => void)[] = [];
  #failure: Error | undefined;

  /** @param queue The queue of the operation. */
  constructor(queue: QueueName) {
    this.#queue = queue;
  }

  /** Whether the operation was too large for one turn. */
  get hasWaited(): boolean {
    return this.#hasWaited;
  }

  /** Ends the operation at its next step: every wait for a turn is rejected, current or future. */
  fail(error: Error): void {
    this.#failure = error;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { fail } of waiting) fail(error);
  }

  /** @throws the error with which the operation was ended */
  check(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /**
   * Call before working on this many objects.
   * @returns A promise to wait for first; undefined when the work can continue immediately.
   */
  take(objects: number): Promise<void> | undefined {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.#left > 0 && this.#waiting.length === 0 && !isTurnOver()) {
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
    // Like DataLoader itself: after the promises that are already settled, some of which may request a turn.
    void Promise.resolve().then(() =>
      process.nextTick(() => (this.#waiting.length > 0 ? this.#afterAll.push(callback) : callback())),
    );
  }

  /** The next turn, however little was done in this one. */
  next(): Promise<void> {
    this.#left = 0;
    return this.take(0) as Promise<void>;
  }

  #askForTurn(): void {
    this.#hasWaited = true;
    void yieldToLoop(this.#queue).then(() => {
      this.#left = objectsPerPiece;
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
