import { readOperationDocument } from '../../rest/operations';
import { askGraphql } from '../support/graphql-client';
import { seedApiKey, seedProduct, seedShop, seedVariant } from '../support/seed';
import { useService } from '../support/service';

let shop: string;
let apiKey: string;
const productIds: string[] = [];

const service = useService({ rateLimit: 1_000_000 });
/** 120 products with two variants each. */
beforeAll(async () => {
  const { sql } = service;
  shop = await seedShop(sql);
  ({ apiKey } = await seedApiKey(sql, shop));
  for (let n = 0; n < 120; n += 1) {
    const product = await seedProduct(sql, shop, {
      handle: n === 100 ? 'mug-7' : `mug-${n}`,
      created_at: `2026-01-01T00:${String(Math.floor(n / 60)).padStart(2, '0')}:${String(n % 60).padStart(2, '0')}Z`,
    });
    productIds.push(product);
    for (const m of [0, 1]) {
      await seedVariant(sql, shop, product, {
        sku: `SKU-${n}-${m}`,
        price: n % 10 === 0 ? null : `${n % 13}.50`,
      });
    }
  }
});
afterEach(() => setLimit(null));

const setLimit = (limit: number | null) =>
  service.sql('UPDATE shops SET product_limit = $2 WHERE shop_id = $1', [shop, limit]);

async function ask<Data>(query: string, variables: Record<string, unknown> = {}): Promise<Data> {
  const { data, errors } = await askGraphql<Data>(service.origin, apiKey, query, variables);
  expect(errors).toBeUndefined();
  return data;
}

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
    expect(await ask('query ($it: String!) { product(handle: $it) { id } }', { it: '\ud800' })).toEqual({
      product: null,
    });
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
    const { errors } = await askGraphql(service.origin, apiKey, `{ ${field} { id } }`);
    expect(errors).toMatchObject([
      {
        message: `product: expected either id or handle, got ${found}.`,
        extensions: { code: 'BAD_USER_INPUT' },
      },
    ]);
  });
});

it('variants lead to their products', async () => {
  const { variants } = await ask<{ variants: { nodes: readonly { sku: string; product: { id: string } }[] } }>(
    '{ variants(first: 200) { nodes { sku product { id } } } }',
  );
  expect(variants.nodes).toHaveLength(200);
  for (const { sku, product } of variants.nodes) expect(product.id).toBe(productIds[Number(sku.split('-')[1])]);
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
        const { variants } = await ask<{ variants: { nodes: readonly { sku: string }[] } }>(
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
