import type { Leave } from '../../src/common/reader-slots';
import { ReaderSlots, readerPatienceMilliseconds, ReadingPace } from '../../src/common/reader-slots';
import { fc } from '../support/properties';

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] }));
afterEach(() => void jest.useRealTimers());

/** Lets promises settle, and time pass. */
async function pass(milliseconds: number): Promise<void> {
  await jest.advanceTimersByTimeAsync(milliseconds);
}

const chunkBytes = 256 * 1024;
/** What the system takes before a client has read anything. */
const bufferedBytes = 4 * 1024 * 1024;

interface ClientOptions {
  readonly bytesPerSecond: number;
  readonly bytes: number;
}

/** A shop that exports, reads at its own speed, and asks again a second after it was refused or ended. */
class Client {
  complete = 0;
  ended = 0;
  refused = 0;
  /** The longest time without a slot, in milliseconds. */
  longestWait = 0;
  isStopped = false;
  #end = (): void => undefined;

  constructor(
    private readonly slots: ReaderSlots,
    readonly name: string,
    private readonly options: ClientOptions,
  ) {}

  stop(): void {
    this.isStopped = true;
    this.#end();
  }

  async askAgainAndAgain(pauseMilliseconds = 1_000): Promise<void> {
    while (!this.isStopped) {
      await this.ask();
      await new Promise((resolve) => setTimeout(resolve, pauseMilliseconds));
    }
  }

  async ask(): Promise<void> {
    let isOver = false;
    const ended = new Promise<void>((resolve) => (this.#end = resolve));
    const pace = new ReadingPace();
    const since = performance.now();
    let leave: Leave;
    try {
      leave = await this.slots.enter(this.name, {
        pace,
        giveWay: () => {
          isOver = true;
          this.#end();
        },
        isOver: () => isOver,
      });
    } catch {
      this.refused += 1;
      return;
    } finally {
      this.longestWait = Math.max(this.longestWait, performance.now() - since);
    }
    const { bytes, bytesPerSecond } = this.options;
    async function* make() {
      for (let made = 0; made < bytes; made += chunkBytes) yield await Promise.resolve(Buffer.alloc(chunkBytes));
    }
    let taken = 0;
    for await (const piece of pace.measure(make())) {
      taken += piece.length;
      if (taken > bufferedBytes && bytesPerSecond < Infinity) {
        const time = (chunkBytes / bytesPerSecond) * 1000;
        await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, time))]);
      }
      if (isOver || this.isStopped) break;
    }
    if (isOver) this.ended += 1;
    else if (!this.isStopped) this.complete += 1;
    if (isOver || this.isStopped) leave();
    else leave(true);
  }
}

const createSlots = (maximum: number, perCaller = 1): ReaderSlots =>
  new ReaderSlots({
    maximum,
    perCaller,
    createFullError: () => new Error('full'),
    createBusyError: () => new Error('busy'),
  });

async function stop(clients: readonly Client[], running: readonly Promise<void>[]): Promise<void> {
  for (const client of clients) client.stop();
  await pass(10_000);
  await Promise.all(running);
}

const megabyte = 1_000_000;

describe('slots of readers', () => {
  it('are never refused to a caller that reads fast, whatever others there are', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(
          fc.record({
            bytesPerSecond: fc.constantFrom(0.001, 5_000, 20_000, 45_000, 500_000),
            bytes: fc.integer({ min: 5 * megabyte, max: 20 * megabyte }),
          }),
          { minLength: 1, maxLength: 8 },
        ),
        async (maximum, slow) => {
          const slots = createSlots(maximum);
          const neighbour = new Client(slots, 'neighbour', { bytesPerSecond: Infinity, bytes: megabyte });
          const others = slow.map((options, index) => new Client(slots, `slow ${index}`, options));
          await neighbour.ask();
          const running = [...others, neighbour].map((client) => client.askAgainAndAgain());
          await pass(30_000);
          expect({ refused: neighbour.refused, ended: neighbour.ended }).toEqual({ refused: 0, ended: 0 });
          expect(neighbour.complete).toBeGreaterThan(3);
          await stop([...others, neighbour], running);
        },
      ),
      { numRuns: 10 },
    );
  }, 60_000);

  it('are not taken from each other in turns: two slow callers of one slot both come to their end', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 150_000, max: 900_000 }), { minLength: 2, maxLength: 3 }),
        async (speeds) => {
          const slots = createSlots(1);
          const clients = speeds.map(
            (bytesPerSecond, index) => new Client(slots, String(index), { bytesPerSecond, bytes: 8 * megabyte }),
          );
          const running = clients.map((client) => client.askAgainAndAgain());
          await pass(300_000);
          for (const { complete, ended } of clients) {
            expect(complete).toBeGreaterThan(0);
            // Once for each other that was new, and then a few times for each that is much faster.
            expect(ended).toBeLessThan(10 * (1 + complete) * clients.length);
          }
          await stop(clients, running);
        },
      ),
      { numRuns: 5 },
    );
  }, 120_000);

  it('all but one are for callers that have been slow', async () => {
    const slots = createSlots(2);
    const slow = [1, 2, 3].map(
      (index) => new Client(slots, `slow ${index}`, { bytesPerSecond: 20_000, bytes: 50 * megabyte }),
    );
    const running = slow.map((client) => client.askAgainAndAgain());
    await pass(30_000);
    const fast = new Client(slots, 'fast', { bytesPerSecond: Infinity, bytes: megabyte });
    // The two that came first were not known to be slow.
    const asked = fast.ask();
    await pass(1_000);
    await asked;
    const ended = slow.map((client) => client.ended);
    for (let time = 0; time < 5; time += 1) {
      const again = fast.ask();
      await pass(1_000);
      await again;
    }
    expect({ ...fast }).toMatchObject({ complete: 6, refused: 0 });
    expect(fast.longestWait).toBeLessThan(100);
    // It came into a free slot.
    expect(slow.map((client) => client.ended)).toEqual(ended);
    await stop([...slow, fast], running);
  });

  it('are not taken from what is read fast: another waits, and is refused if none ends', async () => {
    const slots = createSlots(1);
    const [fast, other] = [2 * megabyte, Infinity].map(
      (bytesPerSecond, index) => new Client(slots, String(index), { bytesPerSecond, bytes: 24 * megabyte }),
    ) as [Client, Client];
    const first = fast.ask();
    await pass(1_000);
    const second = other.ask();
    await pass(readerPatienceMilliseconds + 100);
    await second;
    expect(other.refused).toBe(1);
    const third = other.ask();
    await pass(readerPatienceMilliseconds);
    await Promise.all([first, third]);
    expect([fast.complete, other.complete]).toEqual([1, 1]);
  });

  it('a caller has its share: more wait, or are refused where that is so', async () => {
    const slots = new ReaderSlots({ maximum: 4, perCaller: 2, createFullError: () => new Error('full') });
    const enter = (caller: string) =>
      slots.enter(caller, { pace: new ReadingPace(), giveWay: () => undefined, isOver: () => false });
    const leaves = [await enter('one'), await enter('one')];
    let isIn = false;
    const third = enter('one').then((leave) => {
      isIn = true;
      return leave;
    });
    (await enter('two'))();
    await pass(100);
    expect(isIn).toBe(false);
    leaves[0]?.();
    await third;
    const busy = createSlots(4);
    await busy.enter('one', { pace: new ReadingPace(), giveWay: () => undefined, isOver: () => false });
    await expect(
      busy.enter('one', { pace: new ReadingPace(), giveWay: () => undefined, isOver: () => false }),
    ).rejects.toThrow('busy');
  });
});
