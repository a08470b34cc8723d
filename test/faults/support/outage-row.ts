import type { FaultRow } from './fault-table';
import type { FaultResult } from './run-database-fault';
import { writeEveryMilliseconds } from './versions';

/** What clients are promised: how long any answer takes, and from when on after a fault nothing is refused any more. */
export const answerBoundMilliseconds = 1_500;
const recoveryBoundMilliseconds = 2_000;

/** The row of a fault during which requests may be refused, and after which none is. */
export function toOutageRow(
  { answered, refused, requests, slowestMilliseconds, recoveryMilliseconds, problems }: FaultResult,
  words: Pick<FaultRow, 'fault' | 'promise'> & {
    readonly clients: number;
    /** Says when the time of recovery begins. */
    readonly since: string;
    /** Beside the slowest answer as clients saw it. */
    readonly slowestNote?: string;
  },
): FaultRow {
  const { fault, promise, clients, since, slowestNote = '' } = words;
  return {
    fault,
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
      slowestMilliseconds <= answerBoundMilliseconds &&
      recoveryMilliseconds <= recoveryBoundMilliseconds,
  };
}
