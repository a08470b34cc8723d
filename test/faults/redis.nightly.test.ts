import { setTimeout as delay } from 'node:timers/promises';
import { buildCatalog } from '../cli/run-catalog';
import type { RoleLogins } from '../deploy/role-logins';
import { createRoleLogins } from '../deploy/role-logins';
import type { RedisServer } from '../rate-limit/redis-server';
import { redisMissing, startRedis } from '../rate-limit/redis-server';
import { exchange } from '../support/rest-client';
import type { TestDatabase } from '../support/test-database';
import { createTestDatabase } from '../support/test-database';
import { runBurst } from './burst';
import type { ServiceProcess } from '../support/service-process';
import { killServiceProcesses, patientSettings, startServiceProcess } from '../support/service-process';

if (redisMissing !== undefined) console.log(`Processes that share a Redis are not tried: ${redisMissing}.`);

(redisMissing === undefined ? describe : describe.skip)('four processes with one Redis (D18, D20)', () => {
  let database: TestDatabase;
  let logins: RoleLogins;
  let redis: RedisServer;
  let services: readonly ServiceProcess[];

  beforeAll(async () => {
    buildCatalog();
    database = await createTestDatabase();
    logins = await createRoleLogins(database);
    redis = await startRedis();
    const settings = { REDIS_URL: redis.url, RATE_LIMIT_REQUESTS: '120', ...patientSettings };
    services = await Promise.all(
      Array.from({ length: 4 }, () => startServiceProcess(logins.url('catalog_reader'), settings)),
    );
    await untilShared();
  });
  afterAll(async () => {
    await killServiceProcesses();
    await redis.kill();
    await logins.drop();
    await database.drop();
  });

  /** Until every process counts in Redis. */
  async function untilShared(): Promise<void> {
    for (const { origin } of services) {
      while (!(await exchange(origin, '/readyz', {})).text.includes('"redis":"shared"')) await delay(20);
    }
  }

  /** A new key and that many calls at once, a quarter to each process. */
  async function countOf(calls: number) {
    const { admitted, refused, problems } = await runBurst(database.sql, services, calls);
    return { admitted, refused, problems };
  }

  const countDegraded = (): number =>
    services.reduce((sum, service) => sum + service.log().split('Redis is unavailable').length, 0);

  /**
   * The same for a burst during which Redis responded to every process in time. On a machine that is short of CPU time
   * it may not, and then each process rightly counts separately.
   */
  async function countOfShared(calls: number) {
    for (;;) {
      await untilShared();
      const before = countDegraded();
      const counted = await countOf(calls);
      if (countDegraded() === before) return counted;
    }
  }

  const shared = { admitted: 120, refused: 280, problems: [] };
  const eachByItself = { admitted: 480, refused: 320, problems: [] };

  it('limit on their own while Redis is paused, and together when it continues', async () => {
    redis.signal('SIGSTOP');
    expect(await countOf(800)).toEqual(eachByItself);
    redis.signal('SIGCONT');
    expect(await countOfShared(400)).toEqual(shared);
  });

  it('limit on their own when Redis is killed, and together when it is started again, empty', async () => {
    await redis.kill();
    expect(await countOf(800)).toEqual(eachByItself);
    await redis.start();
    expect(await countOfShared(400)).toEqual(shared);
  });

  it('end with 0', async () => {
    for (const service of services) expect(await service.end()).toEqual({ code: 0, signal: null });
  });
});
