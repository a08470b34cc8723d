import type { TrialRow } from '../trial';
import type { FaultResult } from '../../test/faults/run-database-fault';
import { answerBoundMilliseconds, isWithin, recoveryBoundMilliseconds } from '../../test/support/time-bounds';
import { writeEveryMilliseconds } from '../../test/support/versions';

/** The amount of load. */
export interface RunSize {
  readonly clients: number;
  /** The duration of a fault. */
  readonly lastsMilliseconds: number;
  /** The pause of each client between its requests. */
  readonly pauseMilliseconds?: number;
}

/** The row of a fault during which requests may be refused, and after which none is. */
export function toOutageRow(
  { answered, refused, requests, slowestMilliseconds, recoveryMilliseconds, problems }: FaultResult,
  words: Pick<TrialRow, 'what'> & {
    readonly promise: string;
    readonly clients: number;
    /** The text for the start of the recovery time. */
    readonly since: string;
    /** In addition to the slowest answer as clients saw it. */
    readonly slowestNote?: string;
  },
): TrialRow {
  const { what, promise, clients, since, slowestNote = '' } = words;
  return {
    what,
    load: `${clients} clients, ${requests} requests, ${1_000 / writeEveryMilliseconds} writes a second`,
    promise,
    measured: [
      `${answered} right, ${refused} × 503`,
      ...problems,
      `slowest ${slowestMilliseconds} ms${slowestNote}`,
      `last 503 ${recoveryMilliseconds} ms after ${since}`,
    ].join('; '),
    isKept:
      problems.length === 0 &&
      isWithin(slowestMilliseconds, answerBoundMilliseconds) &&
      isWithin(recoveryMilliseconds, recoveryBoundMilliseconds),
  };
}
