import type { Client } from 'pg';
import { seedShop } from '../support/seed';
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

const addProduct = (client: Client, shopId: string, externalId: string, createdAt: string) =>
  client.query(
    'INSERT INTO products (shop_id, external_id, title, created_at, updated_at) VALUES ($1, $2, $2, $3, $3)',
    [shopId, externalId, createdAt],
  );

it('transactions of different shops do not wait for each other', async () => {
  const [shopOne, shopTwo] = [await seedShop(db.sql), await seedShop(db.sql)];
  await one.query('BEGIN');
  await addProduct(one, shopOne, 'x', '2026-01-01T00:00:00Z');
  await addProduct(two, shopTwo, 'x', '2026-01-01T00:00:00Z');
  await one.query('COMMIT');
  expect(await db.sql("SELECT count(*)::integer AS n FROM products WHERE external_id = 'x'")).toEqual([{ n: 2 }]);
});
