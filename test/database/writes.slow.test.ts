import type { Client } from 'pg';
import { seedShop } from '../support/seed';
import { useTestDatabase } from '../support/test-database';

const db = useTestDatabase();
let client: Client;
let shopId: string;

/** 30,000 products × 1 variant, bulk-loaded and never analyzed, so the planner has to guess. */
beforeAll(async () => {
  client = await db.connect();
  shopId = await seedShop(db.sql, { product_limit: 20_000 });
  await client.query(
    `INSERT INTO products (shop_id, external_id, title, created_at, updated_at)
     SELECT $1, n, 'A mug', '2020-01-01Z'::timestamptz + n * interval '1 minute', now() FROM generate_series(1, 30000) AS n`,
    [shopId],
  );
  await client.query(
    `INSERT INTO variants (shop_id, product_id, external_id, price, inventory_quantity, created_at, updated_at)
     SELECT shop_id, id, external_id, '9.90', 1, now(), now() FROM products`,
  );
});

/** Rows that sequential scans read from the large tables while `work` runs in one transaction. */
async function countScanned(work: string): Promise<number> {
  const read = async (): Promise<number> => {
    const { rows } = await client.query<{ n: string }>(
      `SELECT coalesce(sum(pg_stat_get_xact_tuples_returned(c.oid)), 0)
              + coalesce(sum(pg_stat_get_xact_numscans(c.oid)), 0) * 1000000 AS n
         FROM pg_class AS c WHERE c.oid IN ('products'::regclass, 'variants'::regclass)`,
    );
    return Number(rows[0]?.n);
  };
  await client.query('BEGIN');
  const before = await read();
  await client.query(work);
  const scanned = (await read()) - before;
  await client.query('ROLLBACK');
  return scanned;
}

describe('writes to one of 30,000 products, right after a bulk load', () => {
  it.each([
    [
      'a new product',
      "INSERT INTO products (shop_id, external_id, title, created_at, updated_at) SELECT shop_id, 'new', 'A mug', '2019-01-01Z', now() FROM shops",
    ],
    [
      'a changed title',
      "UPDATE products SET title = 'x' WHERE (shop_id, external_id) = (SELECT shop_id, '5' FROM shops)",
    ],
    [
      'a soft deletion inside the visible set',
      "UPDATE products SET deleted_at = now() WHERE (shop_id, external_id) = (SELECT shop_id, '5' FROM shops)",
    ],
    ['a deletion', "DELETE FROM products WHERE (shop_id, external_id) = (SELECT shop_id, '5' FROM shops)"],
    [
      'a changed price',
      "UPDATE variants SET price = '1' WHERE (shop_id, product_id) = (SELECT shop_id, id FROM products WHERE (shop_id, external_id) = (SELECT shop_id, '5' FROM shops))",
    ],
    [
      'an overwritten derived column',
      "UPDATE products SET variant_count = 9 WHERE (shop_id, external_id) = (SELECT shop_id, '5' FROM shops)",
    ],
  ])('scan no table: %s', async (_, statement) => {
    expect(await countScanned(statement)).toBe(0);
  });

  it('a changed limit scans only the difference in the index', async () => {
    expect(await countScanned('UPDATE shops SET product_limit = 19000')).toBe(0);
  });

  it('the measurement detects a sequential scan', async () => {
    expect(await countScanned("SELECT FROM products WHERE title = 'none'")).toBeGreaterThan(0);
  });
});
