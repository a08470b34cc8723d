import { setTimeout as delay } from 'node:timers/promises';
import type { DatabaseFault } from './database-faults';
import { ask, startLoad } from './load';
import type { Question } from './load';
import type { Oracle } from './oracle';
import type { OwnPostgres } from './own-postgres';

/** What a run showed. */
export interface FaultResult {
  readonly requests: number;
  readonly answered: number;
  readonly refused: number;
  readonly slowestMilliseconds: number;
  /** From the end of the fault to the first of an unbroken row of answers. */
  readonly recoveryMilliseconds: number;
  readonly problems: readonly string[];
}

interface Parts {
  readonly origin: string;
  readonly oracle: Oracle;
  readonly clients: number;
  readonly lastsMilliseconds: number;
}

export const runDatabaseFault = (
  { name, isOutage, begin, end }: DatabaseFault,
  { postgres, ...parts }: Parts & { readonly postgres: OwnPostgres },
): Promise<FaultResult> => runFault({ name, isOutage, begin: () => begin(postgres), end: () => end(postgres) }, parts);

/** Something that happens, whatever to. */
interface Fault extends Pick<DatabaseFault, 'name' | 'isOutage'> {
  begin(): Promise<unknown> | void;
  end(): Promise<unknown> | void;
}

/** Load, the fault in the middle of it, its end, and a check of every single request. */
export async function runFault(fault: Fault, parts: Parts): Promise<FaultResult> {
  const { origin, oracle, clients, lastsMilliseconds } = parts;
  const load = startLoad(origin, oracle.questions, clients);
  await delay(300);
  await fault.begin();
  const begunAt = performance.now();
  await delay(lastsMilliseconds);
  await fault.end();
  const endedAt = performance.now();
  const recoveryMilliseconds = await untilAnswered(origin, oracle.questions[0] as Question, endedAt);
  await delay(300);
  await load.stop();

  const { records } = load;
  const problems = records.flatMap((record) =>
    oracle.findProblems(record).map((problem) => `${record.question.target}: ${problem}`),
  );
  // Those under way when it began meet it as well, and where everything waits they are all there is.
  const during = records.filter(
    ({ startedAt, milliseconds }) => startedAt + milliseconds > begunAt && startedAt < endedAt,
  );
  if (fault.isOutage && !during.some(({ status }) => status === 503)) problems.push('nobody noticed the fault');
  return {
    requests: records.length,
    answered: records.filter(({ status }) => status === 200).length,
    refused: records.filter(({ status }) => status === 503).length,
    slowestMilliseconds: Math.round(Math.max(...records.map(({ milliseconds }) => milliseconds))),
    recoveryMilliseconds: Math.round(recoveryMilliseconds),
    problems: [...new Set(problems)],
  };
}

async function untilAnswered(origin: string, question: Question, since: number): Promise<number> {
  for (;;) {
    const { status } = await ask(origin, question);
    if (status === 200) return performance.now() - since;
    if (performance.now() - since > 30_000) return Infinity;
    await delay(10);
  }
}
