import type { GraphQLInputField } from 'graphql';
import { buildSchema, isInputObjectType } from 'graphql';
import { readTypeDefinitions } from '../../src/graph/schema';
import { askGraphql } from '../support/graphql-client';
import { seedApiKey, seedCollection, seedOrder, seedProduct, seedShop, seedVariant } from '../support/seed';
import { useService } from '../support/service';
import { fc } from '../support/properties';
import { rankOf } from '../support/search-law';

type Filter = Readonly<Record<string, unknown>>;
type Row = Readonly<Record<string, unknown>> & { readonly id: string; readonly created_at: string | null };

let shop: string;
let apiKey: string;
let foreignProduct: string;
const products: Row[] = [];
const variants: Row[] = [];
const collections: Row[] = [];
const orders: Row[] = [];

const moments = [
  '2026-01-01T00:00:00.000Z',
  '2026-01-01T00:00:00.001Z',
  '2026-02-01T12:00:00.000Z',
  '2026-03-01T00:00:00.000Z',
];
const prices = ['19.90', '19.9', '0', '-1.5', '9007199254740993.01', '9007199254740993.02', '100', null];
const stocks = [0, 1, 7, 4_294_967_294, -3, null];
const long = 'é'.repeat(500);
const tagLists = [[], ['a'], ['A', 'b'], ['a', 'b', 'c d'], ['%', `${long}1`], [long, 'É']];
const texts = ['Kiln & Co', 'kiln & co', '', 'É', 'é', '100%', 'a_b', 'a\\b', null];
const titles = [
  'Éclair',
  'éCLAIR au café',
  '100% cotton',
  'under_score',
  'back\\slash',
  'Straße',
  'ΣΊΣΥΦΟΣ',
  '',
  '😀 mug',
  'a\uffffb',
  'end',
];
const handles = ['start', null, 'ÉCLAIR', 'a-b', '100'];
const numbers = ['#1001', '1001', '1001 ', '', '001001', `${long}1`, `${long}2`, 'É'];
const codes = ['0012', '12', 'A-1', 'a-1', '', null, `${long}1`, `${long}2`, '%'];

/** Of collections by external ids, which are those of the rows. */
const membershipsOf = (index: number) =>
  [index % 5, (index * 3) % 7].map((number) => ({ collection_external_id: `x-${number}`, position: index }));

const lineOf = (sku: string | null) => ({
  ...{ title: null, sku, quantity: 1, unit_price: null, total: null },
  ...{ product_external_id: null, variant_external_id: null },
});

const pick = <Item>(items: readonly Item[], index: number): Item => items[index % items.length] as Item;

/** Rows that differ in everything that a filter inspects. Step sizes without common divisors mix the values well. */
const service = useService({ rateLimit: 1_000_000 });
beforeAll(async () => {
  const { sql } = service;
  shop = await seedShop(sql);
  ({ apiKey } = await seedApiKey(sql, shop));
  foreignProduct = await seedProduct(sql, await seedShop(sql), { external_id: 'x-0' });
  for (let index = 0; index < 44; index += 1) {
    const common = { external_id: `x-${index}`, updated_at: pick(moments, index + 1), tags: pick(tagLists, index) };
    const product = {
      ...common,
      created_at: pick<string>(moments, index),
      title: pick(titles, index),
      handle: pick(handles, index),
      status: pick(['ACTIVE', 'DRAFT', 'ARCHIVED'], index),
      vendor: pick(texts, index),
      product_type: pick(texts, index + 3),
      deleted_at: index % 13 === 12 ? moments[0] : null,
      memberships: membershipsOf(index),
    };
    const id = await seedProduct(sql, shop, product);
    const own = Array.from({ length: index % 3 }, (_, variant) => ({
      external_id: `v-${(index * 5 + variant) % 40}`,
      sku: pick(codes, index + variant),
      barcode: pick(codes, index * 2 + 3 * variant),
      price: pick(prices, index + 3 * variant),
      inventory_quantity: pick(stocks, index + variant),
      updated_at: pick<string>(moments, index + variant),
    }));
    for (const variant of own) {
      variants.push({ ...variant, product_id: id, created_at: null, id: await seedVariant(sql, shop, id, variant) });
    }
    products.push({ ...product, id, variants: own });

    const collection = {
      external_id: `x-${index}`,
      created_at: pick([...moments, null], index),
      updated_at: pick([null, ...moments], index),
      published: index % 3 > 0,
      collection_type: pick(['manual', 'smart', 'Manual', null], index),
    };
    collections.push({ ...collection, id: await seedCollection(sql, shop, collection) });

    const order = {
      ...common,
      created_at: pick([...moments, null], index),
      updated_at: pick([null, ...moments], index),
      financial_status: pick(['PAID', 'paid', 'PENDING', '', null], index),
      fulfillment_status: pick(['FULFILLED', null, 'É'], index),
      currency: pick(['EUR', 'USD', null], index),
      total_price: pick(prices, index),
      order_number: pick(numbers, index),
      line_items: Array.from({ length: index % 3 }, (_, line) => lineOf(pick(codes, index + 2 * line))),
    };
    orders.push({ ...order, id: await seedOrder(sql, shop, order) });
  }
});

/* The meaning of a filter, repeated without SQL. A condition that is absent or null does not restrict. */

type Meaning = (row: Row, value: never) => boolean;

const equals = (member: string) => (row: Row, value: unknown) => row[member] === value;
const among = (member: string) => (row: Row, values: readonly unknown[]) => values.includes(row[member]);
const isId = (row: Row, ids: readonly string[]) => ids.some((id) => id.toLowerCase() === row.id);
const tagsOf = (row: Row) => row['tags'] as readonly string[];

/** Exact for decimals of any length. */
const decimal = (text: string): bigint => {
  const [whole, fraction = ''] = text.split('.') as [string, string?];
  return BigInt(whole + fraction.padEnd(6, '0'));
};
const isGiven = <Value>(value: Value | null | undefined): value is Value => value !== null && value !== undefined;

const between =
  (member: string) =>
  (row: Row, { from, to }: { from?: string | null; to?: string | null }) => {
    const time = row[member] === null ? NaN : Date.parse(row[member] as string);
    return (!isGiven(from) || time >= Date.parse(from)) && (!isGiven(to) || time < Date.parse(to));
  };

interface Range {
  readonly min?: string | number | null;
  readonly max?: string | number | null;
}
const reaches = (numbers: readonly bigint[], { min, max }: Range) =>
  (!isGiven(min) || numbers.some((each) => each >= decimal(String(min)))) &&
  (!isGiven(max) || numbers.some((each) => each <= decimal(String(max)))) &&
  (!isGiven(min) || !isGiven(max) || decimal(String(min)) <= decimal(String(max)));

const variantsOf = (row: Row) =>
  row['variants'] as readonly {
    price: string | null;
    inventory_quantity: number | null;
    sku: string | null;
    barcode: string | null;
  }[];
const hasVariant = (member: 'sku' | 'barcode') => (row: Row, values: readonly unknown[]) =>
  variantsOf(row).some((variant) => values.includes(variant[member]));
const within = (member: 'price' | 'inventory_quantity') => (row: Row, range: Range) =>
  reaches(row[member] === null ? [] : [decimal(`${row[member] as string | number}`)], range);
const pricesOf = (row: Row) => variantsOf(row).flatMap(({ price }) => (price === null ? [] : [decimal(price)]));
const stockOf = (row: Row) =>
  variantsOf(row).reduce((sum, { inventory_quantity }) => sum + (inventory_quantity ?? 0), 0);

const fold = (text: string) => text.toLowerCase().replaceAll('ς', 'σ');
const matches = (row: Row, query: string) =>
  query === '' ||
  [row['title'], row['handle']].some(
    (text) => fold((text as string | null) ?? '\0').includes(fold(query)) && !/[\0\uffff]/.test(query),
  );

const hasWords = (row: Row, search: string) => {
  const skus = variantsOf(row).flatMap(({ sku }) => sku ?? []);
  const [title = '', handle = '', vendor = ''] = ['title', 'handle', 'vendor'].map(
    (name) => (row[name] as string | null) ?? '',
  );
  return rankOf([title, handle, vendor, [...new Set(skus), ...tagsOf(row)].join(' ')], search) !== undefined;
};

const tagMeanings = {
  tag: (row: Row, tag: string) => tagsOf(row).includes(tag),
  tagsAny: (row: Row, tags: readonly string[]) => tags.some((tag) => tagsOf(row).includes(tag)),
  tagsAll: (row: Row, tags: readonly string[]) => tags.every((tag) => tagsOf(row).includes(tag)),
};
const commonMeanings = {
  ids: isId,
  externalIds: among('external_id'),
  createdAt: between('created_at'),
  updatedAt: between('updated_at'),
};

/* Values to filter by: those of the rows, others like them, and values that a filter must survive. */

const hostile = ['\0', 'a\0', '\uffff', '%', '_', '\\', "'", '\ud800', 'nothing has this'];
const from = <Value>(...values: readonly (readonly Value[])[]) => fc.constantFrom(...values.flat());
const known = (values: readonly (string | null)[]) => values.filter((value) => value !== null);
const text = (values: readonly (string | null)[]) => from(known(values), hostile);
const some = <Value>(value: fc.Arbitrary<Value>) => fc.array(value, { maxLength: 4 });
const optional = (model: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record(Object.fromEntries(Object.entries(model).map(([name, value]) => [name, fc.option(value, { freq: 8 })])), {
    requiredKeys: [],
  });
const dates = optional({
  from: from(moments, ['0001-01-01T00:00:00Z', '2026-02-01T13:00:00+01:00']),
  to: from(moments),
});
const decimals = optional({
  min: from(known(prices), ['9007199254740993', '19.899999']),
  max: from(known(prices), ['-1.50']),
});
const wholes = optional({
  min: from([0, 1, 4_294_967_294, -9_007_199_254_740_991]),
  max: from([0, 7, 9_007_199_254_740_991]),
});

/** Mostly two of a filter's fields or fewer: with more, nothing matches. */
const filterOf = (model: Record<string, fc.Arbitrary<unknown>>) =>
  fc
    .subarray(Object.keys(model), { minLength: 0, maxLength: 3 })
    .chain((names) => optional(Object.fromEntries(names.map((name) => [name, model[name] as fc.Arbitrary<unknown>]))));

interface FilteredList {
  readonly input: string;
  readonly rows: readonly Row[];
  readonly meanings: Readonly<Record<string, Meaning>>;
  readonly values: Readonly<Record<string, fc.Arbitrary<unknown>>>;
}

const idsOf = (rows: readonly Row[]) =>
  fc.nat(42).map((index) => (index % 2 ? rows[index]?.id : rows[index]?.id.toUpperCase()) ?? 'x');
const ids = (rows: readonly Row[]) =>
  some(
    fc.oneof(
      idsOf(rows),
      fc.constantFrom('x', '', '\0', '{}'),
      fc.constant(null).map(() => foreignProduct),
    ),
  );
const externalIds = some(
  fc.oneof(
    fc.nat(50).map((index) => `x-${index}`),
    fc.constantFrom(...hostile),
  ),
);
const tag = text(tagLists.flat());
const tags = { tag, tagsAny: some(tag), tagsAll: fc.array(tag, { maxLength: 2 }) };

const lists: Readonly<Record<string, FilteredList>> = {
  products: {
    input: 'ProductFilter',
    rows: products,
    meanings: {
      ...commonMeanings,
      ...tagMeanings,
      query: matches,
      search: hasWords,
      status: equals('status'),
      statusIn: among('status'),
      vendor: equals('vendor'),
      vendorIn: among('vendor'),
      productType: equals('product_type'),
      productTypeIn: among('product_type'),
      handle: equals('handle'),
      handleIn: among('handle'),
      skuIn: hasVariant('sku'),
      collectionIdIn: (row: Row, given: readonly string[]) =>
        (row['memberships'] as ReturnType<typeof membershipsOf>).some(({ collection_external_id: id }) =>
          collections.some((each) => each['external_id'] === id && isId(each, given)),
        ),
      barcodeIn: hasVariant('barcode'),
      price: (row: Row, range: Range) => reaches(pricesOf(row), range),
      totalStock: (row: Row, range: Range) => reaches([decimal(String(stockOf(row)))], range),
    },
    values: {
      ...tags,
      externalIds,
      query: fc.oneof(
        from(titles, known(handles), hostile, [
          'é',
          'É',
          'CLAIR',
          'σ',
          'Σ',
          'ς',
          'SS',
          'ß',
          'ẞ',
          ' ',
          '%c',
          'r_s',
          'k\\s',
          'ends',
          'dstart',
          '😀',
          'a\uffffb',
        ]),
        fc.string({ minLength: 1, maxLength: 2 }),
      ),
      search: from([
        'eclair',
        'cafe AU',
        'STRASSE',
        'σισυφος',
        'under-score',
        'c otton 100',
        'mug',
        'kiln co',
        'b a',
        '0012 kil',
        '',
        ' ',
        'k slash ba',
        '😀',
      ]),
      status: from(['ACTIVE', 'DRAFT', 'ARCHIVED']),
      statusIn: some(from(['ACTIVE', 'DRAFT', 'ARCHIVED'])),
      vendor: text(texts),
      vendorIn: some(text(texts)),
      productType: text(texts),
      productTypeIn: some(text(texts)),
      handle: text(handles),
      handleIn: some(text(handles)),
      skuIn: some(text(codes)),
      barcodeIn: some(text(codes)),
      collectionIdIn: ids(collections),
      createdAt: dates,
      updatedAt: dates,
      price: decimals,
      totalStock: wholes,
    },
  },
  variants: {
    input: 'VariantFilter',
    rows: variants,
    meanings: {
      ids: isId,
      externalIds: among('external_id'),
      productIds: (row: Row, given: readonly string[]) => given.some((id) => id.toLowerCase() === row['product_id']),
      skuIn: among('sku'),
      barcodeIn: among('barcode'),
      updatedAt: between('updated_at'),
      price: within('price'),
      inventoryQuantity: within('inventory_quantity'),
    },
    values: {
      externalIds: some(
        fc.oneof(
          fc.nat(45).map((index) => `v-${index}`),
          fc.constantFrom(...hostile),
        ),
      ),
      productIds: ids(products),
      skuIn: some(text(codes)),
      barcodeIn: some(text(codes)),
      updatedAt: dates,
      price: decimals,
      inventoryQuantity: wholes,
    },
  },
  collections: {
    input: 'CollectionFilter',
    rows: collections,
    meanings: { ...commonMeanings, published: equals('published'), collectionType: equals('collection_type') },
    values: {
      externalIds,
      published: fc.boolean(),
      collectionType: text(['manual', 'smart', 'Manual', '']),
      createdAt: dates,
      updatedAt: dates,
    },
  },
  orders: {
    input: 'OrderFilter',
    rows: orders,
    meanings: {
      ...commonMeanings,
      ...tagMeanings,
      financialStatus: equals('financial_status'),
      financialStatusIn: among('financial_status'),
      fulfillmentStatus: equals('fulfillment_status'),
      fulfillmentStatusIn: among('fulfillment_status'),
      currency: equals('currency'),
      orderNumberIn: among('order_number'),
      skuIn: (row: Row, skus: readonly string[]) =>
        (row['line_items'] as ReturnType<typeof lineOf>[]).some(({ sku }) => sku !== null && skus.includes(sku)),
      totalPrice: (row: Row, range: Range) =>
        reaches(row['total_price'] === null ? [] : [decimal(row['total_price'] as string)], range),
    },
    values: {
      ...tags,
      externalIds,
      financialStatus: text(['PAID', 'paid', 'PENDING', '']),
      financialStatusIn: some(text(['PAID', 'paid', 'PENDING', ''])),
      fulfillmentStatus: text(['FULFILLED', 'É', 'é']),
      fulfillmentStatusIn: some(text(['FULFILLED', 'É', 'é'])),
      currency: text(['EUR', 'USD', 'eur']),
      orderNumberIn: some(text(numbers)),
      skuIn: some(text(codes)),
      createdAt: dates,
      updatedAt: dates,
      totalPrice: decimals,
    },
  },
};

const inListOrder = (a: Row, b: Row) => {
  const [x, y] = [a.created_at ?? '9', b.created_at ?? '9'];
  return x === y ? (a.id < b.id ? -1 : 1) : x < y ? -1 : 1;
};

/** The rows that exist for the caller (D8) and match the filter. */
function expectedIds(list: FilteredList, filter: Filter, limit: number | null): string[] {
  const live = (rows: readonly Row[]) => rows.filter((row) => (row['deleted_at'] ?? null) === null).sort(inListOrder);
  const shown = new Set(live(products).slice(0, limit ?? undefined));
  const shownIds = new Set([...shown].map(({ id }) => id));
  return live(list.rows)
    .filter((row) => (list.rows === products ? shown.has(row) : true))
    .filter((row) => (list.rows === variants ? shownIds.has(row['product_id'] as string) : true))
    .filter((row) =>
      Object.entries(filter).every(([name, value]) => value === null || list.meanings[name]?.(row, value as never)),
    )
    .map(({ id }) => id);
}

async function foundIds(field: string, input: string, filter: Filter) {
  const { data, errors } = await askGraphql<{ list: { nodes: { id: string }[]; totalCount: number } }>(
    service.origin,
    apiKey,
    `query ($filter: ${input}) { list: ${field}(filter: $filter, first: 200) { totalCount nodes { id } } }`,
    { filter },
  );
  expect(errors).toBeUndefined();
  expect(data.list.totalCount).toBe(data.list.nodes.length);
  return data.list.nodes.map(({ id }) => id);
}

const schema = buildSchema(readTypeDefinitions());
const fieldsOf = (input: string): GraphQLInputField[] => {
  const type = schema.getType(input);
  return isInputObjectType(type) ? Object.values(type.getFields()) : [];
};

describe.each(Object.entries(lists))('the filter of %s', (field, list) => {
  it('is known to this test field by field', () => {
    const names = fieldsOf(list.input)
      .map(({ name }) => name)
      .sort();
    expect(Object.keys(list.meanings).sort()).toEqual(names);
    expect(['ids', ...Object.keys(list.values)].sort()).toEqual(names);
  });

  it('finds what its fields mean, alone and combined, after hiding products beyond the limit (D8)', async () => {
    const filters = filterOf({ ...list.values, ids: ids(list.rows) });
    let found = 0;
    await fc.assert(
      fc.asyncProperty(filters, fc.option(fc.nat(45)), async (filter, limit) => {
        await service.sql('UPDATE shops SET product_limit = $2 WHERE shop_id = $1', [shop, limit]);
        const expected = expectedIds(list, filter, limit);
        found += expected.length;
        expect(await foundIds(field, list.input, filter)).toEqual(expected);
      }),
      // Another tag begins with this one, and both are indexed by it.
      { numRuns: 250, examples: 'tag' in list.values ? [[{ tag: long }, null]] : [] },
    );
    expect(found).toBeGreaterThan(250);
  });

  it('does not restrict when it is empty, null, or contains nothing but null and open ranges', async () => {
    await service.sql('UPDATE shops SET product_limit = NULL WHERE shop_id = $1', [shop]);
    const names = Object.keys(list.meanings);
    const all = expectedIds(list, {}, null);
    const ranges = fieldsOf(list.input).filter(({ type }) => isInputObjectType(type));
    const open = ranges.map(({ name }) => [name, {}] as const);
    for (const filter of [{}, null, Object.fromEntries(names.map((name) => [name, null])), Object.fromEntries(open)]) {
      expect(await foundIds(field, list.input, filter as Filter)).toEqual(all);
    }
  });
});
