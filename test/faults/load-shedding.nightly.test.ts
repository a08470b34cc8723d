import { buildCatalog } from '../cli/run-catalog';
import type { RoleLogins } from '../deploy/role-logins';
import { createRoleLogins } from '../deploy/role-logins';
import { findValue, parseMetrics } from '../observability/parse-metrics';
import { untilWaiting, whileLocked } from '../support/locked-table';
import { exchange } from '../support/rest-client';
import { seedApiKey, seedProduct, seedShop } from '../support/seed';
import type { TestDatabase } from '../support/test-database';
import { createTestDatabase } from '../support/test-database';
import { ask } from '../support/load';
import type { ServiceProcess } from '../support/service-process';
import { killServiceProcesses, patientSettings, startServiceProcess } from '../support/service-process';

let database: TestDatabase;
let logins: RoleLogins;
let service: ServiceProcess;
/** Keys of two shops, because one shop does not get both connections. */
let apiKeys: readonly [string, string];

beforeAll(async () => {
  buildCatalog();
  database = await createTestDatabase();
  logins = await createRoleLogins(database);
  apiKeys = [await seedCaller(), await seedCaller()];
  service = await startServiceProcess(logins.url('catalog_reader'), {
    DATABASE_POOL_SIZE: '2',
    DATABASE_QUEUE_SIZE: '1',
    ...patientSettings,
  });
});
afterAll(async () => {
  await killServiceProcesses();
  await logins.drop();
  await database.drop();
});

async function seedCaller(): Promise<string> {
  const shopId = await seedShop(database.sql);
  await seedProduct(database.sql, shopId);
  return (await seedApiKey(database.sql, shopId)).apiKey;
}

/** A page of a unique size, which no other call reads at the same time. The shops alternate. */
const askForPage = (limit: number) =>
  ask(service.origin, { apiKey: apiKeys[limit % 2] as string, target: `/v1/products?limit=${limit}` });
const statusesOf = async (answers: readonly ReturnType<typeof ask>[]) =>
  (await Promise.all(answers)).map(({ status }) => status);

/** Resolves once that many statements are waiting for a connection of the service. */
async function untilQueued(count: number): Promise<void> {
  for (let waiting = NaN; waiting !== count;) {
    const { text } = await exchange(service.origin, '/metrics', {});
    waiting = findValue(parseMetrics(text), 'database_pool_connections', { state: 'waiting' });
  }
}

describe('more calls than connections and queue have room for', () => {
  it('are refused immediately with 503 and Retry-After, and those before them are served', async () => {
    const [admitted, refused] = await whileLocked(database, 'products', async () => {
      const onConnections: ReturnType<typeof ask>[] = [];
      for (const count of [1, 2]) {
        onConnections.push(askForPage(count));
        await untilWaiting(database, count);
      }
      const inQueue = askForPage(3);
      await untilQueued(1);
      // The table stays locked until all of these have a response. A time limit would have applied to the others as
      // well.
      const beyond = await Promise.all(Array.from({ length: 20 }, (_, index) => askForPage(index + 4)));
      return [[...onConnections, inQueue], beyond] as const;
    });
    expect(refused.map(({ status, headers }) => [status, headers['retry-after']])).toEqual(Array(20).fill([503, '1']));
    expect(await statusesOf(admitted)).toEqual([200, 200, 200]);
  });

  it('leave nothing behind: the next calls are served', async () => {
    for (const limit of [30, 31, 32]) expect(await statusesOf([askForPage(limit)])).toEqual([200]);
  });

  it('ends with 0', async () => {
    expect(await service.end()).toEqual({ code: 0, signal: null });
  });
});
