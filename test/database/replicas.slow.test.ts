import { listProducts } from '../../src/catalog/product/product';
import { createProductJsonReader } from '../../src/catalog/rows/product-json';
import { ShopRows } from '../../src/catalog/rows/shop-rows';
import type { ReplicatedDatabase } from '../../src/database/replicated-database';
import { openReplicatedDatabase } from '../../src/database/replicated-database';
import { findValue, parseMetrics } from '../observability/parse-metrics';
import { exchange } from '../support/rest-client';
import { seedApiKey, seedProduct, seedShop } from '../support/seed';
import type { Service } from '../support/service';
import { startService } from '../support/service';
import type { TcpProxy } from '../support/tcp-proxy';
import { startTcpProxy } from '../support/tcp-proxy';
import type { Sql, TestDatabase } from '../support/test-database';
import { useTestDatabase } from '../support/test-database';

/** Longer than any test takes: unless a test wants it, no replica counts as too slow, even on a busy machine. */
const patienceMilliseconds = 300_000;
const patient = { DATABASE_REPLICA_TIMEOUT_MS: String(patienceMilliseconds) };

/** Simulates a replica: a database whose rows are marked as the replica's, and whose versions the test sets. */
const copy = useTestDatabase();
let wire: TcpProxy;
let replicaUrl: string;

beforeEach(async () => {
  ({ wire, url: replicaUrl } = await wireTo(copy));
});
afterEach(async () => {
  await wire.cut();
});

async function wireTo(database: TestDatabase): Promise<{ wire: TcpProxy; url: string }> {
  const direct = new URL(database.url);
  const wire = await startTcpProxy({ host: direct.hostname, port: Number(direct.port || 5432) });
  return { wire, url: Object.assign(new URL(direct), { hostname: '127.0.0.1', port: String(wire.port) }).href };
}

/** The same shop everywhere, except that each database titles its product with the database's own name. */
async function seedBoth(primary: Sql, second?: Sql): Promise<string> {
  const shopId = await seedShop(primary);
  const id = await seedProduct(primary, shopId, { title: 'primary' });
  for (const [title, sql] of Object.entries({ replica: copy.sql, ...(second && { second }) })) {
    await seedShop(sql, { shop_id: shopId });
    await seedProduct(sql, shopId, { id, title });
    await catchUp(primary, shopId, 0n, sql);
  }
  return shopId;
}

const readVersion = async (sql: Sql, shopId: string): Promise<string> => {
  const [row] = await sql<{ version: string }>('SELECT data_version AS version FROM shops WHERE shop_id = $1', [
    shopId,
  ]);
  return row?.version ?? '';
};

const catchUp = async (primary: Sql, shopId: string, lead = 0n, replica = copy.sql) =>
  setVersion(shopId, BigInt(await readVersion(primary, shopId)) + lead, replica);

/** Bypasses the triggers, as replication does. */
const setVersion = (shopId: string, version: bigint, replica = copy.sql) =>
  replica(`DO $$ BEGIN
    SET LOCAL session_replication_role = replica;
    UPDATE shops SET data_version = ${version} WHERE shop_id = '${shopId}';
  END $$`);

describe('rows of a shop, with a replica (decisions.md 27)', () => {
  const primary = useTestDatabase();
  let database: ReplicatedDatabase;
  let shopId: string;
  let events: string[];
  /** The numbers of the replicas that were queried. */
  let asked: number[];
  /** Constant unless a test advances it, so that a busy machine changes nothing. */
  let now: number;

  const open = (urls = [replicaUrl], timeoutMilliseconds = patienceMilliseconds) =>
    openReplicatedDatabase({
      primary: primary.database,
      urls,
      poolSize: 2,
      timeoutMilliseconds,
      pauseMilliseconds: 20,
      clock: { now: () => now },
      onError: () => undefined,
      onAsked: (replica, outcome) => {
        asked.push(replica);
        events.push(outcome);
      },
      onLost: () => events.push('lost'),
      onFound: () => events.push('found'),
    });
  const untilInUse = async () => {
    while (database.replicasInUse().includes(false)) await new Promise((resolve) => setImmediate(resolve));
  };
  const rowsAt = (dataVersion: string) =>
    new ShopRows({ database, readProduct: createProductJsonReader(database) }, { shopId, dataVersion });
  /** Which database returns the row to a request whose key has this version. */
  const read = async (dataVersion: string) => {
    const list = listProducts(rowsAt(dataVersion), {}, { sortKey: 'CREATED_AT', reverse: false });
    const { items } = await list.read({ after: undefined, before: undefined, limit: 1, backwards: false });
    return items.map(({ title }) => title);
  };
  const currentVersion = () => readVersion(primary.sql, shopId);

  beforeEach(async () => {
    [events, asked] = [[], []];
    now = 1_000;
    shopId = await seedBoth(primary.sql);
    database = open();
    await untilInUse();
  });
  afterEach(async () => {
    await database.closeReplicas();
  });

  it('come from the replica when it has them in the version that the primary reported', async () => {
    expect(await read(await currentVersion())).toEqual(['replica']);
    expect(events).toEqual(['answered']);
  });

  it('come from the replica in their order, and as none when there are none', async () => {
    const ids = [];
    for (let index = 0; index < 30; index++) ids.push(await seedProduct(copy.sql, shopId, { vendor: 'Loom' }));
    await catchUp(primary.sql, shopId);
    const rows = rowsAt(await currentVersion());
    const range = { after: undefined, before: undefined, limit: 200, backwards: false };
    const found = async (vendor: string, reverse: boolean) =>
      (await listProducts(rows, { vendor }, { sortKey: 'CREATED_AT', reverse }).read(range)).items.map(({ id }) => id);
    expect(await found('Loom', false)).toEqual(ids);
    expect(await found('Loom', true)).toEqual(ids.toReversed());
    expect(await found('Nobody', false)).toEqual([]);
    expect(events).toEqual(['answered', 'answered', 'answered']);
  });

  it('are one product with its variants too; a shop that the replica has in another version affects no other', async () => {
    const otherShopId = await seedBoth(primary.sql);
    const source = { database, readProduct: createProductJsonReader(database) };
    const shops = await primary.sql<{ shopId: string; dataVersion: string; id: string }>(
      'SELECT shop_id AS "shopId", data_version AS "dataVersion", id FROM shops JOIN products USING (shop_id) WHERE shop_id = ANY ($1)',
      [[shopId, otherShopId]],
    );
    const readTitles = async () => {
      const found = shops.map(({ id, ...at }) => new ShopRows(source, at).rawProduct(id));
      return (await Promise.all(found)).map(([json = '']) => (JSON.parse(json) as { title: string }).title);
    };
    expect(await readTitles()).toEqual(['replica', 'replica']);
    await setVersion(otherShopId, 1n);
    expect(await readTitles()).toEqual(shops.map((shop) => (shop.shopId === otherShopId ? 'primary' : 'replica')));
  });

  it('come from the primary while the replica is behind, and from the replica again once it has caught up', async () => {
    await primary.sql("UPDATE products SET title = 'primary, later' WHERE shop_id = $1", [shopId]);
    expect(await read(await currentVersion())).toEqual(['primary, later']);
    expect(await read(await currentVersion())).toEqual(['primary, later']);
    // The second request did not query the replica: the shop bypasses it for a short time.
    expect(events).toEqual(['other_version']);
    await catchUp(primary.sql, shopId);
    expect(await read(await currentVersion())).toEqual(['primary, later']);
    now += 251;
    while ((await read(await currentVersion()))[0] !== 'replica');
    expect(events).toEqual(['other_version', 'answered']);
  });

  it('come from the primary when the replica is ahead of the key: a response never mixes two versions', async () => {
    const version = await currentVersion();
    await catchUp(primary.sql, shopId, 1n);
    expect(await read(version)).toEqual(['primary']);
  });

  it('come from the primary when the replica does not know the shop', async () => {
    await copy.sql('DELETE FROM shops WHERE shop_id = $1', [shopId]);
    expect(await read(await currentVersion())).toEqual(['primary']);
  });

  it('come from the primary while the replica is unavailable, which is probed in the background and used again', async () => {
    await wire.cut();
    expect(await read(await currentVersion())).toEqual(['primary']);
    expect(await read(await currentVersion())).toEqual(['primary']);
    expect(events).toEqual(['failed', 'lost']);
    await wire.mend();
    await untilInUse();
    expect(await read(await currentVersion())).toEqual(['replica']);
    expect(events).toEqual(['failed', 'lost', 'found', 'answered']);
  });

  it('come from the primary when the replica is too slow, which is then bypassed for a while', async () => {
    await database.closeReplicas();
    database = open([replicaUrl], 300);
    // On a busy machine the first probe may fail, and a later one succeeds.
    await untilInUse();
    events = [];
    wire.slowDown(5_000);
    expect(await read(await currentVersion())).toEqual(['primary']);
    expect(await read(await currentVersion())).toEqual(['primary']);
    expect(events).toEqual(['failed', 'lost']);
  });

  it('come from the primary when the replica had to cancel the statement for what it replays, and stays in use', async () => {
    await copy.sql(`
      ALTER TABLE shops RENAME TO shops_of_copy;
      CREATE FUNCTION conflict() RETURNS bigint LANGUAGE plpgsql AS $$
        BEGIN RAISE 'canceling statement due to conflict with recovery' USING ERRCODE = '40001'; END $$;
      CREATE VIEW shops AS SELECT shop_id, conflict() AS data_version, visible_until_at, visible_until_id FROM shops_of_copy`);
    expect(await read(await currentVersion())).toEqual(['primary']);
    await copy.sql('DROP VIEW shops; DROP FUNCTION conflict; ALTER TABLE shops_of_copy RENAME TO shops');
    expect(events).toEqual(['failed']);
    expect(database.replicasInUse()).toEqual([true]);
  });

  it('come from the primary when there are more concurrent requests than the replica takes, and it stays in use', async () => {
    const version = await currentVersion();
    const titles = (await Promise.all(Array.from({ length: 50 }, () => read(version)))).flat();
    expect(new Set(titles)).toEqual(new Set(['primary', 'replica']));
    expect(database.replicasInUse()).toEqual([true]);
  });

  it('come from the primary when the replica was unavailable from the start, without querying it', async () => {
    await database.closeReplicas();
    await wire.cut();
    database = open();
    expect(await read(await currentVersion())).toEqual(['primary']);
    while (!events.includes('lost')) await new Promise((resolve) => setImmediate(resolve));
    expect(await read(await currentVersion())).toEqual(['primary']);
    expect(events).toEqual(['lost']);
    await wire.mend();
  });

  describe('when there are two', () => {
    const secondCopy = useTestDatabase();
    let secondWire: TcpProxy;
    beforeEach(async () => {
      const second = await wireTo(secondCopy);
      secondWire = second.wire;
      shopId = await seedBoth(primary.sql, secondCopy.sql);
      await database.closeReplicas();
      database = open([replicaUrl, second.url]);
      await untilInUse();
    });
    afterEach(async () => {
      await secondWire.cut();
    });

    const readOften = async (times: number) => {
      const titles: unknown[] = [];
      while (titles.length < times) titles.push(...(await read(await currentVersion())));
      return titles;
    };

    it('come from both alternately', async () => {
      expect(await readOften(4)).toEqual(['second', 'replica', 'second', 'replica']);
      expect(events).toEqual(['answered', 'answered', 'answered', 'answered']);
      expect(asked).toEqual([1, 0, 1, 0]);
    });

    it('come from the other while one is unavailable, after one from the primary, and from both once it recovers', async () => {
      await secondWire.cut();
      expect(await readOften(4)).toEqual(['primary', 'replica', 'replica', 'replica']);
      expect(database.replicasInUse()).toEqual([true, false]);
      await secondWire.mend();
      await untilInUse();
      expect(new Set(await readOften(2))).toEqual(new Set(['second', 'replica']));
    });

    it('come from the other while one is behind, after one from the primary; other shops from both', async () => {
      const otherShopId = await seedBoth(primary.sql, secondCopy.sql);
      await setVersion(shopId, 1n, secondCopy.sql);
      expect(await readOften(4)).toEqual(['primary', 'replica', 'replica', 'replica']);
      expect(events).toEqual(['other_version', 'answered', 'answered', 'answered']);
      shopId = otherShopId;
      expect(new Set(await readOften(2))).toEqual(new Set(['second', 'replica']));
    });

    it('come from the primary when both lag, or both are unavailable', async () => {
      for (const { sql } of [copy, secondCopy]) await setVersion(shopId, 1n, sql);
      expect(await readOften(3)).toEqual(['primary', 'primary', 'primary']);
      expect(events).toEqual(['other_version', 'other_version']);
      for (const each of [wire, secondWire]) await each.cut();
      expect(await readOften(3)).toEqual(['primary', 'primary', 'primary']);
      await wire.mend();
      await secondWire.mend();
    });
  });
});

describe('the service with a replica', () => {
  let service: Service;
  beforeEach(async () => {
    service = await startService({ settings: { ...patient, DATABASE_REPLICA_URLS: replicaUrl } });
    while ((await replicaMetric('database_replica_in_use')) !== 1);
  });
  afterEach(() => service.close());

  const replicaMetric = async (name: string, labels: Record<string, string> = {}) =>
    findValue(parseMetrics((await exchange(service.origin, '/metrics', {})).text), name, { replica: '0', ...labels });

  it('reads keys, plans and limits from the primary and rows from the replica, and shows a write in the very next response', async () => {
    const shopId = await seedBoth(service.sql);
    // The replica does not have the key yet.
    const { apiKey } = await seedApiKey(service.sql, shopId);
    await catchUp(service.sql, shopId);
    const titles = async () =>
      ((await service.client(apiKey).get('/products')).body as { data: { title: string }[] }).data.map(
        ({ title }) => title,
      );
    expect(await titles()).toEqual(['replica']);
    await service.sql("UPDATE products SET title = 'primary, later'");
    expect(await titles()).toEqual(['primary, later']);
    await service.sql('UPDATE shops SET product_limit = 0');
    expect(await titles()).toEqual([]);
    const reads = (outcome: string) => replicaMetric('database_replica_reads_total', { outcome });
    expect([await reads('answered'), await reads('failed')]).toEqual([1, 0]);
    // The last request queries the replica only if it comes a quarter of a second after the previous one.
    expect([1, 2]).toContain(await reads('other_version'));
  });

  it('is ready, and answers, without the replica', async () => {
    const shopId = await seedBoth(service.sql);
    const { apiKey } = await seedApiKey(service.sql, shopId);
    await catchUp(service.sql, shopId);
    await wire.cut();
    expect((await service.client(apiKey).get('/products')).status).toBe(200);
    expect((await exchange(service.origin, '/readyz', {})).status).toBe(200);
    expect(await replicaMetric('database_replica_in_use')).toBe(0);
    expect(service.log.map(({ msg }) => msg)).toContain('replica is not responding; other servers take its reads');
    await wire.mend();
  });
});
