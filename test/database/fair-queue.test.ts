import type { QueueEntry, FairQueueOptions, QueueName } from '../../src/common/fair-queue';
import { FairQueue } from '../../src/common/fair-queue';
import { fc } from '../support/properties';

/** A queue, and a record of everything that happened to its entries. */
function createObserved(options: FairQueueOptions) {
  const queue = new FairQueue(options);
  const started: { name: QueueName; serial: number }[] = [];
  const refused: { name: QueueName; serial: number }[] = [];
  const waiting = new Map<number, { name: QueueName; entry: QueueEntry }>();
  const running: QueueName[] = [];
  let serial = 0;
  return {
    queue,
    started,
    refused,
    waiting,
    running,
    enter(name: QueueName): number {
      const own = (serial += 1);
      const entry: QueueEntry = {
        start: () => {
          waiting.delete(own);
          running.push(name);
          started.push({ name, serial: own });
        },
        refuse: () => {
          waiting.delete(own);
          refused.push({ name, serial: own });
        },
      };
      waiting.set(own, { name, entry });
      queue.enter(name, entry);
      return own;
    },
    leave(index: number): void {
      const [name] = running.splice(index % running.length, 1);
      queue.leave(name);
    },
    withdraw(index: number): void {
      const [own, { name, entry }] = [...waiting][index % waiting.size] as [
        number,
        { name: QueueName; entry: QueueEntry },
      ];
      waiting.delete(own);
      queue.withdraw(name, entry);
    },
  };
}

const options = fc.record({
  slots: fc.integer({ min: 1, max: 6 }),
  slotsPerQueue: fc.integer({ min: 1, max: 4 }),
  reservedSlots: fc.integer({ min: 0, max: 2 }),
  size: fc.integer({ min: 1, max: 12 }),
});

/** A few queues, one much busier than the others, and the unnamed one. */
const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ enter: fc.constantFrom('loud', 'loud', 'loud', 'a', 'b', 'c', undefined) }) },
    { weight: 3, arbitrary: fc.record({ leave: fc.nat() }) },
    { weight: 1, arbitrary: fc.record({ withdraw: fc.nat() }) },
  ),
  { maxLength: 200 },
);

describe('after any sequence of entering, leaving and withdrawing', () => {
  it('no limit is exceeded, every entry is started or refused once, and nothing waits that could start', () => {
    fc.assert(
      fc.property(options, steps, (given, sequence) => {
        fc.pre(given.reservedSlots < given.slots);
        const observed = createObserved(given);
        const { queue, running, waiting, started, refused } = observed;
        const countRunning = (test: (name: QueueName) => boolean) => running.filter(test).length;
        for (const step of sequence) {
          if ('enter' in step) observed.enter(step.enter);
          else if ('leave' in step && running.length > 0) observed.leave(step.leave);
          else if ('withdraw' in step && waiting.size > 0) observed.withdraw(step.withdraw);

          const named = countRunning((name) => name !== undefined);
          expect(running.length).toBeLessThanOrEqual(given.slots);
          expect(named).toBeLessThanOrEqual(given.slots - given.reservedSlots);
          expect(waiting.size).toBeLessThanOrEqual(given.size);
          expect(queue.waiting).toBe(waiting.size);
          for (const { name } of waiting.values()) {
            const isFull = running.length === given.slots;
            const isAtBound =
              name !== undefined &&
              (named === given.slots - given.reservedSlots ||
                countRunning((each) => each === name) >= given.slotsPerQueue);
            expect(isFull || isAtBound).toBe(true);
          }
          for (const name of ['loud', 'a', 'b', 'c']) {
            expect(countRunning((each) => each === name)).toBeLessThanOrEqual(given.slotsPerQueue);
          }
        }
        const serials = [...started, ...refused].map(({ serial }) => serial);
        expect(new Set(serials).size).toBe(serials.length);
      }),
      { numRuns: 500 },
    );
  });

  it('a waiting entry is started after at most one start of each other queue for each entry of its own queue up to it', () => {
    fc.assert(
      fc.property(options, steps, fc.constantFrom('a', 'b', undefined), (given, sequence, name) => {
        fc.pre(given.reservedSlots < given.slots);
        // There is room for all: the test covers the order of turns.
        const observed = createObserved({ ...given, size: 1_000 });
        for (const step of sequence) {
          if ('enter' in step) observed.enter(step.enter);
          else if ('leave' in step && observed.running.length > 0) observed.leave(step.leave);
        }
        const ours = observed.enter(name);
        if (!observed.waiting.has(ours)) return;
        const before = [...observed.waiting.values()].filter((each) => each.name === name).length;
        const from = observed.started.length;
        // The busy name enters again each time, and everything in progress ends, oldest first.
        while (observed.waiting.has(ours)) {
          observed.enter('loud');
          observed.leave(0);
        }
        const others = observed.started.slice(from, -1).map((each) => each.name);
        for (const other of ['loud', 'a', 'b', 'c', undefined]) {
          if (other === name) continue;
          const starts = others.filter((each) => each === other).length;
          // While our own name is at its limit, the rotation skips it.
          expect(starts).toBeLessThanOrEqual(before + given.slotsPerQueue);
        }
      }),
      { numRuns: 500 },
    );
  });
});

it('a full queue refuses the newest of the longest name, and never one of a shorter name', () => {
  const observed = createObserved({ slots: 1, slotsPerQueue: 1, reservedSlots: 0, size: 4 });
  observed.enter('busy');
  const loud = Array.from({ length: 4 }, () => observed.enter('loud'));
  const late = observed.enter('loud');
  expect(observed.refused).toEqual([{ name: 'loud', serial: late }]);
  observed.enter('quiet');
  expect(observed.refused.at(-1)).toEqual({ name: 'loud', serial: loud[3] });
  for (let index = 0; index < 5; index += 1) observed.leave(0);
  expect(observed.started.map(({ name }) => name)).toEqual(['busy', 'loud', 'quiet', 'loud', 'loud']);
});
