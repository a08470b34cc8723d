import { connect } from 'node:net';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { buildCatalog } from '../cli/run-catalog';
import { seedApiKey, seedShop } from '../support/seed';
import type { TestDatabase } from '../support/test-database';
import { createTestDatabase } from '../support/test-database';
import { runKilledWorker, workersOf } from './support/killed-worker';
import { ask, startLoad } from './support/load';
import type { Load } from './support/load';
import type { Oracle } from './support/oracle';
import { seedOracle } from './support/oracle';
import { runRollingRestart } from './support/rolling-restart';
import { startServiceProcess } from './support/service-process';

let database: TestDatabase;
let oracle: Oracle;

beforeAll(async () => {
  buildCatalog();
  database = await createTestDatabase();
  oracle = await seedOracle(database.sql);
});
afterAll(() => database.drop());

const problemsOf = ({ records }: Load) => [...new Set(records.flatMap((record) => oracle.findProblems(record)))];
const refusalsOf = ({ records }: Load) => records.filter(({ status }) => status !== 200);

describe('a rolling restart behind a balancer', () => {
  it('fails no request, and every process ends with 0', async () => {
    const { load, ends } = await runRollingRestart(database.url, oracle, 6);
    expect(ends).toEqual([
      { code: 0, signal: null },
      { code: 0, signal: null },
    ]);
    expect(load.records.length).toBeGreaterThan(50);
    expect(refusalsOf(load)).toEqual([]);
    expect(problemsOf(load)).toEqual([]);
  });
});

describe('a process that is told to stop', () => {
  it('is not ready at once, still answers, and says that its connections end', async () => {
    const service = await startServiceProcess(database.url, { SHUTDOWN_DELAY_MS: '1500' });
    const [question] = oracle.questions;
    const ended = service.end();
    const ready = { apiKey: '', target: '/readyz' };
    while ((await ask(service.origin, ready)).status === 200);
    const answer = await ask(service.origin, question as never);
    expect({ status: answer.status, connection: answer.headers.connection }).toEqual({
      status: 200,
      connection: 'close',
    });
    expect(await ended).toEqual({ code: 0, signal: null });
  });

  it('ends at once, with 1, when it is told again', async () => {
    const service = await startServiceProcess(database.url, { SHUTDOWN_DELAY_MS: '60000' });
    service.child.kill('SIGTERM');
    while (!service.log().includes('stopping')) await delay(5);
    expect(await service.end()).toEqual({ code: 1, signal: null });
  });

  it('does not wait for a client that never finishes its request, and ends with 0', async () => {
    const service = await startServiceProcess(database.url, { SHUTDOWN_DELAY_MS: '0' });
    const socket = connect(service.port, '127.0.0.1');
    await once(socket, 'connect');
    socket.on('error', () => undefined).write('POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{');
    expect(await service.end()).toEqual({ code: 0, signal: null });
    socket.destroy();
  });
});

describe('serve --workers', () => {
  it('shares port and buckets: exactly 120 of 200 concurrent calls of one key are admitted', async () => {
    const service = await startServiceProcess(database.url, { workers: '2', RATE_LIMIT_REQUESTS: '120' });
    const { apiKey } = await seedApiKey(database.sql, await seedShop(database.sql));
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => ask(service.origin, { apiKey, target: '/v1/shop' })),
    );
    const count = (wanted: number) => answers.filter(({ status }) => status === wanted).length;
    expect({ admitted: count(200), refused: count(429) }).toEqual({ admitted: 120, refused: 80 });
    expect(await service.end()).toEqual({ code: 0, signal: null });
  });

  it('replaces a worker that dies; only its own requests are harmed', async () => {
    const clients = 6;
    const { load, ...counts } = await runKilledWorker(database.url, oracle, clients);
    expect(counts).toEqual({ workersBefore: 2, workersAfter: 2, end: { code: 0, signal: null }, orphans: 0 });
    const harmed = refusalsOf(load);
    expect(harmed.length).toBeLessThanOrEqual(clients);
    expect(harmed.filter(({ status }) => status !== 0)).toEqual([]);
    const right = load.records.filter(({ status }) => status === 200);
    expect(right.flatMap((record) => oracle.findProblems(record))).toEqual([]);
  });

  it('leaves no client waiting for a worker that hangs and is killed', async () => {
    const service = await startServiceProcess(database.url, { workers: '2' });
    const [hanging] = workersOf(service.child) as [number];
    process.kill(hanging, 'SIGSTOP');
    const [question] = oracle.questions;
    // Each on a connection of its own, so that the one that hangs has its turn.
    const answers = Promise.all(Array.from({ length: 8 }, () => ask(service.origin, question as never)));
    await Promise.race([answers, delay(500)]);
    process.kill(hanging, 'SIGKILL');
    const right = (await answers).filter(({ status }) => status === 200);
    expect(right.length).toBeGreaterThan(0);
    expect(right.flatMap((record) => oracle.findProblems(record))).toEqual([]);
    expect(await service.end()).toEqual({ code: 0, signal: null });
  });

  it('drains all of them on SIGTERM: what is under way is answered', async () => {
    const service = await startServiceProcess(database.url, { workers: '2' });
    const load = startLoad(service.origin, oracle.questions, 4);
    await delay(200);
    const ended = service.end();
    // Clients that come later than the notice are nobody's failure.
    await delay(300);
    await load.stop();
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(refusalsOf(load)).toEqual([]);
    expect(problemsOf(load)).toEqual([]);
  });
});
