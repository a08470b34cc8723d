import { maximumAnswerBytes } from '../../src/catalog/answer-size';
import { createProductJsonReader } from '../../src/catalog/rows/product-json';
import { ShopRows } from '../../src/catalog/rows/shop-rows';
import { openDatabase } from '../../src/database/open-database';
import { askGraphql } from '../support/graphql-client';
import { seedApiKey, seedCollection, seedOrder, seedProduct, seedShop } from '../support/seed';
import type { Service } from '../support/service';
import { startService } from '../support/service';

let service: Service;
let apiKey: string;
let largeProductId: string;
let productIds: readonly string[];

const products = 12;
const description = 'é"'.repeat(330_000);

beforeAll(async () => {
  service = await startService({
    rateLimit: 10_000,
    settings: { REQUEST_TIMEOUT_MS: '20000' },
  });
  const shop = await seedShop(service.sql);
  ({ apiKey } = await seedApiKey(service.sql, shop));
  const ids: string[] = [];
  for (let n = 0; n < products; n++) {
    ids.push(await seedProduct(service.sql, shop, { description_html: description, tags: ['large'] }));
    await seedCollection(service.sql, shop, { description_html: description });
  }
  for (let n = 0; n < 150; n++) await seedOrder(service.sql, shop, { tags: ['x'.repeat(60_000)] });
  productIds = ids;
  largeProductId = await seedProduct(service.sql, shop, { tags: ['many variants'] });
  await service.sql(
    `INSERT INTO variants (shop_id, product_id, external_id, title, position, created_at, updated_at)
     SELECT $1, $2, n, repeat('x', 9000), n, now(), now() FROM generate_series(1, 1000) AS n`,
    [shop, largeProductId],
  );
});
afterAll(() => service.close());

const get = async (path: string) => {
  const response = await fetch(`${service.origin}/v1${path}`, { headers: { Authorization: `Bearer ${apiKey}` } });
  const text = await response.text();
  return {
    status: response.status,
    text,
    json: JSON.parse(text) as { data: unknown[]; error?: { code: string; message: string } },
  };
};

const tooLarge = {
  code: 'BAD_USER_INPUT',
  message: `The answer is larger than ${maximumAnswerBytes} bytes, the most that one answer may hold. Ask for less at once: a smaller limit (first, last), or fewer fields.`,
};

describe('a REST page', () => {
  it.each(['/products?tag=large', '/products?q=stoneware', '/collections', '/orders?limit=200'])(
    '%s that is too large is 400 and says what to do; following that returns all of the list',
    async (path) => {
      const { status, json } = await get(path);
      expect({ status, error: json.error }).toEqual({ status: 400, error: tooLarge });
      const separator = path.includes('?') ? '&' : '?';
      let cursor: string | null = '';
      let found = 0;
      while (cursor !== null) {
        const page = await get(
          `${path.replace('?limit=200', '?x=')}${separator}limit=5${cursor === '' ? '' : `&cursor=${cursor}`}`,
        );
        expect(page.status).toBe(200);
        const body = page.json as unknown as { data: unknown[]; next_cursor: string | null };
        found += body.data.length;
        cursor = body.next_cursor;
      }
      expect(found).toBe(path.startsWith('/orders') ? 150 : path.includes('stoneware') ? products + 1 : products);
    },
  );

  it('with one row far beyond its share of the page is answered when the page is small enough', async () => {
    const { status, json } = await get('/products?limit=5');
    expect(status).toBe(200);
    expect(json.data).toHaveLength(5);
  });

  it('beside it: products that are large are answered one by one, and together with others', async () => {
    const answers = await Promise.all([...productIds, ...productIds].map((id) => get(`/products/${id}`)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(answers.map(({ json }) => (json.data as unknown as { id: string }).id)).toEqual([
      ...productIds,
      ...productIds,
    ]);
  });
});

it('a product that is too large with its variants is 400 alone, and there without them', async () => {
  const [large, other] = await Promise.all([get(`/products/${largeProductId}`), get(`/products/${productIds[0]}`)]);
  expect({ status: large.status, error: large.json.error }).toEqual({
    status: 400,
    error: {
      code: 'BAD_USER_INPUT',
      message: `The product and its variants are larger than ${maximumAnswerBytes} bytes, the most that one answer may hold. By GraphQL it is there without its variants.`,
    },
  });
  expect(other.status).toBe(200);
  const { status, data } = await askGraphql(
    service.origin,
    apiKey,
    `{ product(id: "${largeProductId}") { title variantCount } }`,
  );
  expect({ status, data }).toMatchObject({ status: 200, data: { product: { variantCount: 1000 } } });
});

describe('a GraphQL operation', () => {
  const ids = () => JSON.stringify(productIds);
  const one = () => JSON.stringify(Array.from({ length: 200 }, () => productIds[0]));
  it.each<[string, () => string]>([
    ['a page', () => '{ products(first: 12) { nodes { descriptionHtml } } }'],
    ['a page under other names', () => '{ products(first: 12) { nodes { a: descriptionHtml } totalCount } }'],
    ['edges', () => '{ products(last: 12) { edges { cursor node { descriptionHtml } } } }'],
    ['a page with variants', () => '{ products(first: 12) { nodes { descriptionHtml variants { id } } } }'],
    [
      'a search',
      () => '{ products(first: 12, sortKey: TITLE, filter: { query: "no" }) { nodes { descriptionHtml } } }',
    ],
    [
      'several pages',
      () =>
        '{ a: products(first: 5) { nodes { descriptionHtml } } b: products(last: 5) { nodes { descriptionHtml } } }',
    ],
    ['collections', () => '{ collections { nodes { descriptionHtml } } }'],
    ['collections of the shop', () => '{ shop { name collections { nodes { descriptionHtml } } } }'],
    ['orders', () => '{ orders(first: 150) { nodes { tags } } }'],
    ['nodes', () => `{ nodes(ids: ${ids()}) { ... on Product { descriptionHtml } } }`],
    ['one row in a list 200 times', () => `{ nodes(ids: ${one()}) { ... on Product { descriptionHtml } } }`],
    [
      'one row under 40 names',
      () =>
        `{ ${Array.from({ length: 20 }, (_, n) => `p${n}: product(id: "${productIds[0]}") { descriptionHtml }`).join(' ')} }`,
    ],
    [
      'one column under 10 names, by the database',
      () =>
        `{ products(first: 1) { nodes { ${Array.from({ length: 10 }, (_, n) => `d${n}: descriptionHtml`).join(' ')} } } }`,
    ],
    [
      'one column under 40 names, by resolvers',
      () =>
        `{ product(id: "${productIds[0]}") { ${Array.from({ length: 40 }, (_, n) => `d${n}: descriptionHtml`).join(' ')} } }`,
    ],
    ['variants', () => `{ product(id: "${largeProductId}") { variants { title } } }`],
    [
      'a page of variants',
      () => `{ product(id: "${largeProductId}") { variantConnection(first: 1) { nodes { title } } } }`,
    ],
    [
      'variants of many products',
      () => '{ products(first: 20, filter: { tag: "many variants" }) { nodes { id variants { title } } } }',
    ],
  ])('%s: too large is 400 as a whole, with one error and no data', async (_, toDocument) => {
    const { status, data, errors } = await askGraphql(service.origin, apiKey, toDocument());
    expect({ status, data }).toEqual({ status: 400, data: undefined });
    expect(errors).toHaveLength(1);
    expect(errors).toMatchObject([
      {
        message: expect.stringContaining(`larger than ${maximumAnswerBytes} bytes`) as string,
        extensions: { code: 'BAD_USER_INPUT' },
      },
    ]);
  });

  it.each<[string, () => string]>([
    ['a smaller page', () => '{ products(first: 5) { nodes { id descriptionHtml } } }'],
    ['fewer fields', () => '{ products(first: 12) { nodes { id title } } }'],
    ['ids alone', () => `{ nodes(ids: ${JSON.stringify(productIds.slice(0, 5))}) { id } }`],
  ])('%s is answered', async (_, toDocument) => {
    const { status, errors } = await askGraphql(service.origin, apiKey, toDocument());
    expect({ status, errors }).toEqual({ status: 200, errors: undefined });
  });
});

it('nothing larger than the bound comes from PostgreSQL, whatever was asked for', async () => {
  const received: number[] = [];
  const { url } = service.database;
  const database = openDatabase({ url, poolSize: 2, statementTimeoutMilliseconds: 20_000 });
  const observed = {
    ...database,
    readRows: async (...parameters: Parameters<typeof database.readRows>) => {
      const rows = await database.readRows(...parameters);
      received.push(...rows.flat().map((value) => value?.length ?? 0));
      return rows;
    },
  };
  const [at] = await service.sql<{ shopId: string; dataVersion: string }>(
    'SELECT shop_id AS "shopId", data_version::text AS "dataVersion" FROM shops',
  );
  const source = { database: observed, readProduct: createProductJsonReader(observed) };
  const rowsOf = () => new ShopRows(source, at as { shopId: string; dataVersion: string });
  await expect(rowsOf().byIds('products', productIds)).rejects.toThrow('larger than');
  await expect(rowsOf().variantsOf([largeProductId])).rejects.toThrow('larger than');
  await expect(rowsOf().rawProduct(largeProductId)).rejects.toThrow('larger than');
  // Versions, and the words that replace what is too large.
  expect(received.length).toBeGreaterThanOrEqual(3);
  expect(Math.max(...received)).toBeLessThan(30);
  await database.close();
});
