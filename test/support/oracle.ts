import { isDeepStrictEqual } from 'node:util';
import type { ObjectTable } from '../../src/catalog/model';
import { restColumnsOf } from '../../src/catalog/model';
import type { SeededKey } from './seed';
import { seedApiKey, seedCollection, seedOrder, seedProduct, seedShop, seedVariant } from './seed';
import type { Sql } from './test-database';
import { findHeaderProblems, findRefusalProblems, findRequestIdProblems, parse } from './check-answer';
import type { Question, Recorded } from './load';
import type { Writing } from './versions';
import { firstVersion, trackVersions, versionTexts } from './versions';

/**
 * Two shops whose answers can be distinguished, the expected answers according to SQL, and a writer that changes them.
 */
export interface Oracle {
  readonly questions: readonly Question[];
  /** What is wrong with an answer, as lines for people; none if it keeps every promise. */
  findProblems(record: Recorded): string[];
  /**
   * Writes the next version into a row of every list, again and again. An answer must show the version that was
   * committed before its request began, or a later one.
   */
  startWriting(everyMilliseconds?: number): Writing;
  /** Requests with a key that has not been used yet. */
  seedUnusedKey(): Promise<readonly Question[]>;
  /** That many searches that find nothing, each different: no answer of one serves for another. */
  addSearches(count: number): readonly Question[];
}

/** Long columns, which the driver returns as text. */
const longColumns = ['total_stock', 'inventory_quantity', 'products_count', 'items_count'];

const columnsOfObjects = (table: ObjectTable): string =>
  restColumnsOf(table)
    .map(({ name }) => (longColumns.includes(name) ? `${name}::integer` : name))
    .join(', ');

export const columns = {
  products: columnsOfObjects('products'),
  variants: columnsOfObjects('variants'),
  collections: columnsOfObjects('collections'),
  orders: columnsOfObjects('orders'),
  shops: `shop_id AS id, name, domain, platform, currency, plan, plan_status, product_limit,
    live_product_count::integer AS product_count, last_sync_at, created_at`,
};

type Row = Readonly<Record<string, unknown>> & { readonly id: string };

const document = '{ products(first: 50) { nodes { id title variants { id sku } } } }';

/** The expected answer to a request. */
interface Expectation {
  readonly body: unknown;
  /** Texts that were found to be right, whatever their version. */
  readonly right: Set<string>;
}

/** Seeds the shops, as the owner of the tables. */
export async function seedOracle(sql: Sql): Promise<Oracle> {
  const expectations = new Map<Question, Expectation>();
  const add = (question: Question, body: unknown): void =>
    // As in JSON: timestamps as text.
    void expectations.set(question, { body: JSON.parse(JSON.stringify(body)), right: new Set() });
  let shopBody: unknown;
  let firstShopId = '';
  let firstApiKey = '';
  let searches = 0;
  for (let shop = 0; shop < 2; shop++) {
    const shopId = await seedShop(sql, { name: `Hearth & Bean, ${firstVersion}` });
    const key = await seedApiKey(sql, shopId);
    await seedRows(sql, shopId);
    const answers = await readAnswers(sql, shopId);
    for (const [question, body] of toQuestions(key, answers)) add(question, body);
    if (shop === 0) [firstShopId, firstApiKey, shopBody] = [shopId, key.apiKey, answers.shop];
  }
  const versions = trackVersions(sql);
  return {
    questions: [...expectations.keys()],
    startWriting: versions.startWriting,
    async seedUnusedKey() {
      const { apiKey } = await seedApiKey(sql, firstShopId);
      const question = { apiKey, target: '/v1/shop' };
      add(question, shopBody);
      return [question];
    },
    addSearches: (count) =>
      Array.from({ length: count }, () => {
        const question = { apiKey: firstApiKey, target: `/v1/products?q=nothing-${searches++}` };
        add(question, { data: [], has_more: false, next_cursor: null });
        return question;
      }),
    findProblems(record) {
      const expected = expectations.get(record.question);
      if (record.status === 503) return findRefusalProblems(record);
      if (record.question.method === 'HEAD' && record.status === 200)
        return [...findHeadProblems(record, expected?.body), ...findHeaderProblems(record)];
      if (record.status !== 200 && !(record.status === 304 && record.question.isConditional === true))
        return [`status ${record.status} ${record.failure ?? record.text}`];
      return [
        ...findBodyProblems(record, expected),
        ...versions.findProblems(record),
        ...(record.question.credentials === undefined ? findHeaderProblems(record) : findRequestIdProblems(record)),
      ];
    },
  };
}

async function seedRows(sql: Sql, shopId: string): Promise<void> {
  for (let index = 0; index < 30; index++) {
    const isFirst = index === 0;
    const vendor = index % 3 === 0 ? 'Loom' : 'Kiln & Co';
    const productId = await seedProduct(sql, shopId, { vendor, ...(isFirst ? { title: `Mug, ${firstVersion}` } : {}) });
    await seedVariant(sql, shopId, productId);
    await seedCollection(sql, shopId, isFirst ? { title: `Mugs, ${firstVersion}` } : {});
    await seedOrder(sql, shopId, isFirst ? { order_number: firstVersion } : {});
  }
}

interface Answers {
  readonly shop: unknown;
  readonly lists: Readonly<Record<'products' | 'loom' | 'collections' | 'orders', readonly Row[]>>;
  readonly variantsOf: ReadonlyMap<string, readonly Row[]>;
}

async function readAnswers(sql: Sql, shopId: string): Promise<Answers> {
  const read = (table: 'products' | 'collections' | 'orders', where = 'true') =>
    sql<Row>(`SELECT ${columns[table]} FROM ${table} WHERE shop_id = $1 AND ${where} ORDER BY created_at, id`, [
      shopId,
    ]);
  const lists = {
    products: await read('products'),
    loom: await read('products', "vendor = 'Loom'"),
    collections: await read('collections'),
    orders: await read('orders'),
  };
  const variantsOf = new Map<string, readonly Row[]>();
  for (const { id } of lists.products) {
    const ofProduct = 'WHERE shop_id = $1 AND product_id = $2 ORDER BY position, id';
    variantsOf.set(id, await sql<Row>(`SELECT ${columns.variants} FROM variants ${ofProduct}`, [shopId, id]));
  }
  const [row] = await sql<Row>(`SELECT ${columns.shops} FROM shops WHERE shop_id = $1`, [shopId]);
  return { shop: { data: { ...row, granted_scopes: grantedScopes } }, lists, variantsOf };
}

/** In the order in which the service lists them. */
const grantedScopes = ['catalog:read', 'orders:read', 'account:read'];

/** REST and GraphQL, by key and by token, with and without the entity tag that the client holds. */
function toQuestions({ apiKey, clientId, clientSecret }: SeededKey, { shop, lists, variantsOf }: Answers) {
  const page = (rows: readonly Row[], limit = 50) => ({
    data: rows.slice(0, limit),
    has_more: rows.length > limit,
    next_cursor: rows.length > limit ? anyCursor : null,
  });
  const nodes = lists.products.map(({ id, title }) => ({
    id,
    title,
    variants: (variantsOf.get(id) ?? []).map((variant) => ({ id: variant.id, sku: variant['sku'] })),
  }));
  const graphql = { data: { products: { nodes } } };
  const grant = { access_token: anyToken, token_type: 'Bearer', expires_in: 3600, scope: grantedScopes.join(' ') };
  const credentials = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  const questions: (readonly [Question, unknown])[] = [
    [{ apiKey, target: '/v1/shop' }, shop],
    [{ apiKey, target: '/oauth/token', credentials }, grant],
    [{ apiKey, target: '/v1/shop', usesToken: true }, shop],
    [{ apiKey, target: '/v1/products' }, page(lists.products)],
    [{ apiKey, target: '/v1/products', isConditional: true }, page(lists.products)],
    [{ apiKey, target: '/v1/products?limit=7', usesToken: true }, page(lists.products, 7)],
    [{ apiKey, target: '/v1/products?vendor=Loom' }, page(lists.loom)],
    [{ apiKey, target: '/v1/collections' }, page(lists.collections)],
    [{ apiKey, target: '/v1/collections', isConditional: true, usesToken: true }, page(lists.collections)],
    [{ apiKey, target: '/v1/orders' }, page(lists.orders)],
    [{ apiKey, target: '/v1/orders', method: 'HEAD' }, page(lists.orders)],
    [{ apiKey, target: '/graphql', document }, graphql],
    [{ apiKey, target: '/graphql', document, usesToken: true }, graphql],
  ];
  const products = lists.products
    .slice(0, 5)
    .map((row): (typeof questions)[number] => [
      { apiKey, target: `/v1/products/${row.id}` },
      { data: { ...row, variants: variantsOf.get(row.id) } },
    ]);
  return [...questions, ...products];
}

/** Replaces values that cannot be predicted. */
const anyCursor = 'a cursor';
const anyToken = 'a token';
const withoutSecrets = (text: string): string =>
  text
    .replace(/"next_cursor":"[\w.~-]+"/, `"next_cursor":"${anyCursor}"`)
    .replace(/"access_token":"[\w.-]+"/, `"access_token":"${anyToken}"`);

/** The whole body is what SQL returns, except for the version, which has a separate check. */
function findBodyProblems({ text }: Recorded, expected: Expectation | undefined): string[] {
  const comparable = withoutSecrets(text).replace(versionTexts, firstVersion);
  if (expected?.right.has(comparable) === true) return [];
  const body = parse(comparable);
  if (body === undefined || !isDeepStrictEqual(body, expected?.body)) return [`not what SQL says: ${text}`];
  expected?.right.add(comparable);
  return [];
}

/** The headers of GET without its body (RFC 9110 9.3.2). */
function findHeadProblems({ headers, text }: Recorded, body: unknown): string[] {
  const length = String(Buffer.byteLength(JSON.stringify(body)));
  return [
    ...(text === '' ? [] : [`HEAD has a body: ${text}`]),
    ...(headers['content-length'] === length ? [] : [`HEAD of ${headers['content-length']} bytes, GET has ${length}`]),
    ...(/^"[^"]+"$/.test(headers.etag ?? '') ? [] : [`entity tag ${headers.etag}`]),
  ];
}
