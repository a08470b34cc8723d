import type { Seen } from './bystander';

/** What the service may use with 384 MB of heap: the young generation, buffers, code and the stacks come on top. */
export const heapMegabytes = 384;
export const residentBoundMegabytes = 640;
/** Another shop's 95th percentile, unless the machine is so busy that calm requests are slow already. */
export const usualBoundMilliseconds = 1_000;
const allowedSlowdown = 10;
/** Of the other shop's requests: a busy machine may delay one. */
const allowedRefusals = 0.01;

/** What came of an attack, as far as the verdict depends on it. */
export interface Outcome {
  readonly hasDied: boolean;
  readonly calm: Pick<Seen, 'p95'>;
  readonly during: Seen;
  /** Megabytes; undefined when the process is gone. */
  readonly peak: number | undefined;
  readonly p95BoundMilliseconds?: number | undefined;
  /** What the attack itself found. */
  readonly problems: readonly string[];
}

/** The promises that were not kept; none means that the attack was survived. */
export function judge({ hasDied, calm, during, peak, p95BoundMilliseconds, problems }: Outcome): string[] {
  const bound = Math.max(p95BoundMilliseconds ?? usualBoundMilliseconds, allowedSlowdown * calm.p95);
  const lost = during.refused + during.unanswered;
  return [
    ...(hasDied ? ['the process died'] : []),
    ...(during.p95 > bound ? [`another shop's p95 is ${during.p95} ms, more than ${bound}`] : []),
    ...(lost > allowedRefusals * during.requests
      ? [`${lost} of ${during.requests} requests of another shop failed`]
      : []),
    ...(during.requests === 0 ? ['another shop did not get to ask'] : []),
    ...(during.failedProbes > 0 ? [`/livez failed ${during.failedProbes} of ${during.probes} times`] : []),
    ...(peak !== undefined && peak > residentBoundMegabytes
      ? [`${peak} MB resident, more than ${residentBoundMegabytes}`]
      : []),
    ...during.wrong.slice(0, 3).map((problem) => `another shop's answer was wrong: ${problem}`),
    ...problems,
  ];
}
