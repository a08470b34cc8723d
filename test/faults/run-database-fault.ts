import { setTimeout as delay } from 'node:timers/promises';
import type { LogLine } from '../support/memory-log';
import type { DatabaseFault } from './database-faults';
import type { Recorded } from '../support/load';
import { isAnswered, slowestOf, startLoad } from '../support/load';
import type { Oracle } from '../support/oracle';
import type { OwnPostgres } from '../support/own-postgres';
import type { ServiceProcess } from '../support/service-process';

/** The results of one run. */
export interface FaultResult {
  readonly requests: number;
  readonly answered: number;
  readonly refused: number;
  /** As seen by clients. */
  readonly slowestMilliseconds: number;
  /** According to the service's own log, without the time that the clients waited for CPU on this machine. */
  readonly slowestLoggedMilliseconds: number;
  /**
   * From the end of the fault to the end of the last request without a response; 0 if every later one had a response.
   */
  readonly recoveryMilliseconds: number;
  readonly problems: readonly string[];
}

interface Parts {
  readonly service: ServiceProcess;
  readonly oracle: Oracle;
  readonly clients: number;
  readonly lastsMilliseconds: number;
  /** Between the requests of each client; none by default. */
  readonly pauseMilliseconds?: number;
}

export const runDatabaseFault = (
  { begin, end, ...rest }: DatabaseFault,
  { postgres, ...parts }: Parts & { readonly postgres: OwnPostgres },
): Promise<FaultResult> => runFault({ ...rest, begin: () => begin(postgres), end: () => end(postgres) }, parts);

/** A fault of any component. */
interface Fault extends Pick<DatabaseFault, 'name' | 'isOutage' | 'isLogged'> {
  begin(): unknown;
  end(): unknown;
}

/** The longest that a fault lasts before the service has logged it: a busy machine is slow to. */
const loggedWithinMilliseconds = 20_000;

/** More than the two seconds after which everything must have a response again. */
const watchedAfterwardsMilliseconds = 2_500;

/** Load, a fault in the middle of it, its end, and a check of every request. */
export async function runFault(fault: Fault, parts: Parts): Promise<FaultResult> {
  const { service, oracle, clients, lastsMilliseconds, pauseMilliseconds } = parts;
  service.forgetLog();
  const unused = await oracle.seedUnusedKey();
  const writing = oracle.startWriting();
  const load = startLoad(service.origin, oracle.questions, clients, pauseMilliseconds);
  await delay(300);
  await fault.begin();
  const begunAt = performance.now();
  // On first use of a key, the service writes that use.
  load.add(unused);
  await delay(lastsMilliseconds);
  const isLogged = () => fault.isLogged === undefined || service.log().includes(fault.isLogged);
  while (!isLogged() && performance.now() - begunAt < loggedWithinMilliseconds) await delay(20);
  await fault.end();
  const endedAt = performance.now();
  await delay(watchedAfterwardsMilliseconds);
  await load.stop();
  await writing.stop();

  const { records } = load;
  const problems = records.flatMap((record) =>
    oracle.findProblems(record).map((problem) => `${record.question.target}: ${problem}`),
  );
  // Requests in flight when the fault began meet it as well, and where everything waits they are the only ones.
  const during = records.filter(
    ({ startedAt, milliseconds }) => startedAt + milliseconds > begunAt && startedAt < endedAt,
  );
  if (fault.isOutage && !during.some(({ status }) => status === 503)) problems.push('no request met the fault');
  const durations = await readDurations(service, records);
  if (!isLogged()) problems.push(`not in the log: ${fault.isLogged}`);
  const unanswered = records.filter((record) => !isAnswered(record));
  const lastUnansweredAt = Math.max(
    endedAt,
    ...unanswered.map(({ startedAt, milliseconds }) => startedAt + milliseconds),
  );
  return {
    requests: records.length,
    answered: records.length - unanswered.length,
    refused: records.filter(({ status }) => status === 503).length,
    slowestMilliseconds: slowestOf(records),
    slowestLoggedMilliseconds: Math.round(Math.max(...durations)),
    recoveryMilliseconds: Math.round(lastUnansweredAt - endedAt),
    problems: [...new Set(problems)],
  };
}

/** The log lines of requests that got a response; resolves when all are there. */
async function readDurations(service: ServiceProcess, records: readonly Recorded[]): Promise<number[]> {
  const ids = records.flatMap(({ headers }) => headers['x-request-id'] ?? []);
  for (;;) {
    const lines = service
      .log()
      .split('\n')
      .filter((line) => line.endsWith('}'))
      .map((line) => JSON.parse(line) as LogLine)
      .filter(({ msg }) => msg === 'request');
    const durations = new Map(lines.map(({ requestId, durationMs }) => [requestId, durationMs as number]));
    if (ids.every((id) => durations.has(id))) return ids.map((id) => durations.get(id) as number);
    await delay(20);
  }
}
