import { once } from 'node:events';
import { connect } from 'node:net';
import { maximumAnswerBytes } from '../../src/catalog/answer-size';
import { createProductJsonReader } from '../../src/catalog/rows/product-json';
import { ShopRows } from '../../src/catalog/rows/shop-rows';
import { openDatabase } from '../../src/database/open-database';
import { askGraphql } from '../support/graphql-client';
import { seedApiKey, seedCollection, seedOrder, seedProduct, seedShop } from '../support/seed';
import { useService } from '../support/service';
import { maximumBufferedBytes } from '../../src/http/request/buffered-bytes';

interface PageInfo {
  readonly hasNextPage: boolean;
  readonly endCursor: string | null;
}

let apiKey: string;
let largeProductId: string;
let productIds: readonly string[];

const products = 12;
const description = 'é"'.repeat(330_000);

const service = useService({
  rateLimit: 10_000,
  settings: { REQUEST_TIMEOUT_MS: '20000' },
});
beforeAll(async () => {
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

const get = async (path: string, key = apiKey) => {
  const response = await fetch(`${service.origin}/v1${path}`, { headers: { Authorization: `Bearer ${key}` } });
  const text = await response.text();
  return {
    status: response.status,
    text,
    json: JSON.parse(text) as { data: unknown[]; error?: { code: string; message: string } },
  };
};

describe('a product that is too large for a response', () => {
  const path = () => `/v1/products/${largeProductId}`;
  const ask = (headers: Record<string, string> = {}, method = 'GET') =>
    fetch(service.origin + path(), { method, headers: { Authorization: `Bearer ${apiKey}`, ...headers } });

  it('is returned completely, by REST, in any encoding', async () => {
    const variants: unknown[] = [];
    let after: string | null = null;
    do {
      const { data } = (await askGraphql(
        service.origin,
        apiKey,
        `query ($after: String) { product(id: "${largeProductId}") {
           variantConnection(first: 200, after: $after) { nodes { id title position } pageInfo { hasNextPage endCursor } } } }`,
        { after },
      )) as { data: { product: { variantConnection: { nodes: unknown[]; pageInfo: PageInfo } } } };
      const { nodes, pageInfo } = data.product.variantConnection;
      variants.push(...nodes);
      after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
    } while (after !== null);
    expect(variants).toHaveLength(1000);

    for (const encoding of ['identity', 'gzip', 'br']) {
      const response = await ask({ 'Accept-Encoding': encoding });
      const text = await response.text();
      expect(response.status).toBe(200);
      expect(Buffer.byteLength(text)).toBeGreaterThan(maximumAnswerBytes);
      const { data } = JSON.parse(text) as { data: { variant_count: number; variants: Record<string, unknown>[] } };
      expect(data.variant_count).toBe(1000);
      expect(data.variants.map(({ id, title, position }) => ({ id, title, position }))).toEqual(variants);
      const length = response.headers.get('content-length');
      expect(length).toBe(encoding === 'identity' ? String(Buffer.byteLength(text)) : null);
    }
  });

  it('has an entity tag, a HEAD and a 304 as any other', async () => {
    const [first, head] = [await ask(), await ask({}, 'HEAD')];
    await first.arrayBuffer();
    const etag = first.headers.get('etag') as string;
    expect(head.headers.get('etag')).toBe(etag);
    expect((await ask({ 'If-None-Match': etag })).status).toBe(304);
    expect((await ask({ 'If-None-Match': '*' })).status).toBe(304);
    await service.sql('UPDATE variants SET sku = $2 WHERE product_id = $1 AND position = 1', [largeProductId, 'new']);
    const changed = await ask({ 'If-None-Match': etag });
    expect({ status: changed.status, isNew: changed.headers.get('etag') !== etag }).toEqual({
      status: 200,
      isNew: true,
    });
    await changed.arrayBuffer();
  });

  it('leaves no database connection behind, whether it is read completely, partly or not at all', async () => {
    const abort = new AbortController();
    const left = await fetch(service.origin + path(), {
      headers: { Authorization: `Bearer ${apiKey}` },
      signal: abort.signal,
    });
    await left.body?.getReader().read();
    abort.abort();
    await Promise.all(Array.from({ length: 6 }, async () => (await ask()).arrayBuffer()));
    await ask({}, 'HEAD');
    const count = async () => {
      const found = await service.sql<{ count: string }>(
        `SELECT count(*) FROM pg_stat_activity WHERE application_name = 'catalog product' AND datname = current_database()`,
      );
      return found[0]?.count;
    };
    while ((await count()) !== '0') await new Promise((resolve) => setImmediate(resolve));
  });

  it('sixteen of them that one shop reads slowly hold no more memory than the bound for what is unread', async () => {
    await service.sql(
      `INSERT INTO variants (shop_id, product_id, external_id, title, created_at, updated_at)
       SELECT shop_id, id, 'more-' || n, repeat('x', 9000), now(), now() FROM products, generate_series(1, 2500) AS n WHERE id = $1`,
      [largeProductId],
    );
    const { port } = new URL(service.origin);
    const before = process.memoryUsage().arrayBuffers;
    const clients = Array.from({ length: 16 }, () => connect(Number(port), '127.0.0.1').on('error', () => undefined));
    const ends = clients.map((client) => new Promise((resolve) => client.once('close', resolve)));
    // Two have a database connection at a time; the others wait.
    const begun = clients.slice(0, 2).map(async (client) => {
      client.write(`GET ${path()} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`);
      await once(client, 'data');
      client.pause();
    });
    await Promise.all(begun);
    for (const client of clients.slice(2))
      client.write(`GET ${path()} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`);
    await get(`/products/${productIds[0]}`);
    const held = process.memoryUsage().arrayBuffers - before;
    clients.forEach((client) => client.resume());
    await Promise.all(ends);
    expect(held).toBeLessThan(maximumBufferedBytes);
    // Each got a complete response, or was refused because it would have waited too long.
    for (const { bytesRead } of clients) expect(bytesRead < 10_000 || bytesRead > 30_000_000).toBe(true);
    expect(clients.filter(({ bytesRead }) => bytesRead > 30_000_000).length).toBeGreaterThan(1);
  });
});

describe('a page of GraphQL', () => {
  it.each<[string, string, string]>([
    [
      'beside another one',
      'products',
      '{ products(first: 5) { nodes { descriptionHtml } PAGE } b: products(last: 5) { nodes { descriptionHtml } } }',
    ],
    [
      'by a fragment',
      'products',
      `{ products(first: 12) { nodes { descriptionHtml } PAGE } a: shop { ...all } b: shop { ...all } }
       fragment all on Shop { products(first: 12) { nodes { descriptionHtml } } }`,
    ],
    ['of changes', 'changes', '{ changes(first: 200) { nodes { node { ... on Product { descriptionHtml } } } PAGE } }'],
  ])('%s without room for all of its rows has fewer, and says so', async (_, field, document) => {
    const page = 'pageInfo { hasNextPage hasPreviousPage endCursor }';
    const { status, data, errors } = await askGraphql(service.origin, apiKey, document.replace('PAGE', page));
    expect({ status, errors }).toEqual({ status: 200, errors: undefined });
    const found = (data as Record<string, { nodes: unknown[]; pageInfo: PageInfo }>)[field];
    expect(found?.nodes.length).toBeGreaterThan(0);
    expect(found?.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
  });
});

describe('a GraphQL operation', () => {
  const ids = () => JSON.stringify(productIds);
  const one = () => JSON.stringify(Array.from({ length: 200 }, () => productIds[0]));
  it.each<[string, () => string]>([
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
      'errors, whose paths repeat a long name',
      () =>
        `{ variants(first: 200) { nodes { product { ${'x'.repeat(60_000)}: variantConnection(first: 0, after: "x") { pageInfo { hasNextPage } } } } } }`,
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
        message: expect.stringContaining(`maximum of ${maximumAnswerBytes} bytes`) as string,
        extensions: { code: 'ANSWER_TOO_LARGE' },
      },
    ]);
  });
});

it('a page is complete when one of its rows is larger than an equal share of a response', async () => {
  const shop = await seedShop(service.sql);
  const { apiKey: key } = await seedApiKey(service.sql, shop);
  const large = await seedProduct(service.sql, shop, { description_html: 'x'.repeat(200_000) });
  for (let n = 0; n < 49; n++) await seedProduct(service.sql, shop, { description_html: 'x'.repeat(120_000) });
  await service.sql(
    `INSERT INTO variants (shop_id, product_id, external_id, title, position, created_at, updated_at)
     SELECT $1, $2, n, n, n, now(), now() FROM generate_series(1, 251) AS n`,
    [shop, large],
  );
  const { status, json } = await get('/products', key);
  expect([status, json.data.length]).toEqual([200, 50]);
  const nested = '{ products(first: 30) { nodes { descriptionHtml variants { id } } } }';
  const { errors } = await askGraphql(service.origin, key, nested);
  expect(errors).toBeUndefined();
});

it('nothing larger than the bound comes from PostgreSQL, whatever was requested', async () => {
  const received: number[] = [];
  const { url } = service.database;
  const database = openDatabase({ url, poolSize: 2, statementTimeoutMilliseconds: 20_000 });
  const observed = {
    ...database,
    readRows: async (...parameters: Parameters<typeof database.readRows>) => {
      const rows = await database.readRows(...parameters);
      received.push(rows.flat().reduce((bytes, value) => bytes + Buffer.byteLength(value ?? ''), 0));
      return rows;
    },
  };
  const [at] = await service.sql<{ shopId: string; dataVersion: string }>(
    'SELECT shop_id AS "shopId", data_version::text AS "dataVersion" FROM shops',
  );
  const source = { database: observed, readProduct: createProductJsonReader(observed) };
  const rowsOf = () => new ShopRows(source, at as { shopId: string; dataVersion: string });
  await expect(rowsOf().byIds('products', productIds)).rejects.toThrow('the maximum of');
  await expect(rowsOf().variantsOf([largeProductId])).rejects.toThrow('the maximum of');
  await expect(rowsOf().rawProduct(largeProductId)).rejects.toThrow('the maximum of');
  expect(received.length).toBeGreaterThanOrEqual(3);
  const version = 20;
  expect(Math.max(...received)).toBeLessThanOrEqual(maximumAnswerBytes + version);
  await database.close();
});
