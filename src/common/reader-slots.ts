import type { Holding } from './caller-ledger';
import { CallerLedger } from './caller-ledger';

/** A client that reads faster, on average over the time that the service waits for it, is never ended. */
const fastBytesPerSecond = 1_000_000;

/** Of a caller that has not read yet: faster than a slow one, slower than one that has shown to be fast. */
const presumedBytesPerSecond = 1_000 * fastBytesPerSecond;

/** The longest time for which a caller counts as slow: that of an export (`catalog/export/export-shop.ts`). */
const rememberedMilliseconds = 60 * 60_000;

/** A caller that only happens to be faster than the other does not end what it reads. */
const muchFaster = 2;

/**
 * What is taken before the service has waited this long is in buffers: a busy machine, too, keeps it waiting for a
 * while.
 */
const bufferingMilliseconds = 250;

/** How long a reader waits for a slot. */
export const readerPatienceMilliseconds = 5_000;
const lookMilliseconds = 50;

/**
 * How fast a client takes what is ready for it. Only time during which the service waits for it counts, so neither a
 * busy database nor a busy process makes a client slow.
 */
export class ReadingPace {
  #bytes = 0;
  #waitedMilliseconds = 0;
  #waitsSince: number | undefined;

  /** Passes on what is read, and measures how long that takes the reader. */
  async *measure(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, void> {
    for await (const chunk of chunks) {
      const since = performance.now();
      this.#waitsSince = since;
      yield chunk;
      this.#waitsSince = undefined;
      if (this.#waitedMilliseconds >= bufferingMilliseconds) this.#bytes += chunk.length;
      const waited = performance.now() - since;
      if (waited >= 1) this.#waitedMilliseconds += waited;
    }
  }

  /** Infinity for a client that reads as fast as the bytes are made, or nearly so. */
  get bytesPerSecond(): number {
    return this.credited < fastBytesPerSecond ? this.#bytes / this.#seconds() : Infinity;
  }

  /**
   * The same with a second's credit, for what is still read: the system takes bytes in steps of megabytes
   * (`http/server/guard-connections.ts`).
   */
  get credited(): number {
    return (this.#bytes + fastBytesPerSecond) / this.#seconds();
  }

  #seconds(): number {
    const waits = this.#waitsSince === undefined ? 0 : performance.now() - this.#waitsSince;
    return (this.#waitedMilliseconds + waits) / 1000;
  }
}

/** What is read in a slot. */
export interface Reader {
  readonly pace: ReadingPace;
  /** Ends it, because another caller needs the slot. */
  giveWay(): void;
  /** Whether its client has disconnected, or has its answer already. */
  isOver(): boolean;
}

interface ReaderSlotOptions {
  readonly maximum: number;
  /** Of one caller, at most. */
  readonly perCaller: number;
  /** What is thrown when no slot becomes free in time. */
  readonly createFullError: () => Error;
  /** What is thrown when the caller has its share, or waits already. Without it, the caller waits. */
  readonly createBusyError?: () => Error;
}

interface TakenSlot extends Holding {
  readonly reader: Reader;
}

interface Waiting {
  readonly caller: string;
  readonly reader: Reader;
  readonly since: number;
  start(leave: Leave): void;
  fail(error: Error): void;
}

/** Frees the slot, once. @param isComplete Whether all of it was read, not only a part. */
export type Leave = (isComplete?: boolean) => void;

/** What is known of a caller. */
interface Standing {
  /** Of what was read last, if it was slow; of the slow before it otherwise. */
  readonly bytesPerSecond: number;
  readonly since: number;
  /** How often its reads were ended since one of them was complete. */
  readonly timesGivenWay: number;
}

/**
 * Slots in which something is read that costs the service more than memory while its client reads: a connection to the
 * database and a snapshot. Callers, which are shops, share them:
 *
 * - Callers that have been slow have all slots but one. Of those that wait the fastest is the first, and of those that
 *   are as fast the one that came first.
 * - Where one waits and none is free, the slowest read is ended, if it is slow and much slower than the caller
 *   that waits is known to read; a new one is presumed to be fast. So callers cannot end each other in turns.
 * - Each read that is ended doubles the speed at which the next read of its caller is counted, until one is complete:
 *   slow callers do not end it forever, however many they are.
 */
export class ReaderSlots {
  readonly #options: ReaderSlotOptions;
  readonly #taken = new CallerLedger<TakenSlot>();
  readonly #standings = new Map<string, Standing>();
  #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ReaderSlotOptions) {
    this.#options = options;
  }

  /** @throws Error the busy error; the full one when no slot becomes free in time, or the reader is over */
  enter(caller: string, reader: Reader): Promise<Leave> {
    const { createBusyError } = this.#options;
    const waits = this.#waiting.some((other) => other.caller === caller);
    if (createBusyError !== undefined && (waits || !this.#hasShareLeft(caller))) {
      return Promise.reject(createBusyError());
    }
    return new Promise((start, fail) => {
      this.#waiting.push({ caller, reader, since: performance.now(), start, fail });
      this.#timer ??= setInterval(() => this.#look(), lookMilliseconds);
      this.#look();
    });
  }

  #look(): void {
    const { createFullError } = this.#options;
    const byPace = this.#waiting.map((waiting) => ({ waiting, pace: this.#paceOf(waiting.caller) }));
    // Stable: those that came first stay first.
    byPace.sort((left, right) => (left.pace === right.pace ? 0 : right.pace - left.pace));
    const settled = new Set<Waiting>();
    for (const { waiting, pace } of byPace) {
      const waited = performance.now() - waiting.since;
      if (waiting.reader.isOver() || waited > readerPatienceMilliseconds) waiting.fail(createFullError());
      else if (this.#canStart(waiting.caller, pace, waited)) waiting.start(this.#hold(waiting));
      else continue;
      settled.add(waiting);
    }
    this.#waiting = this.#waiting.filter((waiting) => !settled.has(waiting));
    if (this.#waiting.length > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #canStart(caller: string, pace: number, waited: number): boolean {
    if (!this.#hasShareLeft(caller)) return false;
    const { maximum } = this.#options;
    const slow = this.#taken.count((slot) => this.#isSlow(slot));
    const slotsOfItsKind = pace < fastBytesPerSecond ? Math.max(1, maximum - 1) - slow : maximum;
    if (this.#taken.size < maximum && slotsOfItsKind > 0) return true;
    // What is read fast may come to its end at any moment.
    if (slow < maximum && pace >= fastBytesPerSecond && waited < readerPatienceMilliseconds / 2) return false;
    return this.#taken.evict(1, ({ burden }) => muchFaster / (burden() as number) < pace) > 0;
  }

  #hasShareLeft(caller: string): boolean {
    return this.#taken.count((slot) => slot.caller() === caller) < this.#options.perCaller;
  }

  #isSlow({ caller, reader }: TakenSlot): boolean {
    return Math.min(reader.pace.bytesPerSecond, this.#paceOf(caller())) < fastBytesPerSecond;
  }

  #paceOf(caller: string): number {
    return this.#standingOf(caller)?.bytesPerSecond ?? presumedBytesPerSecond;
  }

  #standingOf(caller: string): Standing | undefined {
    const standing = this.#standings.get(caller);
    return standing !== undefined && performance.now() - standing.since < rememberedMilliseconds ? standing : undefined;
  }

  #hold({ caller, reader }: Waiting): Leave {
    const timesGivenWay = this.#standingOf(caller)?.timesGivenWay ?? 0;
    let hasLeft = false;
    const release = this.#taken.hold({
      caller: () => caller,
      amount: 1,
      reader,
      // The slower, the more: seconds for a byte.
      burden() {
        const pace = Math.min(reader.pace.credited * 2 ** timesGivenWay, fastBytesPerSecond);
        return reader.pace.credited < fastBytesPerSecond ? 1 / pace : undefined;
      },
      giveWay: () => {
        hasLeft = true;
        this.#remember(caller, reader, { timesGivenWay: timesGivenWay + 1 });
        reader.giveWay();
      },
    });
    return (isComplete = false) => {
      if (hasLeft) return;
      hasLeft = true;
      release();
      this.#remember(caller, reader, { timesGivenWay: isComplete ? 0 : timesGivenWay, isComplete });
      this.#look();
    };
  }

  #remember(
    caller: string,
    { pace }: Reader,
    { timesGivenWay, isComplete = false }: { readonly timesGivenWay: number; readonly isComplete?: boolean },
  ): void {
    // Who leaves early has not shown to be fast.
    if (pace.bytesPerSecond === Infinity && !isComplete) return;
    const known = this.#standingOf(caller);
    const isSlow = pace.bytesPerSecond < Infinity;
    const { bytesPerSecond, since } =
      isSlow || known === undefined ? { bytesPerSecond: pace.bytesPerSecond, since: performance.now() } : known;
    // At the end of the order: the oldest are forgotten.
    this.#standings.delete(caller);
    this.#standings.set(caller, { bytesPerSecond, since, timesGivenWay });
    for (const name of this.#standings.keys()) {
      if (this.#standingOf(name) !== undefined) break;
      this.#standings.delete(name);
    }
  }
}
