import { setTimeout as delay } from 'node:timers/promises';
import type { TrialRow } from '../trial';
import { runKilledProcess } from './killed-process';
import { runKilledWorker } from './killed-worker';
import type { Load } from '../support/load';
import { isAnswered, slowestOf } from '../support/load';
import { answerBoundMilliseconds, isWithin } from './time-bounds';
import type { Oracle } from '../support/oracle';
import { runRollingRestart } from './rolling-restart';
import { startServiceProcess } from '../../support/service-process';

/** Processes that receive one or two signals to stop, or are killed. */
export async function measureProcessFaults(databaseUrl: string, oracle: Oracle, clients: number): Promise<TrialRow[]> {
  return [
    await measureRollingRestart(databaseUrl, oracle, clients, false),
    await measureRollingRestart(databaseUrl, oracle, clients, true),
    await measureSecondSignal(databaseUrl),
    await measureKilledProcess(databaseUrl, oracle, clients),
    await measureKilledWorker(databaseUrl, oracle, clients),
  ];
}

const describeLoad = (clients: number, { records }: Load) => `${clients} clients, ${records.length} requests`;
const isInTime = (records: Load['records']) => isWithin(slowestOf(records), answerBoundMilliseconds);

const failuresOf = ({ records }: Pick<Load, 'records'>) => records.filter((record) => !isAnswered(record));
const problemsOf = ({ records }: Pick<Load, 'records'>, oracle: Oracle) => [
  ...new Set(records.flatMap((record) => oracle.findProblems(record))),
];

async function measureRollingRestart(
  databaseUrl: string,
  oracle: Oracle,
  clients: number,
  keepsConnections: boolean,
): Promise<TrialRow> {
  const { load, ends } = await runRollingRestart(databaseUrl, oracle, clients, { keepsConnections });
  const failed = failuresOf(load).length;
  const problems = problemsOf(load, oracle);
  const codes = ends.map(({ code }) => code);
  return {
    what: `two processes restarted sequentially (SIGTERM) behind a balancer that ${
      keepsConnections ? 'keeps connections' : 'opens a connection for each request'
    }`,
    load: describeLoad(clients, load),
    promise: 'no request fails, each within 1.5 s; both end with 0',
    measured: [
      `${failed} failed, slowest ${slowestOf(load.records)} ms, ended with ${codes.join(' and ')}`,
      ...problems,
    ].join('; '),
    isKept: failed === 0 && problems.length === 0 && isInTime(load.records) && codes.every((code) => code === 0),
  };
}

async function measureSecondSignal(databaseUrl: string): Promise<TrialRow> {
  const service = await startServiceProcess(databaseUrl, { SHUTDOWN_DELAY_MS: '60000' });
  service.child.kill('SIGTERM');
  while (!service.log().includes('stopping')) await delay(5);
  // Earlier it would count as an echo of the first.
  await delay(1_500);
  const signalledAt = performance.now();
  const { code } = await service.end();
  const took = Math.round(performance.now() - signalledAt);
  return {
    what: 'second SIGTERM while the first has a minute to go',
    load: '–',
    promise: 'ends at once, with 1',
    measured: `ended with ${code} after ${took} ms`,
    isKept: code === 1 && isWithin(took, 1_000),
  };
}

async function measureKilledProcess(databaseUrl: string, oracle: Oracle, clients: number): Promise<TrialRow> {
  const result = await runKilledProcess(databaseUrl, oracle, clients);
  const { requests, harmedInFlight, harmedElsewhere, problems } = result;
  return {
    what: 'one of two processes killed (SIGKILL)',
    load: `${clients} clients, ${requests.length} requests`,
    promise: 'harms no request but those in flight there, one of each client at most; all others within 1.5 s',
    measured: [
      `${harmedInFlight} of those in flight harmed, ${harmedElsewhere} others, slowest ${slowestOf(requests)} ms`,
      ...problems,
    ].join('; '),
    isKept: harmedInFlight <= clients / 2 && harmedElsewhere === 0 && problems.length === 0 && isInTime(requests),
  };
}

async function measureKilledWorker(databaseUrl: string, oracle: Oracle, clients: number): Promise<TrialRow> {
  const { load, workersAfter, end, orphans } = await runKilledWorker(databaseUrl, oracle, clients);
  const harmed = failuresOf(load);
  const answered = { records: load.records.filter(({ status }) => status !== 0) };
  const problems = problemsOf(answered, oracle);
  return {
    what: 'one of two workers killed (SIGKILL)',
    load: describeLoad(clients, load),
    promise: 'replaced; no more harmed than had a request in flight there; every request within 1.5 s',
    measured: [
      `${harmed.length} harmed, slowest ${slowestOf(load.records)} ms, ${workersAfter} workers again, ended with ${end.code}`,
      ...problems,
    ].join('; '),
    isKept:
      isInTime(load.records) &&
      harmed.length <= clients &&
      harmed.every(({ status }) => status === 0) &&
      problems.length === 0 &&
      workersAfter === 2 &&
      end.code === 0 &&
      orphans === 0,
  };
}
