import { setTimeout as delay } from 'node:timers/promises';
import type { FaultRow } from './fault-table';
import { runKilledWorker } from './killed-worker';
import type { Load } from './load';
import { isAnswered, startLoad } from './load';
import type { Oracle } from './oracle';
import { runRollingRestart } from './rolling-restart';
import { startServiceProcess } from './service-process';

/** Processes that are told to stop, told twice, and killed. */
export async function measureProcessFaults(databaseUrl: string, oracle: Oracle, clients: number): Promise<FaultRow[]> {
  return [
    await measureRollingRestart(databaseUrl, oracle, clients),
    await measureSecondSignal(databaseUrl),
    await measureKilledProcess(databaseUrl, oracle, clients),
    await measureKilledWorker(databaseUrl, oracle, clients),
  ];
}

const describeLoad = (clients: number, ...loads: Load[]) =>
  `${clients} clients, ${loads.reduce((sum, { records }) => sum + records.length, 0)} requests`;

const failuresOf = ({ records }: Pick<Load, 'records'>) => records.filter((record) => !isAnswered(record));
const problemsOf = ({ records }: Pick<Load, 'records'>, oracle: Oracle) => [
  ...new Set(records.flatMap((record) => oracle.findProblems(record))),
];

async function measureRollingRestart(databaseUrl: string, oracle: Oracle, clients: number): Promise<FaultRow> {
  const { load, ends } = await runRollingRestart(databaseUrl, oracle, clients);
  const failed = failuresOf(load).length;
  const problems = problemsOf(load, oracle);
  const codes = ends.map(({ code }) => code);
  return {
    fault: 'two processes restarted one after the other (SIGTERM)',
    load: describeLoad(clients, load),
    promise: 'no request fails, both end with 0',
    measured: [`${failed} failed, ended with ${codes.join(' and ')}`, ...problems].join('; '),
    isKept: failed === 0 && problems.length === 0 && codes.every((code) => code === 0),
  };
}

async function measureSecondSignal(databaseUrl: string): Promise<FaultRow> {
  const service = await startServiceProcess(databaseUrl, { SHUTDOWN_DELAY_MS: '60000' });
  service.child.kill('SIGTERM');
  while (!service.log().includes('stopping')) await delay(5);
  const toldAt = performance.now();
  const { code } = await service.end();
  const took = Math.round(performance.now() - toldAt);
  return {
    fault: 'second SIGTERM while the first has a minute to go',
    load: '–',
    promise: 'ends at once, with 1',
    measured: `ended with ${code} after ${took} ms`,
    isKept: code === 1 && took < 1_000,
  };
}

async function measureKilledProcess(databaseUrl: string, oracle: Oracle, clients: number): Promise<FaultRow> {
  const [doomed, other] = [await startServiceProcess(databaseUrl), await startServiceProcess(databaseUrl)];
  const [doomedLoad, otherLoad] = [doomed, other].map(({ origin }) =>
    startLoad(origin, oracle.questions, clients / 2),
  ) as [Load, Load];
  await delay(1_000);
  await doomed.end('SIGKILL');
  await doomedLoad.stop();
  await delay(500);
  await otherLoad.stop();
  await other.end();
  const harmed = failuresOf(otherLoad).length;
  const answered = doomedLoad.records.filter(({ status }) => status !== 0);
  const problems = [...problemsOf(otherLoad, oracle), ...answered.flatMap((record) => oracle.findProblems(record))];
  return {
    fault: 'one of two processes killed (SIGKILL)',
    load: describeLoad(clients, doomedLoad, otherLoad),
    promise: 'no request of the other process is harmed',
    measured: [`${harmed} harmed there`, ...problems].join('; '),
    isKept: harmed === 0 && problems.length === 0,
  };
}

async function measureKilledWorker(databaseUrl: string, oracle: Oracle, clients: number): Promise<FaultRow> {
  const { load, workersAfter, end, orphans } = await runKilledWorker(databaseUrl, oracle, clients);
  const harmed = failuresOf(load);
  const answered = { records: load.records.filter(({ status }) => status !== 0) };
  const problems = problemsOf(answered, oracle);
  return {
    fault: 'one of two workers killed (SIGKILL)',
    load: describeLoad(clients, load),
    promise: 'replaced; no more harmed than had a request under way there',
    measured: [`${harmed.length} harmed, ${workersAfter} workers again, ended with ${end.code}`, ...problems].join(
      '; ',
    ),
    isKept:
      harmed.length <= clients &&
      harmed.every(({ status }) => status === 0) &&
      problems.length === 0 &&
      workersAfter === 2 &&
      end.code === 0 &&
      orphans === 0,
  };
}
