import { createKeyReader } from '../../src/auth/authenticator';
import { migrate } from '../../src/database/migrate';
import { openDatabase } from '../../src/database/open-database';
import { provideDatabase } from '../../src/database/provide-database';
import { StandbyError } from '../../src/database/database-failure';
import { buildCatalog } from '../cli/run-catalog';
import type { ServiceProcess } from '../support/service-process';
import { killServiceProcesses, patientSettings, startServiceProcess } from '../support/service-process';
import { startApp } from '../support/app';
import { replicationMissing, startReplication } from '../support/native-replication';
import { exchange } from '../support/rest-client';
import type { SeededKey } from '../support/seed';
import { seedApiKey, seedProduct, seedShop } from '../support/seed';
import type { SqlPool } from '../support/sql-pool';
import { openSqlPool } from '../support/sql-pool';
import type { Sql } from '../support/test-database';

if (replicationMissing !== undefined) console.log(`Standbys and failovers are not tried: ${replicationMissing}.`);

(replicationMissing === undefined ? describe : describe.skip)('a primary with a standby', () => {
  let replication: Awaited<ReturnType<typeof startReplication>>;
  let onPrimary: Sql;
  let onStandby: Sql;
  let key: SeededKey;
  const pools: SqlPool[] = [];

  const connect = (url: string): Sql => {
    const pool = openSqlPool(url);
    pools.push(pool);
    return pool.sql;
  };

  beforeAll(async () => {
    buildCatalog();
    replication = await startReplication();
    onPrimary = connect(replication.primary.url);
    onStandby = connect(replication.standby.url);
    await migrate(replication.primary.url);
    const shopId = await seedShop(onPrimary);
    await seedProduct(onPrimary, shopId, { title: 'Teapot' });
    key = await seedApiKey(onPrimary, shopId);
    while ((await onStandby("SELECT FROM pg_tables WHERE tablename = 'api_keys'")).length === 0);
    while ((await onStandby('SELECT FROM api_keys')).length === 0);
  });
  afterAll(async () => {
    await killServiceProcesses();
    await Promise.all(pools.map((pool) => pool.end()));
    await replication.standby.stop();
    await replication.primary.stop();
    replication.remove();
  });

  const get = (origin: string, path: string) =>
    exchange(origin, path, { headers: { Authorization: `Bearer ${key.apiKey}` } });

  it('is not served from the standby, which may not know of a revoked key', async () => {
    const database = openDatabase({ url: replication.standby.url, poolSize: 2 });
    const { app, origin } = await startApp({ database });
    for (const path of ['/v1/products', '/v1/shop', '/readyz']) expect((await get(origin, path)).status).toBe(503);
    await app.close(0);
    await database.close();
    await expect(
      provideDatabase(
        { databaseUrl: replication.standby.url, databasePoolSize: 1, dataDir: '/nonexistent' },
        { log: () => undefined, waitMilliseconds: 0 },
      ),
    ).rejects.toThrow('this server is a standby. DATABASE_URL must point to the primary');
  });

  it('reads no key on a connection that a proxy moved to the standby', async () => {
    const moved = {
      readRows: async ({ text, values }: { text: string; values: unknown[] }) => {
        const rows = await onStandby<Record<string, string | null>>(text, values);
        return rows.map((row) => Object.values(row));
      },
    };
    const readKey = createKeyReader(moved as unknown as Parameters<typeof createKeyReader>[0]);
    await expect(readKey({ shopId: '8c1ec063-a88b-4381-b654-08d69a85114e', clientId: 'any' })).rejects.toThrow(
      StandbyError,
    );
  });

  it('is found again after a failover without a restart, with nothing but 503 in between', async () => {
    const { primary, standby } = replication;
    const hosts = [primary, standby].map(({ url }) => new URL(url).host).join(',');
    const url = `postgresql://postgres@${hosts}/postgres?target_session_attrs=primary`;
    const service: ServiceProcess = await startServiceProcess(url, patientSettings);
    const statuses = new Set<number>();
    const read = async () => {
      const { status, text } = await get(service.origin, '/v1/products');
      if (status === 200) expect(text).toContain('Teapot');
      statuses.add(status);
      return status;
    };
    expect(await read()).toBe(200);
    await primary.stop();
    for (let count = 0; count < 6; count += 1) expect(await read()).toBe(503);
    expect((await exchange(service.origin, '/readyz', {})).status).toBe(503);

    await onStandby('SELECT pg_promote()');
    while ((await read()) !== 200);
    for (let count = 0; count < 20; count += 1) expect(await read()).toBe(200);
    expect([...statuses].sort()).toEqual([200, 503]);
    expect((await exchange(service.origin, '/readyz', {})).status).toBe(200);

    await onStandby('UPDATE api_keys SET revoked_at = now()');
    expect(await read()).toBe(401);
    expect(await service.end()).toEqual({ code: 0, signal: null });
  });
});
