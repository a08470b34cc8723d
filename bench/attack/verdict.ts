import type { Seen } from './bystander';

export const heapMegabytes = 384;
/**
 * What the service may use: its heap, cached answers (a quarter of that), what clients have not read (128 MB), and 160
 * MB for code, stacks, buffers in use and what the allocator keeps.
 */
export const residentBoundMegabytes = 2 * heapMegabytes;
/** Another shop's 95th percentile, on a machine with no other load than the service. */
export const usualBoundMilliseconds = 1_000;
const allowedSlowdown = 10;
/** Of the other shop's requests: a busy machine may delay one. */
const allowedRefusals = 0.01;
/** And more where time limits pass while other programs run. */
const allowedRefusalsWhenShared = 0.1;
export const sharedSlowdown = 2;

/** The results of an attack that the verdict depends on. */
export interface Outcome {
  readonly hasDied: boolean;
  readonly calm: Pick<Seen, 'p95'>;
  readonly during: Seen;
  /** Megabytes; undefined if the process has ended. */
  readonly peak: number | undefined;
  /** A short run says little about percentiles: it may take twice as long. */
  readonly isShort?: boolean;
  /** By what factor other programs reduced the CPU time available, see `slowdownByOthers`. */
  readonly slowdown: number;
  readonly p95BoundMilliseconds?: number | 'calm' | undefined;
  /** Problems that the attack itself found. */
  readonly problems: readonly string[];
}

/** The promises that were not kept; none means that the service survived the attack. */
export function judge(outcome: Outcome): string[] {
  const { hasDied, calm, during, peak, slowdown, problems, p95BoundMilliseconds = usualBoundMilliseconds } = outcome;
  const bound = Math.round(
    p95BoundMilliseconds === 'calm'
      ? (5 * calm.p95 + 50) * slowdown * (outcome.isShort === true ? 2 : 1)
      : Math.max(p95BoundMilliseconds * slowdown, allowedSlowdown * calm.p95),
  );
  const allowedLoss = slowdown < sharedSlowdown ? allowedRefusals : allowedRefusalsWhenShared;
  const lost = during.refused + during.unanswered;
  return [
    ...(hasDied ? ['the process died'] : []),
    ...(during.p95 > bound ? [`another shop's p95 is ${during.p95} ms, more than ${bound}`] : []),
    ...(lost > allowedLoss * during.requests ? [`${lost} of ${during.requests} requests of another shop failed`] : []),
    ...(during.requests === 0 ? ['another shop could not send requests'] : []),
    ...(during.failedProbes > 0 ? [`/livez failed ${during.failedProbes} of ${during.probes} times`] : []),
    ...(peak !== undefined && peak > residentBoundMegabytes
      ? [`${peak} MB resident, more than ${residentBoundMegabytes}`]
      : []),
    ...during.wrong.slice(0, 3).map((problem) => `another shop's answer was wrong: ${problem}`),
    ...problems,
  ];
}
