import { samples } from './format-samples';
import { type ShopUnderImport, useImportHarness } from './import-harness';
import { fc } from '../support/properties';

const harness = useImportHarness();

type Row = Readonly<Record<string, string>>;

/** The content of a file: products, each with its own cells and those of its variants. */
interface Product {
  readonly handle: string;
  readonly cells: Row;
  readonly variants: readonly Row[];
}

const quote = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
const toCsv = (columns: readonly string[], rows: readonly Row[]): string =>
  [columns, ...rows.map((row) => columns.map((column) => row[column] ?? ''))]
    .map((cells) => `${cells.map(quote).join(',')}\n`)
    .join('');

const toRows = (products: readonly Product[]): Row[] =>
  products.flatMap(({ handle, cells, variants }) =>
    variants.map((variant, index) => ({ Handle: handle, ...(index === 0 ? cells : {}), ...variant })),
  );

const optionColumns = [1, 2, 3].flatMap((number) => [`Option${number} Name`, `Option${number} Value`]);

/** The columns that provide a member: without them, the stored value stays. */
const productOwners: Readonly<Record<string, string>> = {
  description_html: 'Body (HTML)',
  vendor: 'Vendor',
  product_type: 'Type',
  tags: 'Tags',
  status: 'Status',
  published_at: 'Published',
  image_url: 'Image Src',
  images: 'Image Src',
  url: 'Published',
  seo_title: 'SEO Title',
  seo_description: 'SEO Description',
};
const variantOwners: Readonly<Record<string, string>> = {
  sku: 'Variant SKU',
  barcode: 'Variant Barcode',
  compare_at_price: 'Variant Compare At Price',
  cost_price: 'Cost per item',
  inventory_quantity: 'Variant Inventory Qty',
  weight: 'Variant Grams',
  weight_unit: 'Variant Grams',
  image_url: 'Variant Image',
};
const mayBeAbsent = [
  ...new Set([...Object.values(productOwners), ...Object.values(variantOwners)]),
  'Variant Inventory Tracker',
  'Variant Weight Unit',
  'Image Position',
];
const allColumns = ['Handle', 'Title', ...mayBeAbsent, ...optionColumns, 'Variant Price'];

const blankOr = (value: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.oneof({ weight: 1, arbitrary: fc.constant('') }, { weight: 3, arbitrary: value });
const word = fc.constantFrom('red', 'blue', 'x, y', '"q"', 'é\nü', 'L', '10', "o'clock");
const price = fc.constantFrom('1', '1.0', '19.90', '5', '05', '100');

const cellsOfProduct = fc.record({
  Title: word,
  'Body (HTML)': blankOr(word),
  Vendor: blankOr(word),
  Type: blankOr(word),
  Tags: blankOr(fc.constantFrom('a', 'a, b', 'b, a, c')),
  Status: fc.constantFrom('active', 'draft', 'archived'),
  Published: fc.constantFrom('true', 'false'),
  'Image Src': blankOr(fc.webUrl()),
  'SEO Title': blankOr(word),
  'SEO Description': blankOr(word),
});
const cellsOfVariant = fc.record({
  'Variant Price': price,
  'Variant SKU': blankOr(word),
  'Variant Barcode': blankOr(fc.constantFrom('4006381333931', 'x')),
  'Variant Compare At Price': blankOr(price),
  'Cost per item': blankOr(price),
  'Variant Inventory Qty': blankOr(fc.constantFrom('0', '3', '-2', '4294967294')),
  'Variant Inventory Tracker': blankOr(fc.constant('shopify')),
  'Variant Grams': blankOr(fc.constantFrom('0', '454', '500', '28')),
  'Variant Weight Unit': fc.constantFrom('g', 'kg', 'lb', 'oz'),
  'Variant Image': blankOr(fc.webUrl()),
});
const optionValues = fc.tuple(
  fc.constantFrom('S', 'M', 'L/XL'),
  fc.constantFrom('', 'Red', 'Blue'),
  fc.constantFrom('', 'A'),
);

/** The same order of options for every product, with blanks last. */
const withOptions = (cells: Row, [first, second, third]: readonly [string, string, string]): Row => ({
  ...cells,
  'Option1 Value': first,
  'Option2 Value': second,
  'Option3 Value': second === '' ? '' : third,
});
const variantsWithOptions = fc.uniqueArray(
  fc.tuple(cellsOfVariant, optionValues).map(([cells, values]) => withOptions(cells, values)),
  { minLength: 1, maxLength: 5, selector: (row) => valuesOf(row, 3).join('/') },
);
const variantsWithout = cellsOfVariant.map((cells): Row[] => [
  { ...cells, 'Option1 Name': 'Title', 'Option1 Value': 'Default Title', 'Option2 Value': '', 'Option3 Value': '' },
]);
const names = fc.constantFrom(['Size', 'Colour', 'Cut'], ['Größe', 'Farbe', 'Schnitt']);

const product = (handle: string): fc.Arbitrary<Product> =>
  fc
    .tuple(
      cellsOfProduct,
      fc.oneof({ weight: 3, arbitrary: variantsWithOptions }, { weight: 1, arbitrary: variantsWithout }),
      names,
    )
    .map(([cells, variants, [one, two, three]]) => ({
      handle,
      cells: {
        ...cells,
        ...{ 'Option1 Name': one ?? '', 'Option2 Name': two ?? '', 'Option3 Name': three ?? '' },
      },
      variants,
    }));
const catalog = fc
  .tuple(...['mug', 'cup', 'jug'].map((handle) => fc.option(product(handle), { nil: undefined, freq: 3 })))
  .map((products) => products.filter((found) => found !== undefined));

const valuesOf = (row: Row, count: number): string[] =>
  [1, 2, 3].slice(0, count).map((number) => row[`Option${number} Value`] ?? '');

type Stored = Record<string, unknown>;
interface StoredProduct {
  readonly product: Stored;
  readonly variants: readonly Stored[];
}

const derived = ['variant_count', 'min_price', 'max_price', 'total_stock'];

/** The shop's live products and variants: all columns that a file can provide, and the derived ones. */
async function readBack(shop: ShopUnderImport): Promise<Map<string, StoredProduct>> {
  const found = await harness.test.sql<{ product: Stored; variants: Stored[] }>(
    `SELECT to_jsonb(p) AS product,
            (SELECT jsonb_agg(to_jsonb(v) ORDER BY v.position, v.id) FROM variants AS v WHERE v.product_id = p.id AND v.shop_id = p.shop_id) AS variants
       FROM products AS p WHERE shop_id = $1 AND deleted_at IS NULL`,
    [shop.id],
  );
  const productColumns = ['external_id', 'title', 'handle', ...Object.keys(productOwners), ...derived];
  const variantColumns = ['external_id', 'title', 'price', 'position', 'options', ...Object.keys(variantOwners)];
  const pick = (row: Stored, columns: readonly string[]): Stored =>
    Object.fromEntries(columns.map((column) => [column, row[column]]));
  return new Map(
    found.map(({ product: row, variants }) => [
      String(row['handle']),
      {
        product: { ...pick(row, productColumns), published_at: row['published_at'] !== null, url: row['url'] !== null },
        variants: variants.map((variant) => pick(variant, variantColumns)),
      },
    ]),
  );
}

const keyOf = (variant: Stored, count: number): string => {
  const values = (variant['options'] as { value: string }[]).map(({ value }) => value);
  return JSON.stringify([0, 1, 2].slice(0, count).map((at) => values[at] ?? ''));
};

const gramsPer: Readonly<Record<string, number>> = { kg: 1000, lb: 453.59237, oz: 28.349523125, g: 1 };

/** The stored values, with every member that the file has a column for replaced. */
function merge(before: StoredProduct, given: StoredProduct, columns: ReadonlySet<string>): StoredProduct {
  const optionCount = [1, 2, 3].filter((number) => columns.has(`Option${number} Value`)).length;
  const variants = before.variants.flatMap((stored): Stored[] => {
    const key = keyOf(stored, optionCount);
    const meant = before.variants.filter((other) => keyOf(other, optionCount) === key);
    const row = given.variants.find((variant) => keyOf(variant, optionCount) === key);
    if (row === undefined) return [];
    // A row without further options stands for the variant without any, or else for the only one that starts with the
    // same options.
    const exact = meant.find((other) => other['external_id'] === row['external_id']);
    if (exact === undefined ? meant.length > 1 : exact !== stored) return [stored];
    return [mergeVariant(stored, row, columns, optionCount)];
  });
  const added = given.variants.filter(
    (row) => !before.variants.some((stored) => keyOf(stored, optionCount) === keyOf(row, optionCount)),
  );
  const all = [...variants, ...added];
  const prices = all.map((variant) => Number(variant['price'])).sort((a, b) => a - b);
  const keep = Object.keys(productOwners).filter((member) => !columns.has(productOwners[member] as string));
  return {
    product: {
      ...given.product,
      ...Object.fromEntries(keep.map((member) => [member, before.product[member]])),
      variant_count: all.length,
      min_price: prices[0],
      max_price: prices.at(-1),
      total_stock: all.reduce((sum, variant) => sum + Number(variant['inventory_quantity'] ?? 0), 0),
    },
    variants: all,
  };
}

function mergeVariant(stored: Stored, row: Stored, columns: ReadonlySet<string>, optionCount: number): Stored {
  const kept = Object.keys(variantOwners).filter((member) => !columns.has(variantOwners[member] as string));
  const merged: Stored = { ...stored, ...row, ...Object.fromEntries(kept.map((member) => [member, stored[member]])) };
  const options = stored['options'] as { name: string; value: string }[];
  const hasNames = [1, 2, 3].slice(0, optionCount).every((number) => columns.has(`Option${number} Name`));
  if (optionCount < 3) Object.assign(merged, { external_id: stored['external_id'], title: stored['title'] });
  if (optionCount === 0) merged['position'] = stored['position'];
  merged['options'] =
    hasNames && optionCount > 0 ? options.map((old, at) => (row['options'] as typeof options)[at] ?? old) : options;
  if (columns.has('Variant Grams') && !columns.has('Variant Weight Unit') && stored['weight'] !== null) {
    const grams = Math.round(Number(stored['weight']) * (gramsPer[String(stored['weight_unit'])] ?? NaN));
    if (row['weight'] !== null && Number(row['weight']) === grams) {
      Object.assign(merged, { weight: stored['weight'], weight_unit: stored['weight_unit'] });
    }
  }
  return merged;
}

/** Replaces two spellings of the same price with one. */
const comparable = ({ product: row, variants }: StoredProduct): StoredProduct => ({
  product: { ...row, min_price: Number(row['min_price']), max_price: Number(row['max_price']) },
  variants: [...variants].sort((a, b) => (String(a['external_id']) < String(b['external_id']) ? -1 : 1)),
});

describe('a products file without some of its columns', () => {
  it('keeps the stored values of missing columns; the others are as in the file', async () => {
    const columnSets = fc
      .tuple(fc.subarray(mayBeAbsent), fc.constantFrom(0, 1, 2, 3), fc.subarray([1, 2, 3]))
      .map(([chosen, optionCount, named]) => [
        ...['Handle', 'Title', ...chosen],
        ...[1, 2, 3].slice(0, optionCount).map((number) => `Option${number} Value`),
        ...named.map((number) => `Option${number} Name`),
        'Variant Price',
      ]);
    await fc.assert(
      fc.asyncProperty(catalog, catalog, columnSets, async (stored, given, columns) => {
        fc.pre(given.length > 0);
        const optionCount = [1, 2, 3].filter((number) => columns.includes(`Option${number} Value`)).length;
        // Rows that the columns do not distinguish are refused.
        const rows = given.map((item) => ({
          ...item,
          variants: item.variants.filter(
            (row, index, all) =>
              all.findIndex((other) => keyOfRow(other, optionCount) === keyOfRow(row, optionCount)) === index,
          ),
        }));
        const file = toCsv(columns, toRows(rows));
        const [shop, empty] = [await harness.createShop(), await harness.createShop()];
        if (stored.length > 0) await shop.import(toCsv(allColumns, toRows(stored)));
        await empty.import(file);
        const [before, alone] = [await readBack(shop), await readBack(empty)];

        await shop.import(file);

        const after = await readBack(shop);
        expect([...after.keys()].sort()).toEqual([...new Set([...before.keys(), ...alone.keys()])].sort());
        for (const [handle, found] of after) {
          const [old, fresh] = [before.get(handle), alone.get(handle)];
          const expected = old && fresh ? merge(old, fresh, new Set(columns)) : (old ?? fresh);
          expect(comparable(found)).toEqual(comparable(expected as StoredProduct));
        }
        const fingerprint = await shop.fingerprint();
        await shop.import(file);
        expect(await shop.fingerprint()).toEqual(fingerprint);
      }),
      { numRuns: 40 },
    );
  });
});

const keyOfRow = (row: Row, count: number): string => {
  const values = valuesOf(row, count);
  return JSON.stringify(values[0] === 'Default Title' ? [] : values.filter((value) => value !== ''));
};

describe('a file with collections of products, but not the positions of products in them', () => {
  const formats = [
    'shopify-products-bulk',
    'woocommerce-products',
    'wix-products',
    'squarespace',
    'magento',
    'bigcommerce',
  ] as const;
  it.each(formats)('keeps the stored positions: %s', async (format) => {
    const shop = await harness.createShop();
    await shop.import(samples[format]);
    await harness.test.sql(
      `UPDATE products SET memberships = (SELECT jsonb_agg(one || '{"position": 7}') FROM jsonb_array_elements(memberships) AS m (one))
        WHERE shop_id = $1 AND memberships <> '[]'`,
      [shop.id],
    );
    const before = await shop.values('products', 'memberships');
    expect(JSON.stringify(before)).toContain('"position":7');
    await shop.import(samples[format]);
    expect(await shop.values('products', 'memberships')).toEqual(before);
  });
});
