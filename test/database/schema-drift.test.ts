import { runTypeScript } from '../support/run-typescript';
import { createTestDatabase } from '../support/test-database';

const compare = (url: string) => runTypeScript('database/processes/compare-schema.ts', [url]);

it('prisma/schema.prisma and the migrated database agree', async () => {
  const { url, drop } = await createTestDatabase();
  expect(await compare(url)).toMatchObject({ code: 0, stdout: 'No difference detected.\n' });
  await drop();
});

it('the comparison detects different columns, types and indexes', async () => {
  const { url, sql, drop } = await createTestDatabase();
  await sql('ALTER TABLE products ADD COLUMN colour text');
  await sql('ALTER TABLE shops ALTER COLUMN product_limit TYPE bigint');
  await sql('DROP INDEX orders_page_idx');
  const { stdout } = await compare(url);
  expect(stdout).toContain('Removed column `colour`');
  expect(stdout).toContain('column `product_limit`');
  expect(stdout).toContain('Added index on columns (shop_id, sort_at, id)');
  await drop();
});
