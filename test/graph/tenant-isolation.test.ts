import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Principal } from '../../src/auth/principal';
import { createCatalog, createPageLoader } from '../../src/catalog/catalog';
import * as changeReader from '../../src/catalog/change/change-reader';
import type { ProductFilter } from '../../src/catalog/schema-inputs';
import * as collections from '../../src/catalog/collection/collection';
import * as orderFiguresReader from '../../src/catalog/figures/order-figures-reader';
import * as productFiguresReader from '../../src/catalog/figures/figures-resolvers';
import * as orders from '../../src/catalog/order/order';
import * as products from '../../src/catalog/product/product';
import * as variants from '../../src/catalog/variant/variant';
import { objectTypes } from '../../src/catalog/rows/shop-tables';
import { createProductJsonReader } from '../../src/catalog/rows/product-json';
import type { RowList } from '../../src/catalog/rows/shop-rows';
import { ShopRows } from '../../src/catalog/rows/shop-rows';
import { WorkPauses } from '../../src/common/fair-queue';
import { createCursorCodec } from '../../src/relay/connection';
import { seedApiKey, seedCollection, seedOrder, seedProduct, seedShop, seedVariant } from '../support/seed';
import { useService } from '../support/service';

const { readChanges, readEndOfChanges } = changeReader;
const { listCollections, listMembers } = collections;
const { listOrders } = orders;
const { listProducts, readProductByHandle, readRawProduct } = products;
const { listVariants, listVariantsOfProduct } = variants;
const { readOrderFigures } = orderFiguresReader;
const { readPriceBands, readValueCounts } = productFiguresReader;

let ours: Awaited<ReturnType<typeof seedWholeShop>>;
let theirs: Awaited<ReturnType<typeof seedWholeShop>>;

/**
 * Two shops with identical data apart from ids, so only the shop distinguishes their rows. Each also has a product
 * beyond its limit and a deleted one, both identical to the visible one.
 */
async function seedWholeShop() {
  const { sql } = service;
  const shop = await seedShop(sql, { product_limit: 1 });
  const at = { external_id: 'same', created_at: '2026-01-01T00:00:00Z' };
  const withVariant = async (values: object) => {
    const memberships = [{ collection_external_id: 'same', position: 1 }];
    const product = await seedProduct(sql, shop, { ...at, handle: 'same', memberships, ...values });
    return { product, variant: await seedVariant(sql, shop, product, { ...at, sku: 'same', barcode: 'same' }) };
  };
  const { product, variant } = await withVariant({});
  const hidden = await withVariant({ external_id: 'hidden', created_at: '2026-01-02T00:00:00Z' });
  const deleted = await withVariant({ external_id: 'deleted', deleted_at: '2026-01-03T00:00:00Z' });
  const collection = await seedCollection(sql, shop, at);
  const order = await seedOrder(sql, shop, { ...at, line_items: [line] });
  const { apiKey } = await seedApiKey(sql, shop);
  await sql(
    `INSERT INTO key_usage SELECT shop_id, client_id, current_date, 1, 0, 0, 0, 0, now() FROM api_keys WHERE shop_id = $1`,
    [shop],
  );
  return { apiKey, ids: { shop, product, variant, collection, order }, hidden, deleted };
}

const service = useService({ rateLimit: 1000 });
beforeAll(async () => {
  ours = await seedWholeShop();
  theirs = await seedWholeShop();
});

/** Every function that reads a shop's rows. A new one must be added here, or a test below fails. */
const readers: Record<string, (rows: ShopRows, ids: Record<string, string>) => Promise<readonly { id: string }[]>> = {
  listProducts: (rows, { product = '', collection = '' }) =>
    readEach(
      [
        ...[{}, { ids: [product] }, { handle: 'same' }, { skuIn: ['same'] }, { barcodeIn: ['same'] }, { query: 'mug' }],
        ...[{ collectionIdIn: [collection] }, { search: 'mug' }, { search: 'same', collectionIdIn: [collection] }],
      ],
      ['CREATED_AT', 'UPDATED_AT', 'TITLE', 'PRICE', 'STOCK', 'RELEVANCE'] as const,
      (filter: ProductFilter, sortKey) => {
        const isRanked = sortKey === 'RELEVANCE' && filter.search === undefined;
        return listProducts(rows, filter, { sortKey: isRanked ? 'TITLE' : sortKey, reverse: sortKey === 'PRICE' });
      },
    ),
  readProductByHandle: async (rows) => {
    const found = await readProductByHandle(rows, 'same');
    return found ? [found] : [];
  },
  readRawProduct: async (rows, ids) => {
    const json = (await readRawProduct(rows, ids['product'] as string))?.parts.join('') ?? null;
    if (json === null) return [];
    const product = JSON.parse(json) as { id: string; variants: { id: string }[] };
    expect(product.variants.map(({ id }) => id)).toEqual([ids['variant']]);
    return [product];
  },
  readChanges: async (rows) => {
    const { changes } = await readChanges(rows, { types: objectTypes, after: undefined, limit: 200 });
    // Reports hidden and deleted objects as nonexistent.
    const shown = changes.filter(({ deleted }) => !deleted);
    expect(shown.map(({ type }) => type)).toEqual(objectTypes);
    return shown.slice(0, 1);
  },
  // It returns the shop's history and none of its objects. The history must not be another shop's.
  readEndOfChanges: async (rows) => {
    const { epoch } = await readEndOfChanges(rows, '0');
    const epochs = await service.sql<{ id: string; epoch: string }>('SELECT shop_id AS id, epoch FROM change_epochs');
    return epochs.filter((of) => of.epoch === epoch);
  },
  listVariants: (rows, { product = '', variant = '' }) =>
    readEach(
      [{}, { ids: [variant] }, { productIds: [product] }, { skuIn: ['same'] }, { barcodeIn: ['same'] }],
      ['ID', 'UPDATED_AT', 'PRICE', 'STOCK'] as const,
      (filter, sortKey) => listVariants(rows, filter, { sortKey, reverse: sortKey === 'STOCK' }),
    ),
  listVariantsOfProduct: async (rows, ids) => {
    const pages = createPageLoader((ids, range) => rows.variantPagesOf(ids, range), new WorkPauses(''));
    const list = listVariantsOfProduct(rows, pages, ids['product'] as string, 0);
    const { items } = await list.read(everything);
    expect(await list.hasAny(everything)).toBe(items.length > 0);
    return items;
  },
  listCollections: (rows) => readAll(listCollections(rows, {}, { sortKey: 'CREATED_AT', reverse: false })),
  listMembers: async (rows, ids) => {
    const list = listMembers(
      rows,
      createPageLoader((ids, range) => rows.memberPagesOf(ids, range), new WorkPauses('')),
      ids['collection'] as string,
    );
    const { items } = await list.read(everything);
    expect(await list.hasAny(everything)).toBe(items.length > 0);
    expect(await list.count()).toBe(items.length);
    return items;
  },
  listOrders: (rows) =>
    readEach([{}, { skuIn: ['same'] }], ['CREATED_AT', 'TOTAL_PRICE'] as const, (filter, sortKey) =>
      listOrders(rows, filter, { sortKey, reverse: false }),
    ),
  // They return no objects: only counts, or values that other shops have as well.
  readOrderFigures: async (rows) => {
    const { totals } = await readOrderFigures(rows, { interval: 'DAY', timeZone: 'UTC' }, new WorkPauses(''), []);
    return isOne(totals) ? [{ id: ours.ids.order }] : [];
  },
  readValueCounts: async (rows) =>
    isOne((await readValueCounts(rows, 'vendor', 10)).top) ? [{ id: ours.ids.product }] : [],
  readPriceBands: async (rows) => (isOne(await readPriceBands(rows)) ? [{ id: ours.ids.product }] : []),
};

/** They are called for products that were read before. */
const ofSeenProducts = ['listVariantsOfProduct', 'variantsOf'];

const line = {
  ...{ title: 'Mug', sku: 'same', quantity: 1, unit_price: null, total: null },
  ...{ product_external_id: null, variant_external_id: null },
};

const ofShopRows: typeof readers = {
  'byIds of products': (rows, ids) => rows.byIds('products', [ids['product'] as string]),
  'byIds of variants': (rows, ids) => rows.byIds('variants', [ids['variant'] as string]),
  'byIds of collections': (rows, ids) => rows.byIds('collections', [ids['collection'] as string]),
  'byIds of orders': (rows, ids) => rows.byIds('orders', [ids['order'] as string]),
  variantsOf: (rows, ids) => rows.variantsOf([ids['product'] as string]),
  'byExternalIds of products': (rows) => rows.byExternalIds('products', ['same', 'hidden', 'deleted']),
  'byExternalIds of variants': (rows) => rows.byExternalIds('variants', ['same']),
  variantsByKeys: (rows) => rows.variantsByKeys([ours, theirs].map(({ ids }) => `${ids.product}same`)),
  bySkus: (rows) => rows.bySkus(['same']),
  'figures.sales': async (rows) => {
    const figures = await readOrderFigures(rows, { interval: 'DAY', timeZone: 'UTC' }, new WorkPauses(''), []);
    const sold = await figures.products({ first: 10, sortKey: 'UNITS' });
    return sold.length === 1 && sold[0]?.units === 1 ? [{ id: ours.ids.order }] : [];
  },
  // It returns keys and none of the shop's objects. They must not be another shop's.
  'figures.keyUsage': async (rows: ShopRows) => {
    const used = await rows.figures.keyUsage(2);
    const keys = await service.sql<{ id: string; name: string }>(
      `SELECT shop_id AS id, key_prefix || '_' || client_id AS name FROM api_keys`,
    );
    return used.map(({ clientId }) => keys.find(({ name }) => name === clientId) ?? { id: 'of no key' });
  },
};

const isOne = (counts: readonly { readonly count: number }[]): boolean => counts.length === 1 && counts[0]?.count === 1;

const everything = { after: undefined, before: undefined, limit: 200, backwards: false };

/** The matches of each filter in each order. */
async function readEach<Filter, Key extends string>(
  filters: readonly Filter[],
  sortKeys: readonly Key[],
  list: (filter: Filter, sortKey: Key) => RowList<{ id: string }>,
) {
  const found = new Map<string, { id: string }>();
  for (const filter of filters)
    for (const sortKey of sortKeys) for (const item of await readAll(list(filter, sortKey))) found.set(item.id, item);
  return [...found.values()];
}

/** Lists are read as rows and additionally as raw text. */
async function readAll(list: RowList<{ id: string }>) {
  const { items } = await list.read(everything);
  const raw = await list.raw([{ name: 'id', member: 'id' }]).read(everything);
  expect(raw.items.map(({ json }) => json)).toEqual(items.map(({ id }) => JSON.stringify({ id })));
  expect(await list.hasAny(everything)).toBe(items.length > 0);
  expect(await list.count()).toBe(items.length);
  return items;
}

const shopRows = (shopId: string) => {
  const { database } = service.database;
  return new ShopRows({ database, readProduct: createProductJsonReader(database) }, { shopId, dataVersion: '0' });
};

describe('a reader', () => {
  it('is in the table of this test', () => {
    const catalog = join(__dirname, '../../src/catalog');
    const nouns = readdirSync(catalog, { recursive: true, encoding: 'utf8' }).filter((file) =>
      /^(?!rows).*\/.*\.ts$/.test(file),
    );
    const readsRows = /^export (?:async )?(?:function|const) (\w+)(?: = (?:async )?)?\(\s*rows: ShopRows\b/gm;
    const found = nouns.flatMap((file) =>
      [...readFileSync(join(catalog, file), 'utf8').matchAll(readsRows)].map(([, name]) => name),
    );
    expect(Object.keys(readers).sort()).toEqual(found.sort());
  });

  it.each(Object.entries({ ...readers, ...ofShopRows }))(
    '%s finds the shop it was made for, nothing of another, and nothing that is hidden or deleted (D8)',
    async (name, read) => {
      const rows = shopRows(ours.ids.shop);
      expect((await read(rows, ours.ids)).map(({ id }) => id)).toEqual([expect.stringMatching(uuidOf(ours.ids))]);
      const unseen = ofSeenProducts.includes(name) ? [] : [ours.hidden, ours.deleted];
      for (const others of [theirs.ids, ...unseen.map((ids) => ({ ...ours.ids, ...ids }))]) {
        const own: readonly string[] = Object.values(ours.ids);
        expect((await read(rows, others)).filter(({ id }) => !own.includes(id))).toEqual([]);
      }
    },
  );

  it('cannot reach the database but through the rows of a shop', () => {
    const principal = { shop: { id: ours.ids.shop } } as Principal;
    const { database } = service.database;
    const source = { database, readProduct: createProductJsonReader(database) };
    const catalog = createCatalog(source, createCursorCodec(['x'.repeat(32)]), principal);
    expect(Object.values(catalog).some((part: unknown) => part === service.database.database.prisma)).toBe(false);
    expect(Object.keys(catalog.rows)).toEqual([]);
  });
});

const uuidOf = (ids: Record<string, string>) => new RegExp(Object.values(ids).join('|'));
