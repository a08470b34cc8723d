import type { Client } from 'pg';
import type { CheckReport } from '../../src/database/derived/check-derived';
import { checkDerived } from '../../src/database/derived/check-derived';
import { Mirror, readTruth } from '../support/mirror';
import { seedCollection, seedOrder, seedProduct, seedShop, seedVariant } from '../support/seed';
import type { Service } from '../support/service';
import { startService } from '../support/service';
import type { ShopFixture } from '../support/shop-fixture';
import { createShop } from '../support/shop-fixture';
import { readViolations } from '../model/catalog-state';
import { Random } from '../model/random';
import { runSeed as seed } from '../support/run-seed';

const random = new Random(seed);

let service: Service;
let client: Client;
/** Without a limit, with one, with none visible, and a shop that is never damaged. */
let shops: ShopFixture[];

/** Every test leaves the shops undamaged. */
beforeAll(async () => {
  service = await startService({ rateLimit: 1_000_000 });
  client = await service.database.connect();
  shops = [];
  for (const product_limit of [null, 3, 0, 4]) {
    const shop = await createShop(service, { product_limit });
    shops.push(shop);
    for (let count = 0; count < 6; count += 1) {
      const productId = await seedProduct(service.sql, shop.shopId, {
        tags: ['kitchen', 'kitchen', `own ${count}`],
        deleted_at: count === 4 ? '2026-03-01Z' : null,
      });
      for (const price of ['9.90', '9.9', '12.00', null].slice(count % 3)) {
        await seedVariant(service.sql, shop.shopId, productId, { price });
      }
    }
    for (const seedOne of [seedCollection, seedOrder]) {
      for (let count = 0; count < 3; count += 1) await seedOne(service.sql, shop.shopId);
    }
    // Deleted ones leave an entry.
    for (const table of ['products', 'variants', 'collections', 'orders']) {
      await service.sql(
        `DELETE FROM ${table} WHERE id = (SELECT min(id::text)::uuid FROM ${table} WHERE shop_id = $1)`,
        [shop.shopId],
      );
    }
  }
});
afterAll(() => service.close());

const check = (repair = false, domain?: string): Promise<CheckReport> =>
  checkDerived({ url: service.database.url, domain, repair, onShop: () => undefined });

/** Runs statements as a session in which no trigger runs. */
async function withoutTriggers(...statements: readonly string[]): Promise<void> {
  await client.query('SET session_replication_role = replica');
  for (const statement of statements) await client.query(statement);
  await client.query('RESET session_replication_role');
}

/** For the check, and for the model, which also works generated columns out without PostgreSQL. */
async function expectUndamaged(): Promise<void> {
  expect({ seed, after: await check() }).toEqual({ seed, after: { shops: shops.length, differences: [] } });
  expect({ seed, violations: await readViolations(client) }).toEqual({ seed, violations: [] });
}

/** All rows with the transactions that wrote them. */
async function readRows(): Promise<Map<string, string>> {
  const tables =
    'shops products variants collections orders product_tags product_terms order_figures visible_sets visible_moves changes change_epochs change_witnesses unrecorded_writes'.split(
      ' ',
    );
  const rows = new Map<string, string>();
  for (const table of tables) {
    const found = await service.sql<{ row: string; xmin: string }>(
      `SELECT t::text AS row, xmin::text FROM ${table} AS t`,
    );
    for (const { row, xmin } of found) rows.set(`${table} ${row}`, xmin);
  }
  return rows;
}

interface Damage {
  /** The statements, for a shop. */
  readonly statements: (shopId: string) => readonly string[];
  /** What the check reports about it. */
  readonly kinds: readonly string[];
  /** What it reports as well, depending on the rows. */
  readonly perhaps?: readonly string[];
  /** Whether the shop has to have a limit. */
  readonly limited?: true;
}

const some = (table: string, where = 'true'): string =>
  `(SELECT id FROM ${table} WHERE shop_id = '{shop}' AND ${where} ORDER BY md5(id::text || '${random.integer(1e6)}') LIMIT 1)`;
const one = (text: string) => (shopId: string) => [text.replaceAll('{shop}', shopId)];

/** A function of a generated column for one statement, as if an earlier release had written the row. */
const asIf = (name: string, statement: string) => (shopId: string) => [
  `DO $$
     DECLARE before text := pg_get_functiondef((SELECT oid FROM pg_proc WHERE proname = '${name}'));
     BEGIN
       EXECUTE regexp_replace(before, 'AS \\$function\\$.*\\$function\\$', 'AS $f$ BEGIN RETURN ''{"old": true}''; END $f$');
       ${statement.replaceAll('{shop}', shopId)};
       EXECUTE before;
     END $$`,
];

const tables = { product: 'products', variant: 'variants', collection: 'collections', order: 'orders' };
const kindOf = { product: 1, variant: 2, collection: 3, order: 4 };
const damages: Readonly<Record<string, Damage>> = {
  'a sum of orders': {
    statements: one(
      `UPDATE order_figures SET total_price = total_price + 0.01 WHERE shop_id = '{shop}' AND hours = 24`,
    ),
    kinds: ['order_figures'],
  },
  variant_count: {
    statements: one(`UPDATE products SET variant_count = 77 WHERE id = ${some('products')}`),
    kinds: ['products.variant_count'],
  },
  min_price: {
    // The same value with other digits counts (D21).
    statements: one(
      `UPDATE products SET min_price = min_price || CASE WHEN min_price ~ '[.]' THEN '0' ELSE '.0' END WHERE id = ${some('products', 'max_price IS NOT NULL')}`,
    ),
    kinds: ['products.min_price'],
  },
  max_price: {
    statements: one(`UPDATE products SET max_price = '5000' WHERE id = ${some('products', 'min_price IS NOT NULL')}`),
    kinds: ['products.max_price'],
  },
  total_stock: {
    statements: one(`UPDATE products SET total_stock = -5 WHERE id = ${some('products')}`),
    kinds: ['products.total_stock'],
  },
  'a price without triggers': {
    statements: one(`UPDATE variants SET price = '0.01' WHERE id = ${some('variants')}`),
    kinds: ['products.min_price'],
    perhaps: ['products.max_price'],
  },
  'a missing tag': {
    statements: one(`DELETE FROM product_tags WHERE shop_id = '{shop}' AND tag = 'kitchen'`),
    kinds: ['product_tags'],
  },
  'a tag too many': {
    statements: one(`INSERT INTO product_tags VALUES ('{shop}', 'müll', now(), ${some('products')})`),
    kinds: ['product_tags'],
  },
  'missing terms': {
    statements: one(`DELETE FROM product_terms WHERE product_id = ${some('products', 'deleted_at IS NULL')}`),
    kinds: ['product_terms'],
  },
  'terms of a title from before': {
    statements: one(
      `UPDATE product_terms SET search_text = 'before' WHERE product_id = ${some('products', 'deleted_at IS NULL')}`,
    ),
    kinds: ['product_terms'],
  },
  'terms of a product that is gone': {
    statements: one(`INSERT INTO product_terms SELECT '{shop}', gen_random_uuid(), 'ACTIVE', NULL, NULL, '{}', 'x'`),
    kinds: ['product_terms'],
  },
  live_product_count: {
    statements: one(`UPDATE shops SET live_product_count = 99 WHERE shop_id = '{shop}'`),
    kinds: ['shops.live_product_count'],
  },
  visible_until: {
    statements: one(`UPDATE shops SET (visible_until_at, visible_until_id) =
      (SELECT created_at, id FROM products WHERE shop_id = '{shop}' AND deleted_at IS NULL ORDER BY created_at LIMIT 1) WHERE shop_id = '{shop}'`),
    kinds: ['shops.visible_until'],
  },
  'visible_sets.live_count': {
    statements: one(`UPDATE visible_sets SET live_count = 0 WHERE shop_id = '{shop}'`),
    kinds: ['visible_sets'],
  },
  'visible_sets.until_at': {
    statements: one(`UPDATE visible_sets SET until_at = '2020-01-01Z' WHERE shop_id = '{shop}'`),
    kinds: ['visible_sets'],
  },
  'no visible_sets': { statements: one(`DELETE FROM visible_sets WHERE shop_id = '{shop}'`), kinds: ['visible_sets'] },
  'a limit without triggers': {
    statements: one(`UPDATE shops SET product_limit = 2 WHERE shop_id = '{shop}'`),
    kinds: ['shops.visible_until', 'visible_sets'],
    limited: true,
  },
  'an early product without triggers': {
    statements: one(
      `INSERT INTO products (shop_id, external_id, title, created_at, updated_at) VALUES ('{shop}', gen_random_uuid(), 'Early', '2001-01-01Z', now())`,
    ),
    kinds: ['changes.entry', 'product_terms', 'shops.live_product_count', 'shops.visible_until', 'visible_sets'],
    limited: true,
  },
  'a move that was not entered': {
    statements: one(`INSERT INTO visible_moves VALUES ('{shop}', '-infinity', '00000000-0000-0000-0000-000000000000')`),
    kinds: ['visible_moves'],
  },
  'no epoch': { statements: one(`DELETE FROM change_epochs WHERE shop_id = '{shop}'`), kinds: ['change_epochs'] },
  'an epoch of the future': {
    statements: one(`UPDATE change_epochs SET after_version = 9e18::bigint WHERE shop_id = '{shop}'`),
    kinds: ['change_epochs'],
  },
  'a version that went back': {
    statements: one(`UPDATE shops SET data_version = 5 WHERE shop_id = '{shop}'`),
    kinds: ['changes.version'],
  },
  ...Object.fromEntries(
    Object.entries(tables).flatMap(([kind, table]): [string, Damage][] => [
      [
        `no entry of a ${kind}`,
        {
          statements: one(`DELETE FROM changes WHERE shop_id = '{shop}' AND id = ${some(table)}`),
          kinds: ['changes.entry'],
        },
      ],
      [
        `a ${kind} entered as deleted`,
        {
          statements: one(`UPDATE changes SET is_deleted = true WHERE shop_id = '{shop}' AND id = ${some(table)}`),
          kinds: ['changes.restored'],
        },
      ],
      [
        `a ${kind} entered as not deleted`,
        {
          statements: one(
            `UPDATE changes SET is_deleted = false WHERE shop_id = '{shop}' AND kind = ${kindOf[kind as 'order']} AND is_deleted`,
          ),
          kinds: ['changes.deleted'],
        },
      ],
    ]),
  ),
  'a variant deleted without triggers': {
    statements: one(`DELETE FROM variants WHERE id = ${some('variants')}`),
    kinds: ['changes.deleted', 'products.variant_count'],
    perhaps: ['products.total_stock', 'products.min_price', 'products.max_price'],
  },
  'an order deleted without triggers': {
    statements: one(`DELETE FROM orders WHERE id = ${some('orders')}`),
    kinds: ['changes.deleted'],
  },
  'products.rest_json': {
    statements: asIf('catalog_rest_product', `UPDATE products SET vendor = vendor WHERE id = ${some('products')}`),
    kinds: ['products.rest_json'],
  },
  'variants.rest_json': {
    statements: asIf('catalog_rest_variant', `UPDATE variants SET sku = sku WHERE id = ${some('variants')}`),
    kinds: ['variants.rest_json'],
  },
  'collections.rest_json': {
    statements: asIf(
      'catalog_rest_collection',
      `UPDATE collections SET title = title WHERE id = ${some('collections')}`,
    ),
    kinds: ['collections.rest_json'],
  },
};

it('finds nothing and writes nothing where nothing is damaged', async () => {
  const before = await readRows();
  expect(await check(true)).toEqual({ shops: shops.length, differences: [] });
  expect(await readRows()).toEqual(before);
  await expectUndamaged();
});

describe.each(Object.entries(damages))(
  'after damage without triggers: %s',
  (_, { statements, kinds, perhaps = [], limited }) => {
    it('finds it, repairs it and touches no other row; mirrors start again', async () => {
      const damaged = shops[limited ? 1 : random.integer(3)] as ShopFixture;
      const [row] = await service.sql<{ domain: string }>('SELECT domain FROM shops WHERE shop_id = $1', [
        damaged.shopId,
      ]);
      const mirror = new Mirror(service.origin, damaged.apiKey);
      await mirror.drain();
      await withoutTriggers(...statements(damaged.shopId));
      const before = await readRows();

      const found = await check();
      // Figures follow from most other columns.
      const possible = [...perhaps, 'order_figures', 'unrecorded_writes'].filter((kind) => !kinds.includes(kind));
      const reported = found.differences.filter(({ kind }) => !possible.includes(kind));
      expect({ seed, found: reported.map(({ shop, kind }) => [shop, kind]).sort() }).toEqual({
        seed,
        found: kinds.map((kind) => [row?.domain, kind]).sort(),
      });
      expect(await readRows()).toEqual(before);

      const repaired = await check(true);
      expect(repaired).toEqual(found);
      await expectUndamaged();

      // What was written belongs to this shop, and is what differed or announces it.
      const after = await readRows();
      const objects = new Set(
        found.differences.flatMap(({ examples }) => examples.map(({ object }) => object.split(' ').at(-1) ?? '')),
      );
      for (const row of after.keys()) {
        if (before.has(row)) continue;
        expect(row).toContain(damaged.shopId);
        if (/^(products|variants|collections|orders) /.test(row))
          expect([...objects].some((id) => row.includes(id))).toBe(true);
      }

      // What else was changed is unknown: mirrors of this shop start again.
      await expect(mirror.drain()).rejects.toThrow('RESYNC_REQUIRED');
      mirror.cursor = null;
      mirror.objects.clear();
      await mirror.drain();
      expect({ seed, copy: mirror.state() }).toEqual({ seed, copy: await readTruth(service.sql, damaged.shopId) });
    });
  },
);

it('repairs all kinds of damage in all shops at once, one shop or what deleted shops left', async () => {
  const repairable = Object.values(damages);
  for (const { shopId } of shops) {
    for (const { statements } of random.some(repairable, repairable.length))
      await withoutTriggers(...statements(shopId));
  }
  const gone = await seedShop(service.sql);
  await seedProduct(service.sql, gone);
  await withoutTriggers(
    `DELETE FROM products WHERE shop_id = '${gone}'`,
    `DELETE FROM shops WHERE shop_id = '${gone}'`,
  );
  const found = await check();
  const domains = new Set(found.differences.map(({ shop }) => shop));
  expect(domains.size).toBe(5);
  expect(domains.has(null)).toBe(true);
  const [domain] = domains;
  await check(true, domain ?? undefined);
  expect(new Set((await check()).differences.map(({ shop }) => shop)).size).toBe(4);
  await check(true);
  await expectUndamaged();
});

it('counts all differences and lists the first twenty of each kind', async () => {
  const [{ shopId }] = shops as [ShopFixture];
  await service.sql(
    `INSERT INTO orders (shop_id, external_id, order_number) SELECT $1, 'many-' || n, n FROM generate_series(1, 50) AS n`,
    [shopId],
  );
  await withoutTriggers(`DELETE FROM changes WHERE shop_id = '${shopId}' AND kind = 4 AND NOT is_deleted`);
  const [orders, ...rest] = (await check()).differences;
  expect(rest).toEqual([]);
  const [row] = await service.sql('SELECT count(*)::integer AS count FROM orders WHERE shop_id = $1', [shopId]);
  expect(orders).toMatchObject({ kind: 'changes.entry', ...row });
  expect(orders?.examples).toHaveLength(20);
  await check(true);
  await expectUndamaged();
});

it('shows no e-mail address', async () => {
  const [{ shopId }] = shops as [ShopFixture];
  await withoutTriggers(`INSERT INTO product_tags VALUES ('${shopId}', 'jo@example.com', now(), gen_random_uuid())`);
  const text = JSON.stringify(await check(true));
  expect(text).toContain('product_tags');
  expect(text).not.toContain('jo@');
  await expectUndamaged();
});

it('changes nothing while triggers are off, and says how to enable them', async () => {
  await service.sql('ALTER TABLE variants DISABLE TRIGGER variants_updated');
  const [{ shopId }] = shops as [ShopFixture];
  await service.sql(`UPDATE variants SET price = '0.02' WHERE shop_id = $1`, [shopId]);
  const before = await readRows();
  await expect(check(true)).rejects.toThrow(/ALTER TABLE variants ENABLE TRIGGER USER;/);
  expect((await check()).differences).not.toEqual([]);
  expect(await readRows()).toEqual(before);
  await service.sql('ALTER TABLE variants ENABLE TRIGGER USER');
  expect((await check(true)).differences.map(({ shop, kind }) => [shop, kind])).toContainEqual([null, 'triggers']);
  await expectUndamaged();
});
