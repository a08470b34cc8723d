import { readOperationDocument } from '../../rest/operations';
import type { App } from '../../src/http/server/open-server';
import { startApp } from '../support/app';
import { askGraphql } from '../support/graphql-client';
import { seedApiKey, seedProduct, seedShop, seedVariant } from '../support/seed';
import type { TestDatabase } from '../support/test-database';
import { createTestDatabase } from '../support/test-database';

let db: TestDatabase;
let app: App;
let origin: string;
let shop: string;
let apiKey: string;
let statements = 0;
const productIds: string[] = [];

/** 120 products with two variants each. Counts statements. */
beforeAll(async () => {
  db = await createTestDatabase();
  const database = {
    ...db.database,
    readRows: (...given: Parameters<typeof db.database.readRows>) => {
      statements += 1;
      return db.database.readRows(...given);
    },
  };
  ({ app, origin } = await startApp({ database }, { RATE_LIMIT_REQUESTS: '1000000' }));
  shop = await seedShop(db.sql);
  ({ apiKey } = await seedApiKey(db.sql, shop));
  for (let n = 0; n < 120; n += 1) {
    const product = await seedProduct(db.sql, shop, {
      handle: n === 100 ? 'mug-7' : `mug-${n}`,
      created_at: `2026-01-01T00:${String(Math.floor(n / 60)).padStart(2, '0')}:${String(n % 60).padStart(2, '0')}Z`,
    });
    productIds.push(product);
    for (const m of [0, 1]) {
      await seedVariant(db.sql, shop, product, {
        sku: n === 50 ? 'SKU-7-0' : `SKU-${n}-${m}`,
        price: n % 10 === 0 ? null : `${n % 13}.50`,
        inventory_quantity: n % 7 === 0 ? null : n % 5,
        updated_at: `2026-02-0${1 + (n % 3)}T00:00:00Z`,
      });
    }
  }
});
afterAll(async () => {
  await app.close(0);
  await db.drop();
});
afterEach(() => setLimit(null));

const setLimit = (limit: number | null) =>
  db.sql('UPDATE shops SET product_limit = $2 WHERE shop_id = $1', [shop, limit]);

async function ask<Data>(query: string, variables: Record<string, unknown> = {}, key = apiKey): Promise<Data> {
  const { data, errors } = await askGraphql<Data>(origin, key, query, variables);
  expect(errors).toBeUndefined();
  return data;
}

interface VariantsPage {
  readonly variants: {
    readonly nodes: readonly { sku: string; product: { handle: string } | null }[];
    readonly pageInfo: { hasNextPage: boolean };
  };
}
const bySku = `query ($filter: VariantFilter) {
  variants(filter: $filter, first: 200) { nodes { sku product { id handle } } pageInfo { hasNextPage } } }`;

it('200 SKUs lead to their variants and products with two statements', async () => {
  const skuIn = Array.from({ length: 200 }, (_, n) => `SKU-${Math.floor(n / 2)}-${n % 2}`);
  statements = 0;
  const { variants } = await ask<VariantsPage>(bySku, { filter: { skuIn } });
  // The first statement finds the key and its shop.
  expect(statements).toBe(1 + 2);
  expect(variants.nodes).toHaveLength(200);
  expect(variants.pageInfo.hasNextPage).toBe(false);
  for (const { sku, product } of variants.nodes) {
    const [, n] = sku.split('-');
    expect(product?.handle === `mug-${n}` || (sku === 'SKU-7-0' && product?.handle === 'mug-50')).toBe(true);
  }
});

describe('product(handle:)', () => {
  it('is the oldest with the handle, in every form of the response, and null when there is none', async () => {
    for (const selection of ['id', 'id variants { id }', '...fields']) {
      const { product, none } = await ask<{ product: { id: string }; none: null }>(
        `{ product(handle: "mug-7") { ${selection} } none: product(handle: "Mug-7") { id } }
         ${selection === '...fields' ? 'fragment fields on Product { id }' : ''}`,
      );
      expect([product.id, none]).toEqual([productIds[7], null]);
    }
    expect(await ask('{ product(handle: "mug\\u0000") { id } }')).toEqual({ product: null });
  });

  it('has the same passthrough form as product(id:)', async () => {
    const byId = readOperationDocument('getProduct');
    const byHandle = byId.replace('$id: ID!', '$handle: String!').replace('id: $id', 'handle: $handle');
    expect(await ask(byHandle, { handle: 'mug-9' })).toEqual(await ask(byId, { id: productIds[9] }));
    expect(await ask(byHandle, { handle: 'nothing' })).toEqual({ product: null });
  });

  it.each([
    ['product', 'neither'],
    ['product(id: null)', 'neither'],
    ['product(id: "x", handle: "mug-7")', 'both'],
  ])('%s is refused: %s', async (field, found) => {
    const { errors } = await askGraphql(origin, apiKey, `{ ${field} { id } }`);
    expect(errors).toMatchObject([
      {
        message: `product: expected either id or handle, got ${found}.`,
        extensions: { code: 'BAD_USER_INPUT' },
      },
    ]);
  });
});

describe('variants of products that are not visible', () => {
  it('never appear while the limit moves: a page is a single snapshot', async () => {
    await setLimit(40);
    let isMoving = true;
    const moving = (async () => {
      for (let n = 0; isMoving; n += 1) await setLimit(n % 2 === 0 ? 10 : 40);
    })();
    try {
      for (let n = 0; n < 40; n += 1) {
        const { variants } = await ask<VariantsPage>(
          '{ variants(first: 200, filter: { price: { min: "0" } }) { nodes { id sku } totalCount } }',
        );
        const products = new Set(variants.nodes.map(({ sku }) => Number(sku.split('-')[1])));
        // Every tenth has no price.
        expect([9, 36]).toContain(products.size);
      }
    } finally {
      isMoving = false;
      await moving;
    }
  });
});
