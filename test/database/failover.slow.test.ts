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
import { Mirror, readTruth } from '../support/mirror';
import { exchange } from '../support/rest-client';
import { findValue, parseMetrics } from '../observability/parse-metrics';
import type { SeededKey } from '../support/seed';
import { seedApiKey, seedOrder, seedProduct, seedShop } from '../support/seed';
import type { SqlPool } from '../support/sql-pool';
import { openSqlPool } from '../support/sql-pool';
import type { Sql } from '../support/test-database';

if (replicationMissing !== undefined) console.log(`Standbys and failovers are not tried: ${replicationMissing}.`);

(replicationMissing === undefined ? describe : describe.skip)('a primary with a standby', () => {
  let replication: Awaited<ReturnType<typeof startReplication>>;
  let onPrimary: Sql;
  let onStandby: Sql;
  let key: SeededKey;
  let shopId: string;
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
    shopId = await seedShop(onPrimary);
    await seedProduct(onPrimary, shopId, { title: '0' });
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

  describe('that serves reads (decisions.md 27)', () => {
    let service: ServiceProcess;
    beforeAll(async () => {
      service = await startServiceProcess(replication.primary.url, {
        DATABASE_REPLICA_URLS: replication.standby.url,
        // The test checks which database responds, on a machine that may be short of CPU. Speed is tested elsewhere.
        DATABASE_REPLICA_TIMEOUT_MS: '1000',
      });
      await untilReadFromReplica();
    });
    afterAll(async () => expect(await service.end()).toEqual({ code: 0, signal: null }));

    const countOf = async (outcome: string) =>
      findValue(parseMetrics((await exchange(service.origin, '/metrics', {})).text), 'database_replica_reads_total', {
        replica: '0',
        outcome,
      });
    let question = 0;
    /** An uncached page, which has to be read from a database. */
    const readTitle = async () => {
      const page = `/v1/products?q=&vendor=Kiln%20%26%20Co&limit=${(question++ % 200) + 1}`;
      const { status, text } = await get(service.origin, page);
      expect(status).toBe(200);
      return (JSON.parse(text) as { data: { title: string }[] }).data[0]?.title;
    };
    const untilReadFromReplica = async () => {
      const before = await countOf('answered');
      while ((await countOf('answered')) === before) {
        await onPrimary('UPDATE shops SET name = name');
        await readTitle();
      }
    };

    it('never returns less than what was committed before the request, while rows are written as fast as possible', async () => {
      let committed = 0;
      let writing = true;
      const writer = (async () => {
        while (writing) {
          await onPrimary('UPDATE products SET title = $1', [String(committed + 1)]);
          committed += 1;
        }
      })();
      const stale: string[] = [];
      const [answeredBefore, elsewhereBefore] = [await countOf('answered'), await countOf('other_version')];
      for (let read = 0; read < 300; read++) {
        const atLeast = committed;
        const title = Number(await readTitle());
        if (title < atLeast) stale.push(`${title} after ${atLeast}`);
      }
      writing = false;
      await writer;
      expect(stale).toEqual([]);
      expect((await countOf('other_version')) - elsewhereBefore).toBeGreaterThan(0);
      await untilReadFromReplica();
      expect((await countOf('answered')) - answeredBefore).toBeGreaterThan(0);
    });

    it('is bypassed while its replay is paused, and used again when it continues', async () => {
      await onStandby('SELECT pg_wal_replay_pause()');
      await onPrimary("UPDATE products SET title = 'while paused'");
      const answered = await countOf('answered');
      expect(await readTitle()).toBe('while paused');
      expect(await readTitle()).toBe('while paused');
      expect(await countOf('answered')).toBe(answered);
      await onStandby('SELECT pg_wal_replay_resume()');
      await untilReadFromReplica();
      expect(await readTitle()).toBe('while paused');
    });

    it('serves the change feed, in which a mirror misses nothing while the replica lags or catches up', async () => {
      const mirror = new Mirror(service.origin, key.apiKey);
      await mirror.drain();
      const write: readonly ((round: number) => Promise<unknown>)[] = [
        (round) => seedProduct(onPrimary, shopId, { title: `new ${round}` }),
        (round) => onPrimary('UPDATE products SET title = $1 WHERE shop_id = $2', [`all ${round}`, shopId]),
        (round) => onPrimary('UPDATE shops SET product_limit = $1 WHERE shop_id = $2', [(round % 5) + 1, shopId]),
        () => seedOrder(onPrimary, shopId),
        () => onPrimary('DELETE FROM orders WHERE shop_id = $1', [shopId]),
      ];
      const [answered, elsewhere] = [await countOf('answered'), await countOf('other_version')];
      for (let round = 0; round < 20; round += 1) {
        const lags = round % 2 === 0;
        if (lags) await onStandby('SELECT pg_wal_replay_pause()');
        await write[round % write.length]?.(round);
        await mirror.drain(2);
        expect({ round, copy: mirror.state() }).toEqual({ round, copy: await readTruth(onPrimary, shopId) });
        if (lags) await onStandby('SELECT pg_wal_replay_resume()');
      }
      expect((await countOf('other_version')) - elsewhere).toBeGreaterThan(0);
      // Once the replica has caught up with the primary's version, whole pages of the feed come from it.
      while ((await countOf('answered')) === answered) {
        await onPrimary('UPDATE products SET title = title WHERE shop_id = $1', [shopId]);
        await mirror.drain(2);
      }
      expect(mirror.state()).toEqual(await readTruth(onPrimary, shopId));
      await onPrimary('UPDATE shops SET product_limit = NULL');
    });
  });

  it('is found again after a failover without a restart, with nothing but 503 in between', async () => {
    const { primary, standby } = replication;
    await onPrimary("UPDATE products SET title = 'Teapot'");
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
