import { maximumAnswerBytes } from '../../src/catalog/answer-size';
import { columnLengths, optionsLimit, tagLimits } from '../../src/catalog/model';
import { collection, ImportHarness, lines, order, product, variant } from '../ingest/import-harness';
import { seedCollection, seedOrder, seedProduct, seedShop, seedVariant } from '../support/seed';
import type { Sql } from '../support/test-database';

let harness: ImportHarness;
let sql: Sql;
let shopId: string;
let productId: string;
beforeAll(async () => {
  harness = await ImportHarness.create();
  ({ sql } = harness.test);
  shopId = await seedShop(sql);
  productId = await seedProduct(sql, shopId);
});
afterAll(() => harness.close());

type Values = Record<string, unknown>;
type Table = keyof typeof columnLengths;

const seeds: Readonly<Record<Table, (values: Values) => Promise<string>>> = {
  shops: (values) => seedShop(sql, values),
  products: (values) => seedProduct(sql, shopId, values),
  variants: (values) => seedVariant(sql, shopId, productId, values),
  collections: (values) => seedCollection(sql, shopId, values),
  orders: (values) => seedOrder(sql, shopId, values),
};

/** Snapshot lines with these values in an object of the table. */
const snapshots: Readonly<Record<Table, (values: Values) => string>> = {
  shops: (values) => lines({ type: 'shop', ...values }),
  products: (values) => lines(product(), product({ external_id: 'p2', ...values })),
  variants: (values) =>
    lines(product(), product({ external_id: 'p2', variants: [variant(), variant({ external_id: 'v2', ...values })] })),
  collections: (values) => lines(collection(), collection({ external_id: 'c2', ...values })),
  orders: (values) => lines(order(), order({ external_id: 'o2', ...values })),
};

const bounds = Object.entries(columnLengths).flatMap(([table, columns]) =>
  Object.entries(columns).map(([column, bytes]) => [table as Table, column, bytes] as const),
);

const isDecimal = (column: string): boolean => /price|total_(tax|shipping)|weight$/.test(column);
/** The same number of bytes, in multi-byte characters where the column accepts them. */
const textOf = (column: string, bytes: number): string =>
  isDecimal(column) ? '1'.repeat(bytes) : 'é'.repeat(bytes >> 1) + 'x'.repeat(bytes % 2);

describe.each(bounds)('%s.%s', (table, column, bytes) => {
  it(`accepts ${bytes} bytes and rejects one more, from any writer`, async () => {
    expect(await seeds[table]({ [column]: textOf(column, bytes) })).toEqual(expect.any(String));
    await expect(seeds[table]({ [column]: textOf(column, bytes + 1) })).rejects.toMatchObject({
      constraint: `${table}_${column}_length_check`,
    });
  });

  it('has the same limit in the importer, which reports line and member and writes nothing', async () => {
    const shop = await harness.createShop();
    await shop.import(snapshots[table]({ [column]: textOf(column, bytes) }));
    const before = await shop.fingerprint();
    const message = await shop.refusal(snapshots[table]({ [column]: textOf(column, bytes + 1) }));
    const line = table === 'shops' ? 1 : 2;
    const field = table === 'variants' ? `variants[1].${column}` : column;
    expect(message).toContain(`file, line ${line}, ${field}: `);
    // Two indexed columns have an additional check, with a different message, that runs first.
    expect(message).toMatch(
      new RegExp(
        `expected at most ${bytes} bytes, got ${bytes + 1}|is longer than ${bytes} bytes|at most 1000 digits|expected a decimal number`,
      ),
    );
    expect(await shop.fingerprint()).toEqual(before);
  });
});

describe.each(['products', 'orders'] as const)('%s.tags', (table) => {
  const tooLong = Array.from({ length: 40 }, (_, index) => String(index).padEnd(1_700, 'x'));
  it.each([
    ['too many', Array.from({ length: tagLimits.count + 1 }, String), `expected at most ${tagLimits.count} tags`],
    ['too long together', tooLong, `expected at most ${tagLimits.bytes} bytes`],
  ])('%s are rejected', async (_, tags, message) => {
    await expect(seeds[table]({ tags })).rejects.toMatchObject({ constraint: `${table}_tags_length_check` });
    const shop = await harness.createShop();
    expect(await shop.refusal(snapshots[table]({ tags }))).toContain(`file, line 2, tags: ${message}`);
    expect(await seeds[table]({ tags: tags.slice(0, tags.length === 40 ? 38 : -1) })).toEqual(expect.any(String));
  });
});

it('options have a limit as JSON text', async () => {
  const options = (bytes: number) => [{ name: 'n', value: 'é'.repeat((bytes - 28) >> 1) + 'x'.repeat(bytes % 2) }];
  const tooLong = options(optionsLimit + 1);
  await seeds.variants({ options: options(optionsLimit) });
  await expect(seeds.variants({ options: tooLong })).rejects.toMatchObject({
    constraint: 'variants_options_length_check',
  });
  const shop = await harness.createShop();
  await shop.import(snapshots.variants({ options: options(optionsLimit) }));
  expect(await shop.refusal(snapshots.variants({ options: tooLong }))).toContain(
    `file, line 2, variants[1].options: expected at most ${optionsLimit} bytes, got ${optionsLimit + 1}`,
  );
});

it('every text column that a response may contain has a limit', async () => {
  const columns = await sql<{ name: string }>(
    `SELECT c.table_name || '_' || c.column_name AS name FROM information_schema.columns AS c
      WHERE c.table_name = ANY ($1) AND c.is_generated = 'NEVER' AND c.data_type IN ('text', 'ARRAY', 'jsonb')
        AND NOT EXISTS (SELECT FROM pg_constraint WHERE conname = c.table_name || '_' || c.column_name || '_length_check')`,
    [Object.keys(columnLengths)],
  );
  // These are values of a list, three-letter codes, or not part of any response.
  expect(columns.map(({ name }) => name).sort()).toEqual([
    'orders_currency',
    'products_skus',
    'products_status',
    'shops_currency',
    'shops_plan',
  ]);
});

describe('a row of maximum length', () => {
  // A control character takes one byte in UTF-8 and six in JSON.
  const fill = (table: Table, descriptionBytes: number): Values =>
    Object.fromEntries(
      Object.entries(columnLengths[table])
        .filter(([column]) => column !== 'external_id')
        .map(([column, bytes]) => [column, column === 'description_html' ? descriptionBytes : bytes] as const)
        .map(([column, bytes]) => [column, isDecimal(column) ? '1'.repeat(bytes) : '\u0001'.repeat(bytes)]),
    );
  const tags = ['\u0001'.repeat(tagLimits.bytes)];

  it.each(['products', 'collections'] as const)(
    'of %s is rejected when it exceeds half of a response',
    async (table) => {
      const values = {
        ...fill(table, columnLengths[table]['description_html'] as number),
        ...(table === 'products' ? { tags: [] } : {}),
      };
      await expect(seeds[table](values)).rejects.toMatchObject({ constraint: `${table}_row_length_check` });
      const shop = await harness.createShop();
      expect(await shop.refusal(snapshots[table](values))).toMatch(
        /^file, line 2: expected an object of at most 4194304 bytes as JSON text, got \d+$/,
      );
    },
  );

  it('leaves room for a second one in the same response', async () => {
    const product = await seeds.products({ ...fill('products', 500_000), tags });
    const variant = await seeds.variants({
      ...fill('variants', 0),
      options: [{ name: '', value: '\u0001'.repeat(10_000) }],
    });
    const collection = await seeds.collections(fill('collections', 500_000));
    const order = await seeds.orders({ ...fill('orders', 0), tags });
    const sizes = await sql<{ bytes: number }>(
      `SELECT octet_length(rest_json) AS bytes FROM products WHERE id = $1
       UNION ALL SELECT octet_length(rest_json) FROM variants WHERE id = $2
       UNION ALL SELECT octet_length(rest_json) FROM collections WHERE id = $3
       UNION ALL SELECT octet_length(row_to_json(o)::text) FROM orders AS o WHERE id = $4`,
      [product, variant, collection, order],
    );
    for (const { bytes } of sizes) expect(bytes).toBeLessThanOrEqual(maximumAnswerBytes / 2);
    expect(sizes[0]?.bytes).toBeGreaterThan(maximumAnswerBytes / 3);
  });
});

it('a product that does not fit in one response with its variants is not imported', async () => {
  const variants = Array.from({ length: 1_000 }, (_, index) =>
    variant({ external_id: `v${index}`, title: 'x'.repeat(9_000) }),
  );
  const shop = await harness.createShop();
  expect(await shop.refusal(lines(product(), product({ external_id: 'p2', variants })))).toMatch(
    /^file, line 2, variants: expected at most 8388608 bytes for a product and its variants, got \d+ with 1000 variants$/,
  );
  expect(await shop.rows('products')).toEqual([]);
});
