import type { Entrant, FairQueueOptions, LaneName } from '../../src/common/fair-turns';
import { FairQueue } from '../../src/common/fair-turns';
import { fc } from '../support/properties';

/** A queue, and everything that happened to its entries. */
function createObserved(options: FairQueueOptions) {
  const queue = new FairQueue(options);
  const started: { lane: LaneName; serial: number }[] = [];
  const refused: { lane: LaneName; serial: number }[] = [];
  const waiting = new Map<number, { lane: LaneName; entrant: Entrant }>();
  const running: LaneName[] = [];
  let serial = 0;
  return {
    queue,
    started,
    refused,
    waiting,
    running,
    enter(lane: LaneName): number {
      const own = (serial += 1);
      const entrant: Entrant = {
        start: () => {
          waiting.delete(own);
          running.push(lane);
          started.push({ lane, serial: own });
        },
        refuse: () => {
          waiting.delete(own);
          refused.push({ lane, serial: own });
        },
      };
      waiting.set(own, { lane, entrant });
      queue.enter(lane, entrant);
      return own;
    },
    leave(index: number): void {
      const [lane] = running.splice(index % running.length, 1);
      queue.leave(lane);
    },
    withdraw(index: number): void {
      const [own, { lane, entrant }] = [...waiting][index % waiting.size] as [
        number,
        { lane: LaneName; entrant: Entrant },
      ];
      waiting.delete(own);
      queue.withdraw(lane, entrant);
    },
  };
}

const options = fc.record({
  slots: fc.integer({ min: 1, max: 6 }),
  slotsPerLane: fc.integer({ min: 1, max: 4 }),
  reservedSlots: fc.integer({ min: 0, max: 2 }),
  size: fc.integer({ min: 1, max: 12 }),
});

/** A few lanes, one much busier than the others, and the lane without a name. */
const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ enter: fc.constantFrom('loud', 'loud', 'loud', 'a', 'b', 'c', undefined) }) },
    { weight: 3, arbitrary: fc.record({ leave: fc.nat() }) },
    { weight: 1, arbitrary: fc.record({ withdraw: fc.nat() }) },
  ),
  { maxLength: 200 },
);

describe('after any sequence of entering, leaving and withdrawing', () => {
  it('no limit is exceeded, every entrant is started or refused once, and nothing waits that could start', () => {
    fc.assert(
      fc.property(options, steps, (given, sequence) => {
        fc.pre(given.reservedSlots < given.slots);
        const observed = createObserved(given);
        const { queue, running, waiting, started, refused } = observed;
        const countRunning = (test: (lane: LaneName) => boolean) => running.filter(test).length;
        for (const step of sequence) {
          if ('enter' in step) observed.enter(step.enter);
          else if ('leave' in step && running.length > 0) observed.leave(step.leave);
          else if ('withdraw' in step && waiting.size > 0) observed.withdraw(step.withdraw);

          const named = countRunning((lane) => lane !== undefined);
          expect(running.length).toBeLessThanOrEqual(given.slots);
          expect(named).toBeLessThanOrEqual(given.slots - given.reservedSlots);
          expect(waiting.size).toBeLessThanOrEqual(given.size);
          expect(queue.waiting).toBe(waiting.size);
          for (const { lane } of waiting.values()) {
            const isFull = running.length === given.slots;
            const isAtBound =
              lane !== undefined &&
              (named === given.slots - given.reservedSlots ||
                countRunning((each) => each === lane) >= given.slotsPerLane);
            expect(isFull || isAtBound).toBe(true);
          }
          for (const lane of ['loud', 'a', 'b', 'c']) {
            expect(countRunning((each) => each === lane)).toBeLessThanOrEqual(given.slotsPerLane);
          }
        }
        const serials = [...started, ...refused].map(({ serial }) => serial);
        expect(new Set(serials).size).toBe(serials.length);
      }),
      { numRuns: 500 },
    );
  });

  it('a waiting entrant is started after at most one start of each other lane for each entrant of its own lane up to it', () => {
    fc.assert(
      fc.property(options, steps, fc.constantFrom('a', 'b', undefined), (given, sequence, lane) => {
        fc.pre(given.reservedSlots < given.slots);
        // Room for all: the test covers the order of turns.
        const observed = createObserved({ ...given, size: 1_000 });
        for (const step of sequence) {
          if ('enter' in step) observed.enter(step.enter);
          else if ('leave' in step && observed.running.length > 0) observed.leave(step.leave);
        }
        const ours = observed.enter(lane);
        if (!observed.waiting.has(ours)) return;
        const before = [...observed.waiting.values()].filter((each) => each.lane === lane).length;
        const from = observed.started.length;
        // The busy lane enters again each time, and everything in progress ends, the oldest first.
        while (observed.waiting.has(ours)) {
          observed.enter('loud');
          observed.leave(0);
        }
        const others = observed.started.slice(from, -1).map((each) => each.lane);
        for (const other of ['loud', 'a', 'b', 'c', undefined]) {
          if (other === lane) continue;
          const starts = others.filter((each) => each === other).length;
          // While ours is at its own limit, the rotation skips it.
          expect(starts).toBeLessThanOrEqual(before + given.slotsPerLane);
        }
      }),
      { numRuns: 500 },
    );
  });
});

it('a full queue refuses the newest of the longest lane, and never one of a shorter lane', () => {
  const observed = createObserved({ slots: 1, slotsPerLane: 1, reservedSlots: 0, size: 4 });
  observed.enter('busy');
  const loud = Array.from({ length: 4 }, () => observed.enter('loud'));
  const late = observed.enter('loud');
  expect(observed.refused).toEqual([{ lane: 'loud', serial: late }]);
  observed.enter('quiet');
  expect(observed.refused.at(-1)).toEqual({ lane: 'loud', serial: loud[3] });
  for (let index = 0; index < 5; index += 1) observed.leave(0);
  expect(observed.started.map(({ lane }) => lane)).toEqual(['busy', 'loud', 'quiet', 'loud', 'loud']);
});

it('the lane without a name gets a slot while named lanes have taken all of theirs', () => {
  const observed = createObserved({ slots: 3, slotsPerLane: 3, reservedSlots: 1, size: 10 });
  for (let index = 0; index < 5; index += 1) observed.enter('loud');
  observed.enter(undefined);
  expect(observed.running).toEqual(['loud', 'loud', undefined]);
});
