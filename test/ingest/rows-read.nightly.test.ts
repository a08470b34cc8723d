import { Client, type QueryResult } from 'pg';
import { importApplicationName } from '../../src/ingest/write/import-transaction';
import { ImportHarness, type ShopUnderImport, collection, lines, order, product, variant } from './import-harness';

/**
 * Checks how many rows the statements of an import read under any planner statistics. Their work must be proportional
 * to the size of the file. A plan that reads the shop once per object shows in the number of rows, on any machine.
 */

const products = 1_200;
const variantsEach = 2;
/** The number of objects that the importer writes per statement. */
const batch = 1_000;
/**
 * For a product that is new, found, changed or deleted: its variants, tags, terms and derived columns, and the lookups
 * of its foreign keys.
 */
const rowsPerProduct = 17;
/** One statement of `--replace` compares all products, at worst of all shops. */
const most = batch * rowsPerProduct + 2 * (products + 2_100);
/** Existing shops, whose statistics do not include the new one. */
const neighbors = 21;

let harness: ImportHarness;
let noted: Noted[] = [];

interface Noted {
  readonly statement: string;
  /** The indexes of the catalog's tables, also for the statement's triggers and foreign keys. */
  readonly rows: number;
}

/** The rows of the catalog's tables that this transaction has read, including those that were filtered out. */
const counters = `
  SELECT coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)::integer AS read
    FROM pg_stat_xact_user_tables WHERE schemaname = 'public'`;

beforeAll(async () => {
  harness = await ImportHarness.create();
  await harness.test.sql(`
    DO $$ DECLARE t text; BEGIN
      FOREACH t IN ARRAY ARRAY['products', 'variants', 'product_tags', 'product_terms', 'collections', 'orders', 'shops', 'visible_sets'] LOOP
        EXECUTE format('ALTER TABLE %I SET (autovacuum_enabled = false)', t);
      END LOOP;
    END $$`);
  await harness.test.sql(`
    WITH shop AS (
      INSERT INTO shops (domain) SELECT 'neighbor-' || n || '.example' FROM generate_series(1, ${neighbors}) AS n RETURNING shop_id
    ), p AS (
      INSERT INTO products (shop_id, external_id, title, tags, created_at, updated_at)
      SELECT shop_id, n, 'Mug ' || n, '{a,b}', timestamptz '2020-01-01Z' + n * interval '1 hour', '2021-01-01Z'
        FROM shop CROSS JOIN generate_series(1, 100) AS n
      RETURNING shop_id, id
    ), o AS (
      INSERT INTO orders (shop_id, external_id, order_number) SELECT shop_id, n, n FROM shop CROSS JOIN generate_series(1, 50) AS n
    ), c AS (
      INSERT INTO collections (shop_id, external_id, title, published)
      SELECT shop_id, n, n, true FROM shop CROSS JOIN generate_series(1, 50) AS n
    )
    INSERT INTO variants (shop_id, product_id, external_id, price, position, created_at, updated_at)
    SELECT shop_id, id, n, '1.00', n, '2020-01-01Z', '2021-01-01Z' FROM p CROSS JOIN generate_series(1, 3) AS n`);
  watchImports();
});
afterAll(async () => {
  jest.restoreAllMocks();
  await harness.close();
});

/** Before and after each statement of an import, asks the server which rows its transaction has read. */
function watchImports(): void {
  const query = Client.prototype.query as unknown as (this: Client, ...given: unknown[]) => Promise<QueryResult>;
  const watch = async (client: Client, given: readonly unknown[], text: string): Promise<QueryResult> => {
    const look = async () => ((await query.call(client, counters)).rows[0] as { read: number }).read;
    const before = await look();
    const result = await query.apply(client, [...given]);
    noted.push({ statement: text.replace(/\s+/g, ' ').trim(), rows: (await look()) - before });
    return result;
  };
  jest.spyOn(Client.prototype, 'query').mockImplementation(function (this: Client, ...given: unknown[]) {
    const [{ text, values }] = given as [{ text?: string; values?: unknown }];
    const { connectionParameters } = this as unknown as { connectionParameters: { application_name?: string } };
    // Everything else must be returned unchanged: a COPY is a stream.
    if (connectionParameters.application_name !== importApplicationName || text === undefined || values === undefined)
      return query.apply(this, given);
    return watch(this, given, text);
  } as never);
}

const toProduct = (n: number, change: object = {}, variantChange: object = {}): object =>
  product({
    external_id: `p${n}`,
    handle: `mug-${n}`,
    title: `Mug ${n}`,
    tags: ['a', 'b', `t${n % 5}`],
    created_at: new Date(Date.UTC(2024, 0, 1) + n * 60_000).toISOString(),
    variants: Array.from({ length: variantsEach }, (_, index) =>
      variant({
        external_id: `v${index}`,
        price: `${n % 90}.00`,
        inventory_quantity: n % 7,
        position: index + 1,
        options: [{ name: 'Size', value: `${index}` }],
        ...variantChange,
      }),
    ),
    ...change,
  });

const snapshotOf = (...of: Parameters<typeof toProduct> extends [number, ...infer Rest] ? Rest : never): string =>
  lines(...Array.from({ length: products }, (_, n) => toProduct(n, ...of)));
const others = (change: object): string =>
  lines(
    ...Array.from({ length: products }, (_, n) => order({ external_id: `o${n}`, ...change })),
    ...Array.from({ length: products }, (_, n) => collection({ external_id: `c${n}`, ...change })),
  );
const csv = (header: string, row: (n: number, index: number) => string, rows = variantsEach): string =>
  [
    header,
    ...Array.from({ length: products }, (_, n) => Array.from({ length: rows }, (__, index) => row(n, index))).flat(),
  ].join('\n');
/** The shop of `shopifyProducts` with fewer columns: variants are found by option values. */
const shopifyPrices = csv('Handle,Title,Variant Price', (n) => `mug-${n},Mug ${n},${n % 80}.50`, 1);
const shopifyOptions = csv(
  'Handle,Title,Option1 Name,Option1 Value,Variant Price',
  (n, index) => `mug-${n},Mug ${n},Size,${index},${n % 70}.50`,
);
const shopifyProducts = csv(
  'Handle,Title,Option1 Name,Option1 Value,Option2 Name,Option2 Value,Option3 Name,Option3 Value,Variant Price',
  (n, index) => `mug-${n},Mug ${n},Size,${index},,,,,${n % 60}.50`,
);
const shopifyStock = csv(
  'Handle,Title,Option1 Name,Option1 Value,Option2 Name,Option2 Value,Option3 Name,Option3 Value,SKU,HS Code,COO,Location,Available',
  (n, index) => `mug-${n},Mug ${n},Size,${index},,,,,,,,Berlin,${n % 9}`,
);

const analyze = (): Promise<unknown> =>
  harness.test.sql('ANALYZE products, variants, product_tags, product_terms, collections, orders, shops, visible_sets');
const forget = async (): Promise<void> => {
  await harness.test.sql(`DELETE FROM pg_statistic WHERE starelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace)`);
  await harness.test.sql(`UPDATE pg_class SET reltuples = -1, relpages = 0 WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'i')`);
}; // prettier-ignore
/** What VACUUM finds after everything was deleted, or when all rows belong to an uncommitted transaction. */
const believeEmpty = async (): Promise<void> => {
  await forget();
  await harness.test.sql(`UPDATE pg_class SET reltuples = 0, relpages = 1 WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`);
}; // prettier-ignore

const imports: readonly (readonly [string, readonly (readonly [string, (shop: ShopUnderImport) => Promise<unknown>])[]])[] = [
  ['a snapshot', [
    ['first', (shop) => shop.import(snapshotOf() + others({}))],
    ['again', (shop) => shop.import(snapshotOf() + others({}))],
    ['with other titles and orders', (shop) => shop.import(snapshotOf({ title: 'Cup' }) + others({ title: 'Cups', order_number: '#2' }))],
    ['with other prices', (shop) => shop.import(snapshotOf({ title: 'Cup' }, { price: '7.77' }))],
    ['without variants', (shop) => shop.import(snapshotOf({ variants: [] }))],
    ['with deletions', (shop) => shop.import(snapshotOf({ deleted: true }))],
    ['restored', (shop) => shop.import(snapshotOf())],
    ['replaced', (shop) => shop.import(lines(toProduct(1)), { replace: true, allowRemoving: { percent: 100 } as never })],
  ]],
  ['a CSV', [
    ['first', (shop) => shop.import(shopifyProducts)],
    ['with one option', (shop) => shop.import(shopifyOptions)],
    ['with prices alone', (shop) => shop.import(shopifyPrices)],
    ['with stock', (shop) => shop.import(shopifyStock)],
  ]],
]; // prettier-ignore

/** The planner's statistics of the tables, collected when only the small shops exist, or again before each import. */
const pictures: readonly (readonly [string, () => Promise<unknown>, again: boolean, isEmpty: boolean])[] = [
  ['none', forget, true, false],
  ['of empty tables', believeEmpty, true, true],
  ['of the small shops alone', analyze, false, false],
  ['of all rows', analyze, true, false],
];

describe.each(pictures)('with statistics %s', (_, draw, again, isEmpty) => {
  beforeAll(() => harness.test.sql(`DELETE FROM shops WHERE domain NOT LIKE 'neighbor-%'`));

  it.each(imports)('each statement of the imports of %s reads rows in proportion to its input', async (__, steps) => {
    await draw();
    const shop = await harness.createShop();
    const read: Record<string, object> = {};
    for (const [name, run] of steps) {
      if (again) await draw();
      noted = [];
      await run(shop);
      // For a table whose rows are all deleted, there are no better statistics: the lookups of foreign keys may then
      // read the first batch once for each of its rows.
      const squares = isEmpty ? noted.filter(({ rows }) => rows > most).slice(0, 1) : [];
      const beyond = noted.filter((each) => each.rows > (squares.includes(each) ? most + batch * batch * 2 : most));
      read[name] = beyond.map(({ statement, rows }) => ({ statement: statement.slice(0, 200), rows }));
    }
    expect(read).toEqual(Object.fromEntries(steps.map(([name]) => [name, []])));
  }); // prettier-ignore
});
