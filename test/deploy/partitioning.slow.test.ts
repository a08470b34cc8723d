import { readFileSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { migrate } from '../../src/database/migrate';
import { checkDerived } from '../../src/database/derived/check-derived';
import { importFiles } from '../../src/ingest/import-files';
import { Mirror, readTruth } from '../support/mirror';
import { seedCollection, seedOrder, seedProduct, seedVariant } from '../support/seed';
import type { Service } from '../support/service';
import { startService } from '../support/service';
import type { ShopFixture } from '../support/shop-fixture';
import { createShop } from '../support/shop-fixture';
import type { Sql } from '../support/test-database';
import { createTestDatabase } from '../support/test-database';

const script = readFileSync(join(__dirname, '../../docs/deploy/partition-by-shop.sql'), 'utf8');

let service: Service;
let shops: ShopFixture[];
let before: unknown[];

beforeAll(async () => {
  service = await startService({ rateLimit: 1000 });
  shops = await Promise.all([createShop(service, { product_limit: 2 }), createShop(service), createShop(service)]);
  for (const { shopId } of shops) {
    for (let count = 0; count < 4; count++) {
      const productId = await seedProduct(service.sql, shopId);
      await seedVariant(service.sql, shopId, productId);
      await seedCollection(service.sql, shopId);
      await seedOrder(service.sql, shopId);
    }
  }
  before = await readEverything();
  // As psql does: statement by statement, in one session.
  const client = new Client({ connectionString: service.database.url });
  await client.connect();
  for (const part of script.split(/(?<=^COMMIT;$)/m)) await client.query(part);
  await client.end();
});

afterAll(() => service.close());

/** Bodies and entity tags of every list, for every shop. */
async function readEverything(): Promise<unknown[]> {
  const paths = [
    '/shop',
    '/products',
    '/products?q=mug&tag=kitchen',
    '/products?tag=kitchen',
    '/collections',
    '/orders?financial_status=PAID',
  ];
  return Promise.all(
    shops.flatMap(({ client }) =>
      paths.map(async (path) => {
        const { status, headers, body } = await client.get(path);
        return { path, status, etag: headers['etag'], body };
      }),
    ),
  );
}

/** Indexes, keys and triggers of the seven large tables themselves, without what each partition has of them. */
const namesAroundTables = (sql: Sql) =>
  sql(`
    WITH large AS (
      SELECT oid FROM pg_class
       WHERE relnamespace = 'public'::regnamespace AND relname IN ('products', 'product_tags', 'product_terms', 'variants', 'collections', 'orders', 'changes'))
    SELECT indexrelid::regclass::text AS name FROM pg_index WHERE indrelid IN (SELECT oid FROM large)
     UNION ALL
    SELECT conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint
     WHERE conrelid IN (SELECT oid FROM large) AND conparentid = 0
     UNION ALL
    SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgrelid IN (SELECT oid FROM large) AND NOT tgisinternal
     ORDER BY 1`);

const planOf = async (table: string): Promise<string> => {
  const client = new Client({ connectionString: service.database.url });
  await client.connect();
  try {
    await client.query(`SET plan_cache_mode = force_generic_plan`);
    await client.query(`PREPARE page (uuid) AS SELECT shop_id FROM ${table} AS t WHERE t.shop_id = $1::uuid LIMIT 5`);
    const { rows } = await client.query<Record<string, string>>(`EXPLAIN EXECUTE page ('${shops[0]?.shopId ?? ''}')`);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  } finally {
    await client.end();
  }
};

describe('docs/deploy/partition-by-shop.sql', () => {
  it('changes no response and no entity tag of a service that keeps running', async () => {
    expect(await readEverything()).toEqual(before);
  });

  it('leaves tables whose triggers `catalog migrate` can replace, and that VACUUM visits as often', async () => {
    await service.sql('TRUNCATE function_files');
    const names = await namesAroundTables(service.sql);
    expect(await migrate(service.database.url)).toContain('functions/6_triggers.sql');
    expect(await namesAroundTables(service.sql)).toEqual(names);
    const settings = await service.sql(
      "SELECT DISTINCT reloptions FROM pg_class WHERE relname ~ '^(products|orders|product_tags)_[0-9]+$'",
    );
    expect(settings).toEqual([
      { reloptions: ['autovacuum_vacuum_scale_factor=0.05', 'autovacuum_vacuum_insert_scale_factor=0.05'] },
    ]);
  });

  it('keeps every index, key and trigger under its name', async () => {
    const whole = await createTestDatabase();
    try {
      expect(await namesAroundTables(service.sql)).toEqual(await namesAroundTables(whole.sql));
    } finally {
      await whole.drop();
    }
  });

  it.each(['products', 'product_tags', 'product_terms', 'variants', 'collections', 'orders', 'changes'])(
    'lets a read of %s touch one partition',
    async (table) => {
      expect(await planOf(table)).toContain('Subplans Removed: 15');
    },
  );

  it('keeps derived columns, the visible set and the data version, with any writer', async () => {
    const [shop] = shops;
    const shopId = shop?.shopId ?? '';
    const [oldest] = await service.sql<{ id: string }>(
      'SELECT id FROM products WHERE shop_id = $1 ORDER BY created_at, id LIMIT 1',
      [shopId],
    );
    await service.sql('UPDATE variants SET price = $3 WHERE shop_id = $1 AND product_id = $2', [
      shopId,
      oldest?.id,
      '0.50',
    ]);
    const page = (await shop?.client.get('/products'))?.body as { data: { min_price: string; id: string }[] };
    expect(page.data.map(({ min_price }) => min_price)).toEqual(['0.50', '19.90']);

    await service.sql('DELETE FROM products WHERE shop_id = $1 AND id = $2', [shopId, oldest?.id]);
    const next = (await shop?.client.get('/products'))?.body as { data: { id: string }[] };
    expect(next.data).toHaveLength(2);
    expect(next.data[0]?.id).toBe(page.data[1]?.id);

    const mirror = new Mirror(service.origin, shop?.apiKey ?? '');
    await mirror.drain(2);
    expect(mirror.state()).toEqual(await readTruth(service.sql, shopId));
    await service.sql('UPDATE shops SET product_limit = 3 WHERE shop_id = $1', [shopId]);
    await service.sql('DELETE FROM orders WHERE shop_id = $1', [shopId]);
    await mirror.drain();
    expect(mirror.state()).toEqual(await readTruth(service.sql, shopId));
  });

  it('is checked and repaired like tables that are not partitioned', async () => {
    const run = (repair: boolean) =>
      checkDerived({ url: service.database.url, domain: undefined, repair, onShop: () => undefined });
    expect((await run(false)).differences).toEqual([]);
    await service.sql(`DO $$ BEGIN
      SET LOCAL session_replication_role = replica;
      UPDATE products SET min_price = '0.01', total_stock = 9;
      DELETE FROM product_tags;
      DELETE FROM product_terms;
      DELETE FROM changes WHERE kind = 2;
      DELETE FROM collections;
      UPDATE shops SET live_product_count = 0;
    END $$`);
    const kinds = new Set((await run(true)).differences.map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual([
      'changes.deleted',
      'changes.entry',
      'product_tags',
      'product_terms',
      'products.min_price',
      'products.total_stock',
      'shops.live_product_count',
      'unrecorded_writes',
    ]);
    expect((await run(false)).differences).toEqual([]);
    for (const name of ['variants', 'product_tags_7']) {
      await service.sql(`ALTER TABLE ${name} DISABLE TRIGGER ALL`);
    }
    // PostgreSQL 14 has no triggers of foreign keys on the parent.
    await expect(run(true)).rejects.toThrow(/ALTER TABLE variants ENABLE TRIGGER (?:ALL|USER);/);
    // It also enables what only sessions without triggers run, and repairs undo that.
    await service.sql('ALTER TABLE variants ENABLE TRIGGER ALL');
    expect(new Set((await run(true)).differences.map(({ kind }) => kind))).toEqual(new Set(['triggers']));
    expect((await run(false)).differences).toEqual([]);
  });

  it('takes imports, and lets a shop be deleted with everything it has', async () => {
    const [, , shop] = shops;
    const at = '2026-03-01T10:00:00Z';
    const variants = [{ external_id: 'v', price: '4.50', created_at: at, updated_at: at }];
    const product = { type: 'product', external_id: 'p', title: 'Cup', created_at: at, updated_at: at, variants };
    const file = join(await mkdtemp(join(tmpdir(), 'catalog-partitions-')), 'shop.ndjson');
    await writeFile(file, `${JSON.stringify(product)}\n`);
    const [row] = await service.sql<{ domain: string }>('SELECT domain FROM shops WHERE shop_id = $1', [shop?.shopId]);
    const clock = Date.now;
    const options = {
      files: [file],
      shopDomain: row?.domain ?? '',
      format: 'snapshot' as const,
      replace: true,
      allowRemoving: { percent: 100 },
      clock,
    };
    await importFiles(service.database.database, options);
    const { body } = (await shop?.client.get('/products')) ?? {};
    expect(body).toMatchObject({ data: [{ external_id: 'p', min_price: '4.50', variant_count: 1 }] });

    await service.sql('DELETE FROM shops WHERE shop_id = $1', [shop?.shopId]);
    const left = await service.sql('SELECT FROM variants WHERE shop_id = $1', [shop?.shopId]);
    expect(left).toEqual([]);
  });
});
