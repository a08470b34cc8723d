import { importApplicationName } from '../../src/ingest/write/import-transaction';
import { useImportHarness } from './import-harness';

const harness = useImportHarness();

const products = 1_200;
const at = '2026-01-01T00:00:00Z';
const snapshot = Array.from({ length: products }, (_, n) =>
  JSON.stringify({
    type: 'product',
    external_id: `p-${n}`,
    title: `Mug ${n}`,
    handle: `mug-${n}`,
    created_at: at,
    updated_at: at,
    variants: [0, 1].map((m) => ({
      external_id: `v-${n}-${m}`,
      sku: `SKU-${n}-${m}`,
      barcode: `00${n}`,
      price: '1.00',
      inventory_quantity: n,
      created_at: at,
      updated_at: at,
    })),
  }),
).join('\n');

/**
 * The number of rows that statements have fetched through indexes so far. The count of a session is known when it has
 * ended.
 */
async function countFetched(): Promise<number> {
  const { sql } = harness.test;
  const isImporting = async () => {
    const others = await sql(
      'SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1',
      [importApplicationName],
    );
    return others.length > 0;
  };
  while (await isImporting());
  const [row] = await sql<{ fetched: string }>(
    "SELECT sum(idx_tup_fetch) AS fetched FROM pg_stat_user_tables WHERE relname IN ('products', 'variants')",
  );
  return Number(row?.fetched);
}

it('an import looks up rows individually, though VACUUM has found the tables empty and their indexes large', async () => {
  const { sql } = harness.test;
  const first = await harness.createShop();
  await first.import(snapshot);
  await sql('DELETE FROM shops WHERE shop_id = $1', [first.id]);
  await sql('VACUUM products, variants, product_tags, product_terms');
  const before = await countFetched();
  await (await harness.createShop()).import(snapshot);
  // Reading all rows of the shop for each would be some two million.
  expect((await countFetched()) - before).toBeLessThan(100 * products);
});
