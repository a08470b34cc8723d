import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { seedCollection, seedProduct, seedShop, seedVariant } from '../../support/seed';
import { createEmptyDatabase, dropDatabase } from '../../support/test-database';
import type { Sql } from '../../support/test-database';
import { readViolations } from './catalog-state';

const directory = join(__dirname, '../../../prisma/migrations');
const migrations = readdirSync(directory)
  .filter((name) => /^\d/.test(name))
  .sort();
const firstWithVisibleSets = '20261122020000_shop_first';

let url: string;
let client: Client;

beforeAll(async () => {
  url = await createEmptyDatabase();
  client = new Client({ connectionString: url, options: '-c TimeZone=UTC' });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await dropDatabase(url);
});

const sql: Sql = async <Row>(text: string, values?: unknown[]) => (await client.query(text, values)).rows as Row[];
const apply = async (names: readonly string[]): Promise<void> => {
  for (const name of names) await client.query(readFileSync(join(directory, name, 'migration.sql'), 'utf8'));
};
const violations = (): Promise<string[]> => readViolations(client);

it('a database with data keeps its visible sets through the migration that moves them, and after it', async () => {
  await apply(migrations.filter((name) => name < firstWithVisibleSets));
  for (const product_limit of [null, 0, 2, 9]) {
    const shopId = await seedShop(sql, { product_limit });
    for (let count = 0; count < 5; count += 1) {
      const deleted_at = count === 1 ? '2026-03-01Z' : null;
      const productId = await seedProduct(sql, shopId, { deleted_at });
      if (count % 2 === 0) await seedVariant(sql, shopId, productId);
    }
    await seedCollection(sql, shopId);
  }
  await seedShop(sql);
  await apply(migrations.filter((name) => name >= firstWithVisibleSets));
  expect(await violations()).toEqual([]);

  await sql(
    "UPDATE products SET deleted_at = '2026-03-02Z' WHERE id IN (SELECT min(id::text)::uuid FROM products GROUP BY shop_id)",
  );
  expect(await violations()).toEqual([]);
  await sql('UPDATE products SET deleted_at = NULL');
  await sql('UPDATE shops SET product_limit = 3');
  expect(await violations()).toEqual([]);
});
