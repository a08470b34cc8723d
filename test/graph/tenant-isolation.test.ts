import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Principal } from '../../src/auth/principal';
import { scopes } from '../../src/auth/principal';
import { createCatalog, createVariantPageLoader } from '../../src/catalog/catalog';
import * as changeReader from '../../src/catalog/change/change-reader';
import * as collections from '../../src/catalog/collection/collection';
import * as orderFiguresReader from '../../src/catalog/figures/order-figures-reader';
import * as productFiguresReader from '../../src/catalog/figures/figures-resolvers';
import { readNodes } from '../../src/catalog/node/node-reader';
import * as orders from '../../src/catalog/order/order';
import * as products from '../../src/catalog/product/product';
import * as variants from '../../src/catalog/variant/variant';
import { objectTypes } from '../../src/catalog/rows/object-type';
import { createProductJsonReader } from '../../src/catalog/rows/product-json';
import type { RowList } from '../../src/catalog/rows/shop-rows';
import { ShopRows } from '../../src/catalog/rows/shop-rows';
import { WorkPauses } from '../../src/common/fair-queue';
import { createCursorCodec } from '../../src/relay/connection';
import { askGraphql } from '../support/graphql-client';
import { seedApiKey, seedCollection, seedOrder, seedProduct, seedShop, seedVariant } from '../support/seed';
import type { Service } from '../support/service';
import { startService } from '../support/service';

const { readChanges, readEndOfChanges } = changeReader;
const { listCollections, readCollections } = collections;
const { listOrders, readOrders } = orders;
const { listProducts, readProductByHandle, readProducts, readProductWithVariants, readRawProduct } = products;
const { listVariants, listVariantsOfProduct, readVariants, readVariantsOfProducts } = variants;
const { readOrderFigures } = orderFiguresReader;
const { readPriceBands, readValueCounts } = productFiguresReader;

let service: Service;
let ours: Awaited<ReturnType<typeof seedWholeShop>>;
let theirs: Awaited<ReturnType<typeof seedWholeShop>>;

/** Two shops that are equal in everything but their ids: only the shop distinguishes their rows. */
async function seedWholeShop() {
  const { sql } = service;
  const shop = await seedShop(sql);
  const at = { external_id: 'same', created_at: '2026-01-01T00:00:00Z' };
  const product = await seedProduct(sql, shop, { ...at, handle: 'same' });
  const variant = await seedVariant(sql, shop, product, at);
  const collection = await seedCollection(sql, shop, at);
  const order = await seedOrder(sql, shop, at);
  const { apiKey } = await seedApiKey(sql, shop);
  await sql(
    `INSERT INTO key_usage SELECT shop_id, client_id, current_date, 1, 0, 0, 0, 0 FROM api_keys WHERE shop_id = $1`,
    [shop],
  );
  return { apiKey, ids: { shop, product, variant, collection, order } };
}

beforeAll(async () => {
  service = await startService({ rateLimit: 1000 });
  ours = await seedWholeShop();
  theirs = await seedWholeShop();
});
afterAll(() => service.close());

/** Every function that reads a shop's rows. A new one belongs here; a test below fails without it. */
const readers: Record<string, (rows: ShopRows, ids: Record<string, string>) => Promise<readonly { id: string }[]>> = {
  listProducts: (rows) => readAll(listProducts(rows, {}, { sortKey: 'CREATED_AT', reverse: false })),
  readProducts: (rows, ids) => readProducts(rows, [ids['product'] as string]),
  readProductByHandle: async (rows) => {
    const found = await readProductByHandle(rows, 'same');
    return found ? [found] : [];
  },
  readProductWithVariants: async (rows, ids) => {
    const found = await readProductWithVariants(rows, ids['product'] as string);
    expect(found?.variants.map(({ id }) => id) ?? []).toEqual(found ? [ids['variant']] : []);
    return found ? [found.product] : [];
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
    expect(changes.map(({ type }) => type)).toEqual(objectTypes);
    return changes.slice(0, 1);
  },
  // It returns a history of the shop and none of its objects: the history must not be another shop's.
  readEndOfChanges: async (rows) => {
    const { epoch } = await readEndOfChanges(rows, '0');
    const epochs = await service.sql<{ id: string; epoch: string }>('SELECT shop_id AS id, epoch FROM change_epochs');
    return epochs.filter((of) => of.epoch === epoch);
  },
  readVariants: (rows, ids) => readVariants(rows, [ids['variant'] as string]),
  listVariants: (rows) => readAll(listVariants(rows, {}, { sortKey: 'ID', reverse: false })),
  readNodes: async (rows, ids) => {
    const found = await readNodes(rows, Object.values(ids), scopes);
    expect(found.map(({ __typename }) => __typename)).toEqual(
      found.length > 0 ? ['Product', 'Variant', 'Collection', 'Order'] : [],
    );
    return found.slice(0, 1);
  },
  listVariantsOfProduct: async (rows, ids) => {
    const pages = createVariantPageLoader(rows, new WorkPauses(''));
    const list = listVariantsOfProduct(rows, pages, ids['product'] as string, 0);
    const { items } = await list.read(everything);
    expect(await list.hasAny(everything)).toBe(items.length > 0);
    return items;
  },
  readVariantsOfProducts: (rows, ids) => readVariantsOfProducts(rows, [ids['product'] as string]),
  listCollections: (rows) => readAll(listCollections(rows, {}, { sortKey: 'CREATED_AT', reverse: false })),
  readCollections: (rows, ids) => readCollections(rows, [ids['collection'] as string]),
  listOrders: (rows) => readAll(listOrders(rows, {}, { sortKey: 'CREATED_AT', reverse: false })),
  readOrders: (rows, ids) => readOrders(rows, [ids['order'] as string]),
  // They name no object: one is counted, or a shop's own is not the only one.
  readOrderFigures: async (rows) => {
    const { totals } = await readOrderFigures(rows, { interval: 'DAY', timeZone: 'UTC' }, new WorkPauses(''), []);
    return isOne(totals) ? [{ id: ours.ids.order }] : [];
  },
  readValueCounts: async (rows) =>
    isOne((await readValueCounts(rows, 'vendor', 10)).top) ? [{ id: ours.ids.product }] : [],
  readPriceBands: async (rows) => (isOne(await readPriceBands(rows)) ? [{ id: ours.ids.product }] : []),
};

const ofShopRows: typeof readers = {
  // It returns keys and none of the shop's objects: they must not be another shop's.
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

/** Lists are read as rows, and additionally as raw text. */
async function readAll(list: RowList<{ id: string }>) {
  const { items } = await list.read(everything);
  const raw = await list.raw([{ name: 'id', member: 'id' }]).read(everything);
  expect(raw.items.map(({ json }) => json)).toEqual(items.map(({ id }) => JSON.stringify({ id })));
  expect(await list.hasAny(everything)).toBe(items.length > 0);
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
    '%s finds the shop it was made for and nothing of another',
    async (_, read) => {
      const rows = shopRows(ours.ids.shop);
      expect((await read(rows, ours.ids)).map(({ id }) => id)).toEqual([expect.stringMatching(uuidOf(ours.ids))]);
      expect((await read(rows, theirs.ids)).filter(({ id }) => uuidOf(theirs.ids).test(id))).toEqual([]);
    },
  );

  it('counts the rows of its shop only', async () => {
    const rows = shopRows(ours.ids.shop);
    expect(await listProducts(rows, {}, { sortKey: 'CREATED_AT', reverse: false }).count()).toBe(1);
    expect(await listVariants(rows, {}, { sortKey: 'ID', reverse: false }).count()).toBe(1);
    expect(await listOrders(rows, {}, { sortKey: 'CREATED_AT', reverse: false }).count()).toBe(1);
    expect(await listCollections(rows, {}, { sortKey: 'CREATED_AT', reverse: false }).count()).toBe(1);
  });

  it('cannot reach the database but through the rows of a shop', () => {
    const principal = { shop: { id: ours.ids.shop } } as Principal;
    const { database } = service.database;
    const source = { database, readProduct: createProductJsonReader(database) };
    const catalog = createCatalog(source, createCursorCodec(['x'.repeat(32)]), principal);
    expect(Object.values(catalog).some((part: unknown) => part === service.database.database.prisma)).toBe(false);
    expect(Object.keys(catalog.rows)).toEqual([]);
  });
});

describe('GraphQL', () => {
  it.each(['product', 'collection', 'order'])(
    'answers null for the other shop’s %s, without an error (D11)',
    async (type) => {
      const id = theirs.ids[type as 'product'];
      const { data, errors } = await askGraphql(
        service.origin,
        ours.apiKey,
        `query ($id: ID!) { ${type}(id: $id) { id } }`,
        { id },
      );
      expect({ data, errors }).toEqual({ data: { [type]: null }, errors: undefined });
    },
  );

  it('finds none of the other shop’s objects by node or nodes', async () => {
    const { data } = await askGraphql<{ nodes: unknown[] }>(
      service.origin,
      ours.apiKey,
      'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }',
      {
        ids: [...Object.values(theirs.ids), ...Object.values(ours.ids)],
      },
    );
    expect(data.nodes).toEqual([
      ...Object.values(theirs.ids).map(() => null),
      ...Object.values(ours.ids).map((id) => ({ id })),
    ]);
  });

  it('shows nothing of another shop in a document that selects everything', async () => {
    const { text, errors } = await askGraphql(
      service.origin,
      ours.apiKey,
      `{ shop { id products { nodes { id } } collections { nodes { id } } orders { nodes { id } } }
         products(filter: { externalIds: ["same"] }) { totalCount nodes { id variants { id product { id } } variantConnection { nodes { id } } } }
         collections { totalCount nodes { id } } orders { totalCount nodes { id } } }`,
    );
    expect(errors).toBeUndefined();
    expect(text).toMatch(uuidOf(ours.ids));
    expect(text).not.toMatch(uuidOf(theirs.ids));
  });

  it('refuses a cursor of another shop’s list', async () => {
    const document = 'query ($after: String) { products(first: 1, after: $after) { pageInfo { endCursor } } }';
    const { data } = await askGraphql<{ products: { pageInfo: { endCursor: string } } }>(
      service.origin,
      theirs.apiKey,
      document,
    );
    const after = data.products.pageInfo.endCursor;
    expect((await askGraphql(service.origin, theirs.apiKey, document, { after })).errors).toBeUndefined();
    expect((await askGraphql(service.origin, ours.apiKey, document, { after })).errors?.[0]?.extensions['code']).toBe(
      'BAD_USER_INPUT',
    );
  });
});

const uuidOf = (ids: Record<string, string>) => new RegExp(Object.values(ids).join('|'));
