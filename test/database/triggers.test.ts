import { seedProduct, seedShop, seedVariant } from '../support/seed';
import { useTestDatabase } from '../support/test-database';

const db = useTestDatabase();

/**
 * Triggers of one table, event, timing and level that could run in the same session: their names would decide the
 * order. Triggers enabled only for replication (R) run in sessions that run no others.
 */
const severalAtOnce = `
  WITH fired AS (
    SELECT t.tgrelid::regclass::text AS table, t.tgname::text AS name, event,
           CASE WHEN t.tgtype & 1 = 1 THEN 'row' ELSE 'statement' END AS level,
           CASE WHEN t.tgtype & 2 = 2 THEN 'before' WHEN t.tgtype & 64 = 64 THEN 'instead' ELSE 'after' END AS timing,
           t.tgenabled = 'R' AS is_of_replicas
      FROM pg_trigger AS t
      JOIN pg_class AS c ON c.oid = t.tgrelid AND c.relnamespace = 'public'::regnamespace
      JOIN (VALUES (4, 'insert'), (8, 'delete'), (16, 'update'), (32, 'truncate')) AS e (bit, event) ON t.tgtype & e.bit > 0
     WHERE NOT t.tgisinternal)
  SELECT "table", event, timing, level, array_agg(name ORDER BY name) AS names FROM fired
   GROUP BY 1, 2, 3, 4, is_of_replicas HAVING count(*) > 1`;

it('no order of triggers matters: a table has one for each event, timing and level', async () => {
  expect(await db.sql(severalAtOnce)).toEqual([]);
  const [counted] = await db.sql<{ triggers: number }>(
    'SELECT count(*)::integer AS triggers FROM pg_trigger WHERE NOT tgisinternal',
  );
  expect(counted?.triggers).toBeGreaterThan(30);
});

it('the search finds a second one', async () => {
  await db.sql(
    'CREATE TRIGGER a_second AFTER UPDATE ON orders FOR EACH STATEMENT EXECUTE FUNCTION catalog_truncated()',
  );
  expect(await db.sql(severalAtOnce)).toEqual([
    { table: 'orders', event: 'update', timing: 'after', level: 'statement', names: ['a_second', 'orders_updated'] },
  ]);
  await db.sql('DROP TRIGGER a_second ON orders');
});

it('no role but the owner may execute what triggers run', async () => {
  const open = await db.sql<{ name: string }>(
    `SELECT p.proname::text AS name FROM pg_proc AS p
      WHERE p.pronamespace = 'public'::regnamespace AND p.proname LIKE 'catalog\\_%' AND has_function_privilege('public', p.oid, 'EXECUTE')
      ORDER BY 1`,
  );
  // Functions that run in readers' statements and in the generated columns of writers' rows.
  expect(open.map(({ name }) => name)).toEqual([
    'catalog_fold',
    'catalog_has_witness',
    'catalog_hold_shop',
    'catalog_is_witnessed',
    'catalog_line_skus',
    'catalog_plain_words',
    'catalog_price_spread',
    'catalog_price_spreads',
    'catalog_rest_collection',
    'catalog_rest_product',
    'catalog_rest_variant',
    'catalog_run',
    'catalog_search_terms',
    'catalog_search_words',
    'catalog_server',
    'catalog_terms',
  ]);
});

it('no function uses md5, which servers in FIPS mode refuse', async () => {
  const found = await db.sql(
    `SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND proname LIKE 'catalog\\_%' AND prosrc ~ '\\mmd5\\('`,
  );
  expect(found).toEqual([]);
});

it('products are derived once for each statement, of several shops too, when a price changes (docs/decisions.md 4)', async () => {
  const client = await db.connect();
  const shopIds: string[] = [];
  while (shopIds.length < 6) shopIds.push(await seedShop(db.sql));
  for (const shopId of shopIds) await seedVariant(db.sql, shopId, await seedProduct(db.sql, shopId));
  // It may still include counts of earlier transactions.
  const readCount = async (): Promise<number> => {
    const { rows } = await client.query<{ calls: number }>(
      `SELECT calls::integer FROM pg_stat_xact_user_functions WHERE funcname = 'catalog_derive_products'`,
    );
    return rows[0]?.calls ?? 0;
  };
  const countDerivations = async (where: string): Promise<number> => {
    await client.query(`BEGIN; SET LOCAL track_functions = 'all'`);
    const before = await readCount();
    await client.query(`UPDATE variants SET price = price_value + 1 WHERE shop_id = ANY ($1) AND ${where}`, [shopIds]);
    const after = await readCount();
    await client.query('ROLLBACK');
    return after - before;
  };
  expect(await countDerivations(`shop_id = '${shopIds[0]}'`)).toBe(1);
  expect(await countDerivations('true')).toBe(1);
});

it('products stay in their order on disk when variants are added, so that a page reads few blocks', async () => {
  const shopId = await seedShop(db.sql);
  await db.sql(
    `INSERT INTO products (shop_id, external_id, title, created_at, updated_at)
     SELECT $1, n, n, now(), now() FROM generate_series(100, 199) AS n`,
    [shopId],
  );
  await db.sql(
    `INSERT INTO variants (shop_id, product_id, external_id, sku, created_at, updated_at)
     SELECT shop_id, id, title, title, now(), now() FROM products WHERE shop_id = $1`,
    [shopId],
  );
  const found = await db.sql(
    `SELECT array_agg(skus ORDER BY ctid) = array_agg(title ORDER BY title) AS kept FROM products WHERE shop_id = $1`,
    [shopId],
  );
  expect(found).toEqual([{ kept: true }]);
});
