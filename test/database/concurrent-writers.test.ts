import type { Client } from 'pg';
import { seedProduct, seedShop } from '../support/seed';
import type { TestDatabase } from '../support/test-database';
import { createTestDatabase } from '../support/test-database';

let db: TestDatabase;
let one: Client;
let two: Client;

beforeAll(async () => {
  db = await createTestDatabase();
  [one, two] = [await db.connect(), await db.connect()];
});
afterAll(() => db.drop());

const addVariant = (client: Client, shopId: string, productId: string, price: string) =>
  client.query(
    `INSERT INTO variants (shop_id, product_id, external_id, price, inventory_quantity, created_at, updated_at)
     VALUES ($1, $2, $3, $3, 1, now(), now())`,
    [shopId, productId, price],
  );
const addProduct = (client: Client, shopId: string, externalId: string, createdAt: string) =>
  client.query(
    'INSERT INTO products (shop_id, external_id, title, created_at, updated_at) VALUES ($1, $2, $2, $3, $3)',
    [shopId, externalId, createdAt],
  );

/** Waits until the second connection waits for a lock that the first holds. */
async function untilBlocked(): Promise<void> {
  for (;;) {
    const [row] = await db.sql<{ blocked: boolean }>(
      'SELECT count(*) > 0 AS blocked FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = $1',
      ['Lock'],
    );
    if (row?.blocked === true) return;
  }
}

/** Two transactions on two connections, the second one blocked by the first until that commits. */
async function interleave(first: () => Promise<unknown>, second: () => Promise<unknown>): Promise<void> {
  await one.query('BEGIN');
  await two.query('BEGIN');
  await first();
  const waiting = second();
  await untilBlocked();
  await one.query('COMMIT');
  await waiting;
  await two.query('COMMIT');
}

describe('two transactions at once on one shop', () => {
  it('both count when each adds a variant to the same product', async () => {
    const shopId = await seedShop(db.sql);
    const productId = await seedProduct(db.sql, shopId);
    await interleave(
      () => addVariant(one, shopId, productId, '5.00'),
      () => addVariant(two, shopId, productId, '4.90'),
    );
    expect(await db.sql('SELECT variant_count, min_price, max_price, total_stock FROM products')).toEqual([
      { variant_count: 2, min_price: '4.90', max_price: '5.00', total_stock: '2' },
    ]);
  });

  it('both move the visible set when each adds a product before its end (D8)', async () => {
    const shopId = await seedShop(db.sql, { product_limit: 2 });
    await addProduct(one, shopId, 'c', '2026-01-03T00:00:00Z');
    await addProduct(one, shopId, 'd', '2026-01-04T00:00:00Z');
    await interleave(
      () => addProduct(one, shopId, 'a', '2026-01-01T00:00:00Z'),
      () => addProduct(two, shopId, 'b', '2026-01-02T00:00:00Z'),
    );
    const visible = await db.sql(
      `SELECT p.external_id FROM products AS p JOIN shops AS s USING (shop_id)
        WHERE shop_id = $1 AND (p.created_at, p.id) <= (s.visible_until_at, s.visible_until_id) ORDER BY 1`,
      [shopId],
    );
    expect(visible).toEqual([{ external_id: 'a' }, { external_id: 'b' }]);
    expect(await db.sql('SELECT live_product_count AS n FROM shops WHERE shop_id = $1', [shopId])).toEqual([
      { n: '4' },
    ]);
  });

  it('do not wait for each other on different shops', async () => {
    const [shopOne, shopTwo] = [await seedShop(db.sql), await seedShop(db.sql)];
    await one.query('BEGIN');
    await addProduct(one, shopOne, 'x', '2026-01-01T00:00:00Z');
    await addProduct(two, shopTwo, 'x', '2026-01-01T00:00:00Z');
    await one.query('COMMIT');
    expect(await db.sql("SELECT count(*)::integer AS n FROM products WHERE external_id = 'x'")).toEqual([{ n: 2 }]);
  });
});
