import type { Client } from 'pg';
import { DatabaseError } from 'pg';
import { untilWaiting } from '../support/locked-table';
import { seedOrder, seedProduct, seedShop, seedVariant } from '../support/seed';
import { useTestDatabase } from '../support/test-database';

const rows = 40;
const rounds = 12;

let one: Client;
let two: Client;

const db = useTestDatabase();
beforeAll(async () => {
  [one, two] = [await db.connect(), await db.connect()];
  // Updates then read rows in the order of the joined rows, and a deadlock is detected sooner.
  for (const client of [one, two]) {
    await client.query(
      'SET enable_hashjoin = off; SET enable_mergejoin = off; SET jit = off; SET deadlock_timeout = 50',
    );
  }
});

/** One shop with products `1` to `40`, a variant `v` of each, and orders with the same names. */
async function fillShop(): Promise<void> {
  await db.sql('DELETE FROM shops');
  const shopId = await seedShop(db.sql, { domain: 'one.example' });
  await db.sql(
    `INSERT INTO products (shop_id, external_id, title, created_at, updated_at)
     SELECT $1, n, 'A mug', now(), now() FROM generate_series(1, $2) AS n`,
    [shopId, rows],
  );
  await db.sql(
    `INSERT INTO variants (shop_id, product_id, external_id, price, created_at, updated_at)
     SELECT shop_id, id, 'v', '1', now(), now() FROM products`,
  );
  await seedOrder(db.sql, shopId);
}

const shop = `(SELECT shop_id FROM shops WHERE domain = 'one.example')`;
const series = (direction: 'ASC' | 'DESC'): string =>
  `(SELECT n FROM generate_series(1, ${rows}) AS n ORDER BY n ${direction} OFFSET 0) AS n`;

const upsert = (direction: 'ASC' | 'DESC'): string =>
  `INSERT INTO products (shop_id, external_id, title, created_at, updated_at)
   SELECT ${shop}, n, 'A mug', now(), now() FROM ${series(direction)} WHERE ${shop} IS NOT NULL
   ON CONFLICT (shop_id, external_id) DO UPDATE SET title = excluded.title, updated_at = now()`;
const update = (direction: 'ASC' | 'DESC'): string =>
  `UPDATE products AS p SET title = 'Another mug' FROM ${series(direction)}
    WHERE p.shop_id = ${shop} AND p.external_id = n.n::text`;
const price = (direction: 'ASC' | 'DESC'): string =>
  `UPDATE variants AS v SET price = (random() * 9)::integer::text
     FROM ${series(direction)} JOIN products AS p ON p.shop_id = ${shop} AND p.external_id = n.n::text
    WHERE v.shop_id = p.shop_id AND v.product_id = p.id`;
const product = `
  WITH product AS (
    INSERT INTO products (shop_id, external_id, title, created_at, updated_at)
    SELECT shop_id, '20', 'A mug', now(), now() FROM shops WHERE domain = 'one.example'
    ON CONFLICT (shop_id, external_id) DO UPDATE SET updated_at = now()
    RETURNING shop_id, id)
  INSERT INTO variants (shop_id, product_id, external_id, price, created_at, updated_at)
  SELECT shop_id, id, 'v', '3', now(), now() FROM product
  ON CONFLICT (shop_id, product_id, external_id) DO UPDATE SET price = '4'`;
const variantsAndOrders = `
  WITH v AS (UPDATE variants SET price = '5' WHERE shop_id = ${shop})
  UPDATE orders SET items_count = 3 WHERE shop_id = ${shop}`;
const deleteShopFirst = (table: 'products' | 'variants'): string =>
  `WITH s AS MATERIALIZED (SELECT shop_id FROM shops WHERE domain = 'one.example' FOR NO KEY UPDATE)
   DELETE FROM ${table} AS t USING s WHERE t.shop_id = s.shop_id AND t.id IN (
     SELECT id FROM ${table} ORDER BY external_id LIMIT 3)`;
const deleteShop = `DELETE FROM shops WHERE domain = 'one.example'`;

const pairs: readonly [string, string, string][] = [
  ['upserts of the same products in opposite order', upsert('ASC'), upsert('DESC')],
  ['updates of the same products in opposite order', update('ASC'), update('DESC')],
  ['updates of the same variants in opposite order', price('ASC'), price('DESC')],
  ['an upsert and an update in opposite order', upsert('ASC'), update('DESC')],
  ['one product with its variants, and prices', product, price('ASC')],
  ['variants with orders, and products', variantsAndOrders, update('ASC')],
  ['products and prices', update('DESC'), price('ASC')],
  ['deletion of the shop, and products', deleteShop, update('ASC')],
  ['deletion of the shop, and an upsert', deleteShop, upsert('DESC')],
  ['deletion of the shop, and orders', deleteShop, variantsAndOrders],
  ['deletion of products with the shop locked first, and prices', deleteShopFirst('products'), price('DESC')],
  ['deletion of variants with the shop locked first, and products', deleteShopFirst('variants'), variantsAndOrders],
];

describe('two concurrent statements', () => {
  it.each(pairs)('never wait for each other in a cycle: %s', async (_, first, second) => {
    const failures: (string | undefined)[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const left = await db.sql<{ products: number; variants: number }>(
        'SELECT (SELECT count(*)::integer FROM products) AS products, (SELECT count(*)::integer FROM variants) AS variants',
      );
      if ((left[0]?.products ?? 0) < rows - 20 || (left[0]?.variants ?? 0) < rows - 20) await fillShop();
      const results = await Promise.allSettled([one.query(first), two.query(second)]);
      for (const result of results) {
        if (result.status === 'rejected')
          failures.push(result.reason instanceof DatabaseError ? result.reason.code : String(result.reason));
      }
    }
    // An insert may find that its shop was deleted (23503).
    expect(failures.filter((code) => code !== '23503')).toEqual([]);
  });

  it('of different shops do not wait at all', async () => {
    await fillShop();
    const otherShop = await seedShop(db.sql);
    const otherProduct = await seedProduct(db.sql, otherShop);
    await seedVariant(db.sql, otherShop, otherProduct);
    await one.query('BEGIN');
    await one.query(upsert('ASC'));
    await two.query("SET statement_timeout = '20s'");
    await two.query("UPDATE variants SET price = '2' WHERE shop_id = $1", [otherShop]);
    await two.query('DELETE FROM variants WHERE shop_id = $1', [otherShop]);
    await one.query('COMMIT');
    expect(await db.sql('SELECT variant_count FROM products WHERE shop_id = $1', [otherShop])).toEqual([
      { variant_count: 0 },
    ]);
  });

  it('lose no update while they alternate', async () => {
    await fillShop();
    const add = `INSERT INTO variants AS v (shop_id, product_id, external_id, inventory_quantity, created_at, updated_at)
      SELECT shop_id, id, 'v', 1, now(), now() FROM products
      ON CONFLICT (shop_id, product_id, external_id) DO UPDATE SET inventory_quantity = coalesce(v.inventory_quantity, 0) + 1`;
    for (let round = 0; round < 5; round += 1) await Promise.all([one.query(add), two.query(add)]);
    expect(await db.sql('SELECT DISTINCT total_stock FROM products')).toEqual([{ total_stock: '10' }]);
  });
});

/** Checks every claim of docs/writers.md about statements against PostgreSQL itself, independently of timing. */
describe('while another writer holds the shop, its rows are', () => {
  const merge = (action: string): string =>
    `MERGE INTO products AS p USING (SELECT shop_id FROM shops) AS s ON p.shop_id = s.shop_id WHEN MATCHED THEN ${action}`;
  const lockFirst = (table: string): string =>
    `WITH s AS MATERIALIZED (SELECT shop_id FROM shops WHERE domain = 'one.example' FOR NO KEY UPDATE)
     DELETE FROM ${table} AS t USING s WHERE t.shop_id = s.shop_id`;
  const tables = ['products', 'variants', 'orders', 'collections'] as const;

  /** The tables in which the waiting statement has already locked rows. */
  async function findLocked(statement: string): Promise<string[]> {
    await fillShop();
    await db.sql(`INSERT INTO collections (shop_id, external_id, title, published) VALUES (${shop}, '1', 'All', true)`);
    await one.query(`BEGIN; SELECT FROM shops WHERE domain = 'one.example' FOR NO KEY UPDATE`);
    const waiting = two.query(statement);
    const locked: string[] = [];
    try {
      await Promise.race([untilWaiting(db, 1), waiting]);
      for (const table of tables) {
        await one.query('SAVEPOINT attempt');
        // Two deletions conflict; this one and the share lock of a foreign key do not.
        const attempt = one.query(`SELECT FROM ${table} FOR NO KEY UPDATE NOWAIT`);
        await attempt.catch((error: unknown) => {
          if (!(error instanceof DatabaseError) || error.code !== '55P03') throw error;
          locked.push(table);
        });
        await one.query('ROLLBACK TO attempt');
      }
    } finally {
      await one.query('ROLLBACK');
      await waiting;
    }
    return locked;
  }

  it.each<readonly [string, string]>([
    ['INSERT … ON CONFLICT', upsert('ASC')],
    ['UPDATE of products', update('ASC')],
    ['UPDATE of variants', price('ASC')],
    ['UPDATE of orders', `UPDATE orders SET items_count = 4`],
    ['UPDATE of collections', `UPDATE collections SET products_count = 4`],
    ['DELETE of the shop', deleteShop],
    ...tables.map((table) => [`DELETE of ${table} with the shop locked in it`, lockFirst(table)] as const),
  ])('free: %s', async (_, statement) => {
    expect(await findLocked(statement)).toEqual([]);
  });

  it.each(tables)('locked: DELETE of %s without locking the shop', async (table) => {
    expect(await findLocked(`DELETE FROM ${table}`)).toContain(table);
  });

  it('free while MERGE updates them, and locked while it deletes them', async () => {
    expect(await findLocked(merge(`UPDATE SET title = 'Another mug'`))).toEqual([]);
    expect(await findLocked(merge('DELETE'))).toContain('products');
  });
});
