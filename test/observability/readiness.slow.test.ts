import type { DatabaseHealth } from '../../src/observability/readiness';
import { createReadiness } from '../../src/observability/readiness';
import { exchange } from '../support/rest-client';
import type { Service } from '../support/service';
import { startService } from '../support/service';

const healthy: DatabaseHealth = { reachable: true, migrated: true };

/** A database that responds when the test lets it. */
function createSlowDatabase() {
  const waiting: ((health: DatabaseHealth) => void)[] = [];
  const probeDatabase = jest.fn(() => new Promise<DatabaseHealth>((resolve) => waiting.push(resolve)));
  return { probeDatabase, answer: (health: DatabaseHealth) => waiting.shift()?.(health) };
}

describe('readiness', () => {
  it('probes the database once for concurrent callers, and again for later ones', async () => {
    const { probeDatabase, answer } = createSlowDatabase();
    const check = createReadiness({ probeDatabase, isDraining: () => false });
    const reports = [check(), check(), check()];
    answer(healthy);
    expect(await Promise.all(reports)).toEqual(
      Array(3).fill({
        ready: true,
        checks: { database: true, migrations: true, draining: false },
      }),
    );
    expect(probeDatabase).toHaveBeenCalledTimes(1);
    void check();
    expect(probeDatabase).toHaveBeenCalledTimes(2);
  });

  it('reports a database that hangs as unreachable, and starts no second probe meanwhile', async () => {
    const { probeDatabase, answer } = createSlowDatabase();
    const check = createReadiness({ probeDatabase, isDraining: () => false, timeoutMilliseconds: 1 });
    const away = { ready: false, checks: { database: false, migrations: null, draining: false } };
    expect([await check(), await check(), await check()]).toEqual([away, away, away]);
    expect(probeDatabase).toHaveBeenCalledTimes(1);
    answer(healthy);
    await new Promise(setImmediate);
    const report = check();
    answer(healthy);
    expect(await report).toMatchObject({ ready: true });
  });

  it('is off while the process drains, whatever the checks report', async () => {
    const check = createReadiness({ probeDatabase: () => Promise.resolve(healthy), isDraining: () => true });
    expect(await check()).toMatchObject({ ready: false, checks: { database: true, draining: true } });
  });
});

describe('/readyz', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());
  const ask = () => exchange(service.origin, '/readyz', {});

  it('responds with 200 and what was checked', async () => {
    expect(await ask()).toMatchObject({
      status: 200,
      body: { ready: true, checks: { database: true, migrations: true, draining: false } },
    });
  });

  it('answers 503 while a migration of this build is missing, and while the migrations table is', async () => {
    const missing = { status: 503, body: { ready: false, checks: { database: true, migrations: false } } };
    const [last] = await service.sql<{ id: string }>(
      'UPDATE _prisma_migrations SET rolled_back_at = now() WHERE id = (SELECT max(id) FROM _prisma_migrations) RETURNING id',
    );
    expect(await ask()).toMatchObject(missing);
    await service.sql('UPDATE _prisma_migrations SET rolled_back_at = NULL WHERE id = $1', [last?.id]);
    await service.sql('ALTER TABLE _prisma_migrations RENAME TO elsewhere');
    expect(await ask()).toMatchObject(missing);
    await service.sql('ALTER TABLE elsewhere RENAME TO _prisma_migrations');
    expect(await ask()).toMatchObject({ status: 200 });
  });

  it('stays 200 when there are newer migrations than this build knows', async () => {
    await service.sql(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
       VALUES ('new', '', '99991231000000_later', now(), 1)`,
    );
    expect(await ask()).toMatchObject({ status: 200 });
  });

  it('answers 503 while the database cannot be reached', async () => {
    const live = () => exchange(service.origin, '/livez', {});
    const [answer, alive] = await service.duringOutage(async () => [await ask(), await live()]);
    expect(answer).toMatchObject({
      status: 503,
      headers: { 'retry-after': '1' },
      body: { checks: { database: false, migrations: null }, error: { code: 'SERVICE_UNAVAILABLE' } },
    });
    expect(alive).toMatchObject({ status: 200, body: { alive: true } });
    expect(await ask()).toMatchObject({ status: 200 });
  });
});

describe('with a REDIS_URL where no server listens', () => {
  it('serves, reports it, and counts it as degraded', async () => {
    const service = await startService({ settings: { REDIS_URL: 'redis://127.0.0.1:1' } });
    try {
      expect(await exchange(service.origin, '/readyz', {})).toMatchObject({
        status: 200,
        body: { ready: true, checks: { redis: 'degraded' } },
      });
      expect((await exchange(service.origin, '/metrics', {})).text).toContain('\nrate_limit_store_degraded 1\n');
    } finally {
      await service.close();
    }
  });
});
