import { importApplicationName } from '../../src/ingest/write/import-transaction';
import { lines, product, variant, useImportHarness } from './import-harness';

/*
 * The statistics of the shops that are there say that a new one has no rows. A plan that believes it begins with the
 * rows of the shop and compares each with the whole batch: the first batches are quick, and the last of a large shop
 * takes minutes. Each batch then reads the rows of all before it, which shows on any machine.
 */

const products = 5_000;

const harness = useImportHarness();

const file = lines(
  ...Array.from({ length: products }, (_, n) =>
    product({
      external_id: `p${n}`,
      handle: `mug-${n}`,
      variants: [variant({ external_id: 'a' }), variant({ external_id: 'b', position: 2 })],
    }),
  ),
);

/** How many rows of the shop's products and variants have been read so far. A session reports when it ends. */
async function countRows(): Promise<number> {
  const sessions = `SELECT FROM pg_stat_activity WHERE application_name = $1 AND datname = current_database()`;
  while ((await harness.test.sql(sessions, [importApplicationName])).length > 0);
  const [row] = await harness.test.sql<{ rows: string }>(
    `SELECT sum(coalesce(idx_tup_fetch, 0) + seq_tup_read)::text AS rows FROM pg_stat_user_tables WHERE relname IN ('products', 'variants')`,
  );
  return Number(row?.rows);
}

describe('the import of a shop next to others, whose statistics do not cover it', () => {
  it('reads as many rows as the first one did', async () => {
    const read: number[] = [];
    for (let count = 0; count < 2; count += 1) {
      const shop = await harness.createShop();
      const before = await countRows();
      await shop.import(file);
      read.push((await countRows()) - before);
      await harness.test.sql('ANALYZE products, variants');
    }
    const [first = 0, second = Infinity] = read;
    expect(first).toBeGreaterThan(products);
    expect(second).toBeLessThan(1.2 * first);
  });
});
