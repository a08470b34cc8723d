import { buildCatalog } from '../cli/run-catalog';
import { SharedTime } from '../support/machine-share';
import type { DatabaseFault } from './database-faults';
import { databaseFaults, networkFaults } from './database-faults';
import type { Oracle } from '../support/oracle';
import { seedOracle } from '../support/oracle';
import type { OwnPostgres } from '../support/own-postgres';
import { startOwnPostgres } from '../support/own-postgres';
import { runDatabaseFault } from './run-database-fault';
import type { ServiceProcess } from '../support/service-process';
import { killServiceProcesses, startServiceProcess } from '../support/service-process';
import { answerBoundMilliseconds, recoveryBoundMilliseconds } from '../support/time-bounds';

let postgres: OwnPostgres;
let oracle: Oracle;
let service: ServiceProcess;
let wiredService: ServiceProcess;

beforeAll(async () => {
  buildCatalog();
  postgres = await startOwnPostgres();
  oracle = await seedOracle(postgres.sql);
  service = await startServiceProcess(postgres.serviceUrl);
  wiredService = await startServiceProcess(postgres.wiredUrl);
});
afterAll(async () => {
  await killServiceProcesses();
  await postgres.remove();
});

// In a test run, clients share a process that does other work; `npm run faults` checks the promise itself.
const patience = 1_500;

const check = async (fault: DatabaseFault, service: ServiceProcess) => {
  // A server that hangs is detected by time-outs, the others immediately.
  const lastsMilliseconds = fault.isOutage ? 1_500 : 400;
  const time = new SharedTime();
  const result = await runDatabaseFault(fault, {
    service,
    postgres,
    oracle,
    clients: 8,
    lastsMilliseconds,
    pauseMilliseconds: 20,
  });
  expect(result.problems).toEqual([]);
  expect(result.slowestLoggedMilliseconds).toBeLessThanOrEqual(time.allow(answerBoundMilliseconds));
  expect(result.slowestMilliseconds).toBeLessThanOrEqual(time.allow(answerBoundMilliseconds + patience));
  expect(result.recoveryMilliseconds).toBeLessThanOrEqual(time.allow(recoveryBoundMilliseconds));
};

const promise = '%s: right answers or 503 with the envelope, in time, and automatic recovery';
const byName = (faults: readonly DatabaseFault[]) => faults.map((fault) => [fault.name, fault] as const);

describe('while requests come in', () => {
  it.each(byName(databaseFaults))(promise, (_, fault) => check(fault, service));
  it.each(byName(networkFaults))(promise, (_, fault) => check(fault, wiredService));
});

describe('afterwards', () => {
  it('the services end with 0, as usual', async () => {
    for (const each of [service, wiredService]) expect(await each.end()).toEqual({ code: 0, signal: null });
  });
});
