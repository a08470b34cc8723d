import type { Seen } from './bystander';

export const heapMegabytes = 384;
/**
 * What the service may use: its heap, cached answers (a quarter of that), what clients have not read (128 MB), and 160
 * MB for code, stacks, buffers in use and what the allocator keeps.
 */
const residentBoundMegabytes = 2 * heapMegabytes;
/** The other shops' 95th percentile, on a machine with no other load than the service. */
const usualBoundMilliseconds = 1_000;
const allowedSlowdown = 10;
/** From this slowdown on, the machine counts as shared, and time limits may be exceeded. */
export const sharedSlowdown = 2;
/** The share of the other shops' requests that may fail. */
const allowedRefusals = { alone: 0.01, shared: 0.1 };

/** The results of an attack that the verdict depends on. */
interface Outcome {
  readonly hasDied: boolean;
  readonly calm: Seen;
  readonly during: Seen;
  /** Megabytes; undefined if the process has ended. */
  readonly peak: number | undefined;
  /** A short run says little about percentiles: it may take twice as long. */
  readonly isShort: boolean;
  /** By what factor other programs reduced the CPU time available, see `slowdownByOthers`. */
  readonly slowdown: number;
  readonly p95BoundMilliseconds: number | 'calm' | undefined;
  /** Problems that the attack itself found. */
  readonly problems: readonly string[];
}

/** The promises that were not kept; none means that the service survived the attack. */
export function judge(outcome: Outcome): string[] {
  const { hasDied, calm, during, peak, slowdown, problems, p95BoundMilliseconds = usualBoundMilliseconds } = outcome;
  const bound = Math.round(
    p95BoundMilliseconds === 'calm'
      ? (5 * calm.p95 + 50) * slowdown * (outcome.isShort ? 2 : 1)
      : Math.max(p95BoundMilliseconds * slowdown, allowedSlowdown * calm.p95),
  );
  const allowedLoss = allowedRefusals[slowdown < sharedSlowdown ? 'alone' : 'shared'] * during.requests;
  const lost = during.refused + during.unanswered;
  const rules: readonly (readonly [isBroken: boolean, what: string])[] = [
    [hasDied, 'the process died'],
    [during.p95 > bound, `the other shops' p95 is ${during.p95} ms, more than ${bound}`],
    [lost > allowedLoss, `${lost} of ${during.requests} requests of other shops failed`],
    [during.requests === 0, 'the other shops could not send requests'],
    [during.failedProbes > 0, `/livez failed ${during.failedProbes} of ${during.probes} times`],
    [Number(peak) > residentBoundMegabytes, `${peak} MB resident, more than ${residentBoundMegabytes}`],
  ];
  return [
    ...rules.filter(([isBroken]) => isBroken).map(([, what]) => what),
    ...during.wrong.slice(0, 3).map((problem) => `another shop got a wrong response: ${problem}`),
    ...problems,
  ];
}
