import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { checkDerived } from '../../src/database/derived/check-derived';
import { examples } from '../../src/http/endpoints/explorer/examples';
import { readViewDocuments } from '../../src/http/endpoints/dashboard/views';
import { importFiles } from '../../src/ingest/import-files';
import { askGraphql } from '../support/graphql-client';
import { exchange } from '../support/rest-client';
import { seedApiKey, seedCollection, seedOrder, seedProduct, seedShop, seedVariant } from '../support/seed';
import { startService } from '../support/service';
import { everyStatement } from './every-statement';
import { findUnnamedTables, loadParser, shopTables } from './named-shops';

const shop = '019b0000-0000-7000-8000-000000000001';
const other = '019b0000-0000-7000-8000-000000000002';

beforeAll(() => loadParser());

describe('the search for statements without a shop', () => {
  it.each([
    ['SELECT 1 FROM products AS p WHERE p.shop_id = $1', [shop], []],
    ['SELECT 1 FROM products WHERE id = $1', [shop], ['products']],
    ['SELECT 1 FROM products AS p JOIN variants AS v ON v.shop_id = p.shop_id WHERE p.shop_id = $1', [shop], []],
    ['SELECT 1 FROM products AS p JOIN variants AS v USING (shop_id) WHERE p.shop_id = $1', [shop], []],
    [
      'SELECT 1 FROM products AS p JOIN variants AS v ON v.product_id = p.id WHERE p.shop_id = $1',
      [shop],
      ['variants'],
    ],
    [
      'SELECT (SELECT 1 FROM variants AS t WHERE t.shop_id = p.shop_id) FROM products AS p WHERE p.shop_id = $1',
      [shop],
      ['variants'],
    ],
    [
      'SELECT 1 FROM products AS t WHERE t.shop_id = $1 OR EXISTS (SELECT FROM orders AS t WHERE t.id = $2)',
      [shop, 1],
      ['products', 'orders'],
    ],
    [
      'WITH w AS (SELECT shop_id FROM shops WHERE shop_id = $1) SELECT 1 FROM orders AS o, w WHERE o.shop_id = w.shop_id',
      [shop],
      [],
    ],
    ['SELECT 1 FROM products AS p, orders AS o WHERE p.shop_id = $1 AND o.shop_id = $2', [shop, other], ['two shops']],
    [
      'SELECT 1 FROM unnest($1::uuid[]) AS asked (shop_id) JOIN products AS p ON p.shop_id = asked.shop_id',
      [[shop]],
      ['products'],
    ],
    ['SELECT 1 FROM products WHERE shop_id = $1 OR title = $2', [shop, 't'], ['products']],
    ['INSERT INTO orders (id, shop_id) VALUES ($2, $1)', [shop, 1], []],
    ['INSERT INTO orders (id, shop_id) SELECT id, shop_id FROM orders WHERE shop_id = $1', [shop], []],
    ['INSERT INTO orders (id) VALUES ($1)', [1], ['orders']],
    ['UPDATE products SET title = $2 WHERE (shop_id, id) = ($1, $3)', [shop, 't', 1], []],
    ['DELETE FROM products AS p USING variants AS v WHERE p.shop_id = $1 AND v.id = 1', [shop], ['variants']],
    ['SELECT catalog_now(), 1 FROM function_files', [], []],
  ] as [string, unknown[], string[]][])('%s', (text, values, expected) => {
    expect(findUnnamedTables(text, values)).toEqual(expected);
  });
});

it('every form of statement of lists, counts and lookups is limited to one shop', async () => {
  const statements = await everyStatement(shop, [other], () => true);
  expect(statements.length).toBeGreaterThan(1_000);
  const wrong = statements.flatMap(({ name, statement: { text, values } }) =>
    findUnnamedTables(text, values).map((table) => `${table}: ${name}`),
  );
  expect(wrong).toEqual([]);
});

/** What administration sends before it knows the shop: a name is looked up among all shops. */
const byDomain = /^SELECT shop_id AS "shopId", .* FROM shops WHERE domain = \$1/;
/** One statement per second for all clients of GET /changes, whose shops may be on different nodes. */
const ofWatchedShops =
  /^SELECT coalesce\(json_object_agg\(s\.shop_id, s\.data_version::text\), '\{\}'\)::text FROM shops AS s WHERE s\.shop_id = ANY \(\$1/;
const listed = [byDomain, ofWatchedShops];

/** Every statement that a connection of this process sends while `work` runs, by its text. */
function recordStatements() {
  const sent = new Map<string, readonly unknown[]>();
  const { query } = Client.prototype;
  Client.prototype.query = function (this: Client, ...given: unknown[]) {
    const [statement, values] = given as [string | { text?: string; values?: unknown[] }, unknown[]?];
    const text = typeof statement === 'string' ? statement : statement.text;
    if (text !== undefined)
      sent.set(text, (typeof statement === 'string' ? values : (statement.values ?? values)) ?? []);
    return (query as (...all: unknown[]) => unknown).apply(this, given);
  } as typeof query;
  return { sent, stop: () => void (Client.prototype.query = query) };
}

it('every statement of requests, imports, exports and checks is limited to one shop, or is listed', async () => {
  const service = await startService({ rateLimit: 1_000 });
  const { sql, origin, database } = service;
  const domain = 'named.example';
  const shopId = await seedShop(sql, { domain });
  const product = await seedProduct(sql, shopId, { handle: 'cup' });
  await seedVariant(sql, shopId, product, { sku: 'A' });
  await seedCollection(sql, shopId);
  await seedOrder(sql, shopId);
  const { apiKey, clientId, clientSecret } = await seedApiKey(sql, shopId);
  const tables = `SELECT table_name AS name FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
    WHERE table_schema = 'public' AND column_name = 'shop_id' AND table_type = 'BASE TABLE'`;
  expect(new Set((await sql<{ name: string }>(tables)).map(({ name }) => name))).toEqual(shopTables);
  const { sent, stop } = recordStatements();
  try {
    const headers = { Authorization: `Bearer ${apiKey}` };
    for (const path of ['shop', 'products', `products/${product}`, 'collections', 'orders', 'products?q=cup&vendor=x'])
      expect((await exchange(origin, `/v1/${path}`, { headers })).status).toBe(200);
    const basic = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
    const form = { Authorization: basic, 'Content-Type': 'application/x-www-form-urlencoded' };
    const token = { method: 'POST', headers: form, body: 'grant_type=client_credentials' };
    expect((await exchange(origin, '/oauth/token', token)).status).toBe(200);
    const variables = { skus: ['A'], interval: 'DAY', timeZone: 'UTC', range: null, text: 'cup', id: product };
    for (const document of [...readViewDocuments(), ...examples.map(({ query }) => query)])
      await askGraphql(origin, apiKey, document, variables);
    expect((await exchange(origin, '/changes?after=now&wait=2', { headers })).status).toBe(200);
    const { text: lines } = await exchange(origin, '/export', { headers });
    const file = join(mkdtempSync(join(tmpdir(), 'named-shops-')), 'shop.ndjson');
    writeFileSync(file, lines);
    await importFiles(
      { url: database.url },
      { files: [file], shopDomain: domain, format: 'snapshot', clock: Date.now },
    );
    await checkDerived({ url: database.url, domain, repair: true, onShop: () => undefined });
  } finally {
    stop();
    await service.close();
  }
  expect(sent.size).toBeGreaterThan(60);
  const wrong = [...sent].flatMap(([text, values]) => {
    const unnamed = findUnnamedTables(text, values);
    return unnamed.length === 0 || listed.some((form) => form.test(text.replace(/\s+/g, ' ').trim()))
      ? []
      : [`${unnamed.join()}: ${text.replace(/\s+/g, ' ').trim().slice(0, 300)}`];
  });
  expect(wrong.sort()).toEqual([]);
});
