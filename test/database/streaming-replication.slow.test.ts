import { migrate } from '../../src/database/migrate';
import { buildCatalog } from '../cli/run-catalog';
import type { ServiceProcess } from '../support/service-process';
import { startServiceProcess } from '../support/service-process';
import { findValue, parseMetrics } from '../observability/parse-metrics';
import { exchange } from '../support/rest-client';
import { Mirror, readTruth } from '../support/mirror';
import { seedApiKey, seedOrder, seedProduct, seedShop } from '../support/seed';
import type { SqlPool } from '../support/sql-pool';
import { openSqlPool } from '../support/sql-pool';
import type { Sql } from '../support/test-database';
import { replicationMissing, startReplication } from '../support/native-replication';

if (replicationMissing !== undefined) console.log(`Streaming replication is not tried: ${replicationMissing}.`);

(replicationMissing === undefined ? describe : describe.skip)(
  'a replica that follows by streaming (decisions.md 27)',
  () => {
    let replication: Awaited<ReturnType<typeof startReplication>>;
    let service: ServiceProcess;
    let onPrimary: Sql;
    let onStandby: Sql;
    let apiKey: string;
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
      const { primary, standby } = replication;
      onPrimary = connect(primary.url);
      onStandby = connect(standby.url);
      await migrate(primary.url);
      shopId = await seedShop(onPrimary);
      await seedProduct(onPrimary, shopId, { title: '0' });
      ({ apiKey } = await seedApiKey(onPrimary, shopId));
      service = await startServiceProcess(primary.url, {
        DATABASE_REPLICA_URLS: standby.url,
        // The test checks which database responds, on a machine that may be short of CPU. Speed is tested elsewhere.
        DATABASE_REPLICA_TIMEOUT_MS: '1000',
      });
      await untilReadFromReplica();
    });
    afterAll(async () => {
      expect(await service.end()).toEqual({ code: 0, signal: null });
      await Promise.all(pools.map((pool) => pool.end()));
      await replication.standby.stop();
      await replication.primary.stop();
      replication.remove();
    });

    const countOf = async (outcome: string) =>
      findValue(parseMetrics((await exchange(service.origin, '/metrics', {})).text), 'database_replica_reads_total', {
        replica: '0',
        outcome,
      });
    let question = 0;
    /** An uncached page, which has to be read from a database. */
    const readTitle = async () => {
      const { status, text } = await exchange(
        service.origin,
        `/v1/products?q=&vendor=Kiln%20%26%20Co&limit=${(question++ % 200) + 1}`,
        {
          headers: { Authorization: `Bearer ${apiKey}` },
        },
      );
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
      const mirror = new Mirror(service.origin, apiKey);
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

    it('costs only its share of the work when it is down', async () => {
      await replication.standby.stop();
      await onPrimary("UPDATE products SET title = 'alone'");
      expect(await readTitle()).toBe('alone');
      expect((await exchange(service.origin, '/readyz', {})).status).toBe(200);
    });
  },
);
