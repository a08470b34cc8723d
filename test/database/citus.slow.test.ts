import { createShop } from '../../src/catalog/shop/shop-store';
import { toDatabaseApiError } from '../../src/database/database-failure';
import { connectToShop } from '../../src/database/sharding/connect-to-shop';
import { migrate } from '../../src/database/migrate';
import { checkDerived } from '../../src/database/derived/check-derived';
import { distribute } from '../../src/database/sharding/distribute';
import { createDatabaseProbe } from '../../src/database/probe-database';
import { ImportHarness, lines, order, product, variant } from '../ingest/import-harness';
import type { ShopUnderImport } from '../ingest/import-harness';
import { createCatalogClient } from '../../client/src/index.ts';
import type { MirroredObject } from '../../client/src/index.ts';
import { Copy, readSource } from '../client/copy';
import { citusUrl } from '../support/citus-database';
import { seedApiKey, seedProduct, seedShop } from '../support/seed';
import { everyStatement } from './every-statement';
import { startService } from '../support/service';
import type { Sql } from '../support/test-database';

/*
 * On a real cluster, which neither Debian nor npm has. Where there is one, other tests run on it as well:
 * TEST_CITUS_URL=postgresql://postgres@coordinator/postgres npx jest test/rest test/graph
 */
if (citusUrl === undefined) console.log('Citus is not tried: TEST_CITUS_URL names no coordinator.');
const onCitus = citusUrl === undefined ? describe.skip : describe;

const file = lines(
  ...Array.from({ length: 20 }, (_, n) =>
    product({ external_id: `p${n}`, tags: ['a'], variants: [variant(), variant({ external_id: 'w', position: 2 })] }),
  ),
  ...Array.from({ length: 20 }, (_, n) => order({ external_id: `o${n}` })),
);

onCitus('a database that is distributed over the nodes of Citus', () => {
  let harness: ImportHarness;
  const shops: ShopUnderImport[] = [];

  beforeAll(async () => {
    harness = await ImportHarness.create();
    for (let count = 0; count < 6; count += 1) {
      const shop = await harness.createShop();
      shops.push(shop);
      await shop.import(file);
    }
  });
  afterAll(() => harness.close());

  const check = async (repair = false) =>
    (await checkDerived({ url: harness.test.url, domain: undefined, repair, onShop: () => undefined })).differences;

  it('has shops on both nodes, with correct derived values', async () => {
    const nodes = await harness.test.sql(
      `SELECT DISTINCT nodeport FROM shops JOIN pg_dist_shard_placement ON shardid = get_shard_id_for_distribution_column('shops', shop_id)`,
    );
    expect(nodes.length).toBeGreaterThan(1);
    expect(await check()).toEqual([]);
  });

  it('changes nothing when it is distributed again', async () => {
    expect(await distribute(harness.test.url)).toMatchObject({ tables: [], copied: [] });
  });

  it('is migrated again when functions have changed', async () => {
    await harness.test.sql(`UPDATE function_files SET checksum = 'another'`);
    expect((await migrate(harness.test.url)).length).toBeGreaterThan(5);
    await shops[0]?.import(file);
    expect(await check()).toEqual([]);
  });

  it('runs every statement that lists, counts, lookups and figures send, on one node', async () => {
    const [{ id }] = shops as [ShopUnderImport];
    const client = await harness.test.connect();
    const refused: unknown[] = [];
    const statements = await everyStatement(id, [id], (form) => form % 10 === 0);
    expect(statements.length).toBeGreaterThan(100);
    for (const { name, statement } of statements) {
      const { text, values } = statement;
      const run = async () => {
        const { rows } = await client.query<{ 'QUERY PLAN': string }>({ text: `EXPLAIN ${text}`, values });
        // EXPLAIN does not report that a node lacks a function.
        await client.query({ text, values });
        return rows.map((row) => row['QUERY PLAN'].trim());
      };
      const plan = await run().catch((error: unknown) => [error]);
      if (!plan.includes('Task Count: 1')) refused.push({ name, plan });
    }
    expect(refused).toEqual([]);
  });

  it('keeps domains unique', async () => {
    const shop = {
      domain: 'one.example',
      name: null,
      platform: null,
      currency: null,
      plan: 'business' as const,
      productLimit: null,
    };
    await createShop(harness.test.database, shop);
    await expect(createShop(harness.test.database, shop)).rejects.toMatchObject({ code: 'ALREADY_EXISTS' });
  });

  it('finds what a writer without triggers left behind, and repairs it', async () => {
    const [shop] = shops;
    await harness.test.sql('DELETE FROM product_tags WHERE shop_id = $1', [shop?.id]);
    expect(await check()).toMatchObject([{ kind: 'product_tags', count: 20 }]);
    await check(true);
    expect(await check()).toEqual([]);
  });

  /** Moves the shop's group to another node, without its functions. */
  const move = (sql: Sql, shopId: string) => {
    const place = `SELECT shardid, nodename, nodeport FROM pg_dist_shard_placement WHERE shardid = get_shard_id_for_distribution_column('shops', $1::uuid)`;
    return sql(
      `SELECT citus_move_shard_placement(from_here.shardid, from_here.nodename, from_here.nodeport, n.nodename, n.nodeport, 'block_writes')
         FROM (${place}) AS from_here JOIN pg_dist_node AS n ON n.shouldhaveshards AND n.nodeport <> from_here.nodeport LIMIT 1`,
      [shopId],
    );
  };

  it('refuses writes to shops that moved, and no reads, until their group has its functions', async () => {
    const [shop] = shops as [ShopUnderImport];
    await move(harness.test.sql, shop.id);
    const change = () => harness.test.sql(`UPDATE products SET title = 'Moved' WHERE shop_id = $1`, [shop.id]);
    await expect(change()).rejects.toThrow();
    await expect(shop.import(file)).rejects.toMatchObject({ name: 'MovedShardsError' });
    // Exports read from the shop's node, too.
    const moved = await connectToShop(harness.test.url, { shopId: shop.id }, {}).catch((error: unknown) => error);
    expect(toDatabaseApiError(moved)?.code).toBe('SERVICE_UNAVAILABLE');
    expect(await createDatabaseProbe(harness.test.database)()).toEqual({ reachable: true, migrated: false });
    await expect(check()).rejects.toMatchObject({ name: 'MovedShardsError' });
    expect(await harness.test.sql(`SELECT FROM products WHERE shop_id = $1`, [shop.id])).toHaveLength(20);
    expect((await distribute(harness.test.url, { refresh: true })).copied).toHaveLength(1);
    await change();
    await shop.import(file);
    expect(await createDatabaseProbe(harness.test.database)()).toEqual({ reachable: true, migrated: true });
    expect(await check()).toEqual([]);
  });

  it('keeps a live mirror right while its shop is written and moves', async () => {
    const service = await startService({ rateLimit: 1_000_000 });
    try {
      const { sql } = service;
      const shopId = await seedShop(sql);
      const { apiKey } = await seedApiKey(sql, shopId);
      const products: string[] = [];
      while (products.length < 10) products.push(await seedProduct(sql, shopId));
      const client = createCatalogClient({ origin: service.origin, credentials: { apiKey } });
      const copy = new Copy(client);
      const stop = new AbortController();
      const enough = new Error('enough');
      const isLast = ({ object }: MirroredObject) => 'title' in object && object.title === 'Last';
      const mirroring = copy.pull(undefined, {
        live: true,
        signal: stop.signal,
        saveCursor: (cursor) => {
          copy.cursor = cursor;
          if (copy.state().some(isLast)) stop.abort(enough);
        },
      });
      let isMoving = true;
      let written = 0;
      const write = async (product: string): Promise<void> => {
        for (let count = 0; isMoving; count += 1) {
          const statement = `UPDATE products SET title = $3 WHERE shop_id = $1 AND id = $2`;
          // Writes are refused while the shop's group has no functions.
          await sql(statement, [shopId, product, `${count}`]).then(
            () => (written += 1),
            () => undefined,
          );
        }
      };
      const writers = products.slice(1, 4).map(write);
      for (let count = 0; count < 6; count += 1) {
        await move(sql, shopId);
        await distribute(service.database.url, { refresh: true });
      }
      isMoving = false;
      await Promise.all(writers);
      expect(written).toBeGreaterThan(0);
      await sql(`UPDATE products SET title = 'Last' WHERE shop_id = $1 AND id = $2`, [shopId, products[0]]);
      await expect(mirroring).rejects.toBe(enough);
      expect(copy.state()).toEqual(await readSource(client));
      // Once, at its start: no move restarted it.
      expect(copy.restarts).toBe(1);
    } finally {
      await service.close();
    }
  }, 120_000);
});
