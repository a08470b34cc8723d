import { runTypeScript } from '../support/run-typescript';
import { useTestDatabase } from '../support/test-database';

const db = useTestDatabase();
const compare = () => runTypeScript('database/processes/compare-schema.ts', [db.url]);

it('prisma/schema.prisma and the migrated database agree', async () => {
  expect(await compare()).toMatchObject({ code: 0, stdout: 'No difference detected.\n' });
});

it('the comparison detects different columns, types and indexes', async () => {
  await db.sql('ALTER TABLE products ADD COLUMN colour text');
  await db.sql('ALTER TABLE shops ALTER COLUMN product_limit TYPE bigint');
  await db.sql('DROP INDEX orders_page_idx');
  const { stdout } = await compare();
  expect(stdout).toContain('Removed column `colour`');
  expect(stdout).toContain('column `product_limit`');
  expect(stdout).toContain('Added index on columns (shop_id, sort_at, id)');
});
