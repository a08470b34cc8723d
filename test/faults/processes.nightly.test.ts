import { execFileSync } from 'node:child_process';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { buildCatalog } from '../cli/run-catalog';
import type { RoleLogins } from '../deploy/role-logins';
import { createRoleLogins } from '../deploy/role-logins';
import { isListening } from '../support/free-port';
import { untilWaiting, whileLocked } from '../support/locked-table';
import { isAlive } from '../support/processes';
import { seedApiKey, seedShop } from '../support/seed';
import type { TestDatabase } from '../support/test-database';
import { createTestDatabase } from '../support/test-database';
import { runKilledProcess } from './killed-process';
import { runKilledWorker, workersOf } from './killed-worker';
import { ask, isAnswered } from '../support/load';
import type { Load } from '../support/load';
import type { Oracle } from '../support/oracle';
import { seedOracle } from '../support/oracle';
import { runRollingRestart } from './rolling-restart';
import { killServiceProcesses, patientSettings, startServiceProcess } from '../support/service-process';

let database: TestDatabase;
let logins: RoleLogins;
let url: string;
let oracle: Oracle;

beforeAll(async () => {
  buildCatalog();
  database = await createTestDatabase();
  logins = await createRoleLogins(database);
  url = logins.url('catalog_reader');
  oracle = await seedOracle(database.sql);
});
afterEach(killServiceProcesses);
afterAll(async () => {
  await logins.drop();
  await database.drop();
});

// `npm run faults` measures response times on an otherwise idle machine. Here the service's time limits are so long
// that other programs on the machine cannot cause refusals.

const problemsOf = ({ records }: Pick<Load, 'records'>) => [
  ...new Set(records.flatMap((record) => oracle.findProblems(record))),
];
const refusalsOf = ({ records }: Pick<Load, 'records'>) => records.filter((record) => !isAnswered(record));

const clients = 6;

describe('a rolling restart behind a load balancer', () => {
  it.each([
    ['opens a connection for each request', { keepsConnections: false }],
    ['keeps its connections', { keepsConnections: true }],
  ])('that %s fails no request, and every process ends with 0', async (_, options) => {
    const { load, ends } = await runRollingRestart(url, oracle, clients, options, patientSettings);
    expect(ends).toEqual([
      { code: 0, signal: null },
      { code: 0, signal: null },
    ]);
    expect(load.records.length).toBeGreaterThan(clients);
    expect(refusalsOf(load)).toEqual([]);
    expect(problemsOf(load)).toEqual([]);
  });
});

describe('a process that is killed', () => {
  it('harms only the requests that were in flight', async () => {
    const result = await runKilledProcess(url, oracle, clients, patientSettings);
    expect(result).toMatchObject({ harmedElsewhere: 0, problems: [] });
    expect(result.harmedInFlight).toBeLessThanOrEqual(clients / 2);
    expect(result.requests.length).toBeGreaterThanOrEqual(clients);
  });
});

describe('a process that receives a signal to stop', () => {
  it('ends immediately, with 1, on a second signal that comes later than an echo would', async () => {
    const service = await startServiceProcess(url, { SHUTDOWN_DELAY_MS: '60000' });
    while (service.child.exitCode === null) {
      service.child.kill('SIGTERM');
      await delay(50);
    }
    expect(service.child.exitCode).toBe(1);
    expect(service.log()).toContain('second signal to stop');
  });
});

describe('serve --workers', () => {
  it('shares port and buckets: exactly 120 of 200 concurrent calls of one key are admitted', async () => {
    const service = await startServiceProcess(url, { workers: '8', RATE_LIMIT_REQUESTS: '120', ...patientSettings });
    const { apiKey } = await seedApiKey(database.sql, await seedShop(database.sql));
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => ask(service.origin, { apiKey, target: '/v1/shop' })),
    );
    const count = (wanted: number) => answers.filter(({ status }) => status === wanted).length;
    expect({ admitted: count(200), refused: count(429) }).toEqual({ admitted: 120, refused: 80 });
    expect(await service.end()).toEqual({ code: 0, signal: null });
  });

  it('replaces a worker that dies; only its own requests are harmed', async () => {
    const { load, ...counts } = await runKilledWorker(url, oracle, clients, patientSettings);
    expect(counts).toEqual({ workersBefore: 2, workersAfter: 2, end: { code: 0, signal: null }, orphans: 0 });
    const harmed = refusalsOf(load);
    expect(harmed.length).toBeLessThanOrEqual(clients);
    expect(harmed.filter(({ status }) => status !== 0)).toEqual([]);
    const right = load.records.filter(isAnswered);
    expect(right.flatMap((record) => oracle.findProblems(record))).toEqual([]);
  });

  it('kills a worker that hangs and replaces it; no client is left waiting', async () => {
    const service = await startServiceProcess(url, { workers: '2', ...patientSettings });
    const [hanging] = workersOf(service.child) as [number];
    process.kill(hanging, 'SIGSTOP');
    const [question] = oracle.questions;
    // Each on a separate connection, so that the hanging worker gets one.
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask(service.origin, question as never)));
    const right = answers.filter(({ status }) => status === 200);
    expect(right).toHaveLength(7);
    expect(right.flatMap((record) => oracle.findProblems(record))).toEqual([]);
    expect(service.log()).toContain('a worker is not responding and will be killed');
    while (workersOf(service.child).filter((pid) => pid !== hanging).length < 2) await delay(20);
    expect(await service.end()).toEqual({ code: 0, signal: null });
  });

  it.each([32, 128])('gives no worker more than 1.5 times its share of %s connections', async (count) => {
    const service = await startServiceProcess(url, { workers: '8', ...patientSettings });
    const workers = workersOf(service.child);
    const before = workers.map(socketsOf);
    const clients = await Promise.all(Array.from({ length: count }, () => openConnection(service.port)));
    const shares = workers.map((pid, index) => socketsOf(pid) - Number(before[index]));
    for (const client of clients) client.destroy();
    expect(shares.reduce((sum, share) => sum + share, 0)).toBe(count);
    expect(Math.max(...shares)).toBeLessThanOrEqual((1.5 * count) / workers.length);
    expect(await service.end()).toEqual({ code: 0, signal: null });
  });

  it('drains all of them on SIGTERM: requests in flight at the end of the drain delay are answered', async () => {
    const service = await startServiceProcess(url, {
      workers: '2',
      SHUTDOWN_DELAY_MS: '300',
      // In each worker, one shop gets a third of them.
      DATABASE_POOL_SIZE: '12',
      ...patientSettings,
    });
    const requests = oracle.questions
      .filter(({ target, method }) => target.startsWith('/v1/products') && method === undefined)
      .slice(0, 4);
    const answers = await whileLocked(database, 'products', async () => {
      // Each on a separate connection, so that both workers get some.
      const asked = requests.map((question) => ask(service.origin, question));
      await untilWaiting(database, requests.length);
      service.child.kill('SIGTERM');
      while (await isListening(service.port));
      return asked;
    });
    const load = { records: await Promise.all(answers) };
    expect(refusalsOf(load)).toEqual([]);
    expect(problemsOf(load)).toEqual([]);
    while (service.child.exitCode === null) await delay(20);
    expect(service.child.exitCode).toBe(0);
  });

  it('ends with its primary: no worker continues without the process that counts for all (docs/decisions.md 22)', async () => {
    const service = await startServiceProcess(url, { workers: '2', ...patientSettings });
    const workers = workersOf(service.child);
    expect(workers).toHaveLength(2);
    expect(await service.end('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
    while (workers.some(isAlive)) await delay(20);
    expect(await isListening(service.port)).toBe(false);
  });
});

const socketsOf = (pid: number): number =>
  execFileSync('ls', ['-l', `/proc/${pid}/fd`])
    .toString()
    .split('socket:').length;

/** A connection that a worker has accepted, because it has responded. */
const openConnection = (port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1').on('error', reject);
    socket.once('data', () => resolve(socket));
    socket.write('GET /livez HTTP/1.1\r\nHost: a\r\n\r\n');
  });
