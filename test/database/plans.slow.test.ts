import type { Client } from 'pg';
import type { App } from '../../src/http/server/open-server';
import { scanLength } from '../../src/catalog/rows/page-statement';
import type { Sql } from '../../src/database/sql';
import type { Cancellation } from '../../src/common/cancellation';
import { startApp } from '../support/app';
import { askGraphql } from '../support/graphql-client';
import { seedApiKey, seedShop } from '../support/seed';
import type { TestDatabase } from '../support/test-database';
import { createTestDatabase } from '../support/test-database';
import type { PlanNode } from './explain';
import { copySettings, explain, nodesOf, pagesSeenBy, rowsSeenBy, seqScansOf, sortsOf } from './explain';
import { seedLargeShop } from './large-shop';
import { readRows } from '../support/read-rows';

let db: TestDatabase;
let client: Client;
let app: App;
let origin: string;
let shopId: string;
let apiKey: string;
let sent: Sql[] = [];

/** A shop of 100,000 products among others, read through the whole service while its statements are recorded. */
beforeAll(async () => {
  db = await createTestDatabase();
  client = await db.connect();
  shopId = await seedShop(db.sql);
  ({ apiKey } = await seedApiKey(db.sql, shopId));
  await seedLargeShop(client, shopId);
  await client.query('RESET ALL');
  await client.query(
    'VACUUM ANALYZE products, variants, collections, orders, product_tags, collection_products, product_terms, changes, shops, api_keys',
  );
  await copySettings(db.database, client);
  const database = {
    ...db.database,
    readRows: (statement: Sql, cancellation?: Cancellation) => {
      sent.push(statement);
      return db.database.readRows(statement, cancellation);
    },
  };
  ({ app, origin } = await startApp({ database }, { RATE_LIMIT_REQUESTS: '1000000' }));
});
afterAll(async () => {
  await app.close(0);
  await db.drop();
});

async function ask<Data>(query: string, variables: Record<string, unknown> = {}): Promise<Data> {
  const { data, errors } = await askGraphql<Data>(origin, apiKey, query, variables);
  expect(errors).toBeUndefined();
  return data;
}

interface IdsPage {
  readonly products: {
    readonly nodes: readonly { id: string }[];
    readonly pageInfo: { endCursor: string; startCursor: string };
  };
}
const idsOf = (given: string): string => `query ($filter: ProductFilter, $sortKey: ProductSortKey!, $reverse: Boolean!,
  $cursor: String) {
  products(${given}, filter: $filter, sortKey: $sortKey, reverse: $reverse) { nodes { id } pageInfo { startCursor endCursor } } }`;
const forwards = idsOf('first: 50, after: $cursor');
const backwards = idsOf('last: 50, before: $cursor');

/** Filters and the equivalent conditions in SQL. */
const filters = readRows<readonly [filter: Record<string, unknown>, sql: string]>(__dirname, 'plan-filters.json');
const sortColumns = {
  CREATED_AT: 'created_at',
  UPDATED_AT: 'updated_at',
  TITLE: 'title_sort',
  PRICE: 'min_price_sort',
  STOCK: 'total_stock',
};
type Filter = (typeof filters)[number][0];
interface List {
  readonly filter: Filter;
  readonly sql: string;
  readonly sortKey: keyof typeof sortColumns;
  readonly reverse: boolean;
}

/** Each filter in order of creation, in both directions, and in two other orders. */
const listsOf = (filter: Filter, sql: string, index: number): readonly List[] => [
  { filter, sql, sortKey: 'CREATED_AT', reverse: false },
  { filter, sql, sortKey: 'CREATED_AT', reverse: true },
  { filter, sql, sortKey: index % 2 === 0 ? 'UPDATED_AT' : 'PRICE', reverse: index % 3 === 0 },
  { filter, sql, sortKey: index % 2 === 0 ? 'STOCK' : 'TITLE', reverse: index % 3 !== 0 },
];

/** The first two pages of a list forward, and the first one again backward from the second. */
async function walk({ filter, sortKey, reverse }: List): Promise<string[]> {
  const given = { filter, sortKey, reverse };
  const { products: first } = await ask<IdsPage>(forwards, given);
  const ids = first.nodes.map(({ id }) => id);
  if (ids.length < 50) return ids;
  const { products: second } = await ask<IdsPage>(forwards, { ...given, cursor: first.pageInfo.endCursor });
  const before = second.pageInfo.startCursor;
  const again = before === null ? undefined : await ask<IdsPage>(backwards, { ...given, cursor: before });
  expect(again?.products.nodes ?? first.nodes).toEqual(first.nodes);
  return [...ids, ...second.nodes.map(({ id }) => id)];
}

/** Reads every row of the shop, which is allowed here. */
async function readExpected({ sql, sortKey, reverse }: List): Promise<string[]> {
  const column = sortColumns[sortKey];
  const direction = reverse ? 'DESC' : 'ASC';
  const rows = await db.sql<{ id: string }>(
    `SELECT id FROM products WHERE shop_id = $1 AND deleted_at IS NULL AND (${sql})
      ORDER BY ${column} ${direction}, id ${direction} LIMIT 100`,
    [shopId],
  );
  return rows.map(({ id }) => id);
}

/** Statements by text: two with the same text differ in values. */
const distinct = (statements: readonly Sql[]): Sql[] => [
  ...new Map(statements.map((statement) => [statement.text, statement])).values(),
];

const countMatches = async (sql: string): Promise<number> =>
  Number(
    (
      await db.sql<{ n: string }>(
        `SELECT count(*) AS n FROM products WHERE shop_id = $1 AND deleted_at IS NULL AND (${sql})`,
        [shopId],
      )
    )[0]?.n,
  );

describe('in a shop of 100,000 products among others', () => {
  it.each(filters.map((each, index) => [...each, index] as const))(
    'lists with the filter %j contain what plain SQL finds, and read no more rows than a scan may, or twice those there are',
    async (filter, sql, index) => {
      const bound = scanLength + 1 + 2 * (await countMatches(sql));
      for (const list of listsOf(filter, sql, index)) {
        sent = [];
        expect({ ...list, ids: await walk(list) }).toEqual({ ...list, ids: await readExpected(list) });
        for (const statement of distinct(sent)) {
          const plan = await explain(client, statement);
          const most = Math.max(...nodesOf(plan).map(rowsSeenBy));
          expect({ list, scans: seqScansOf(plan), isBounded: most <= bound || most }).toEqual({
            list,
            scans: [],
            isBounded: true,
          });
        }
      }
    },
  );

  // Words of titles, vendors and tags, each in at least one product in eight.
  it.each(['mug', 'linen mug', 'mug sale', 'sale mug linen', 'vendor 3', 'vendor sale', 'mu ve sa', 'sale t'])(
    'a search of %j by relevance reads no more rows than a scan may, at both ends and after a page',
    async (search) => {
      for (const reverse of [false, true]) {
        const given = { filter: { search }, sortKey: 'RELEVANCE', reverse };
        sent = [];
        const { products: first } = await ask<IdsPage>(forwards, given);
        expect(first.nodes).toHaveLength(50);
        await ask<IdsPage>(forwards, { ...given, cursor: first.pageInfo.endCursor });
        await ask<IdsPage>(backwards, given);
        for (const statement of distinct(sent))
          expect(Math.max(...nodesOf(await explain(client, statement)).map(rowsSeenBy))).toBeLessThanOrEqual(
            scanLength + 1,
          );
      }
    },
  );

  it('a search that the newest products satisfy reads no others, however many have its words', async () => {
    sent = [];
    const given = { filter: { search: 'sale 10' }, sortKey: 'RELEVANCE', reverse: false };
    const { products } = await ask<IdsPage>(forwards, given);
    expect(products.nodes).toHaveLength(50);
    const found: PlanNode[] = [];
    for (const statement of distinct(sent)) {
      const nodes = nodesOf(await explain(client, statement));
      found.push(...nodes.filter((node) => node['Relation Name'] === 'product_terms'));
    }
    expect(found.length).toBeGreaterThan(0);
    expect(Math.max(...found.map(rowsSeenBy))).toBe(0);
  });

  // A product with the tag is looked up by its key, in four pages.
  describe.each<[Filter, number]>([
    [{}, 100],
    [{ status: 'ACTIVE' }, 100],
    [{ vendor: 'Vendor 3' }, 100],
    [{ productType: 'Type 4' }, 100],
    [{ tag: 'sale' }, 300],
    [{ query: 'mug' }, 100],
  ])('a page of the filter %j in order of creation skips nothing on its way', (filter, most) => {
    async function countPages(query: string, given: Record<string, unknown>): Promise<[IdsPage['products'], number]> {
      sent = [];
      const { products } = await ask<IdsPage>(query, { filter, sortKey: 'CREATED_AT', reverse: false, ...given });
      let pages = 0;
      for (const statement of distinct(sent)) {
        await explain(client, statement); // records which rows are visible to all, once
        pages += pagesSeenBy(await explain(client, statement));
      }
      return [products, pages];
    }

    it.each([false, true])('to the other end of the list, reverse %j', async (reverse) => {
      const [first] = await countPages(forwards, { reverse });
      const [last] = await countPages(backwards, { reverse });
      const [toStart, before] = await countPages(backwards, { reverse, cursor: first.pageInfo.endCursor });
      const [toEnd, after] = await countPages(forwards, { reverse, cursor: last.pageInfo.startCursor });
      expect([toStart.nodes.length, toEnd.nodes.length]).toEqual([49, 49]);
      expect(before).toBeLessThanOrEqual(most);
      expect(after).toBeLessThanOrEqual(most);
    });

    it.each([
      { to: '2020-01-02T00:00:00Z' },
      { from: '2020-02-03T00:00:00Z' },
      { from: '2020-01-02T00:00:00Z', to: '2020-01-03T00:00:00Z' },
      { from: '2020-02-02T00:00:00Z', to: '2020-02-03T00:00:00Z' },
    ])('to the dates %j', async (createdAt) => {
      for (const reverse of [false, true]) {
        const given = { filter: { ...filter, createdAt }, reverse };
        for (const query of [forwards, backwards]) {
          const [{ nodes }, pages] = await countPages(query, given);
          expect(nodes.length).toBe(50);
          expect(pages).toBeLessThanOrEqual(most);
        }
      }
    });
  });

  describe.each([
    ['products', 'ProductFilter', 'ProductSortKey', Object.keys(sortColumns), [
      { price: { min: '9000' } }, { price: { max: '-1' } }, { price: { min: '230', max: '240' } },
      { totalStock: { min: 301 } }, { totalStock: { max: -1 } }, { totalStock: { min: 301, max: 400 } },
      { price: { min: '9000' }, skuIn: ['common'] }, { totalStock: { max: -1 }, price: { min: '1' }, status: 'ACTIVE' },
    ]],
    ['variants', 'VariantFilter', 'VariantSortKey', ['ID', 'UPDATED_AT', 'PRICE', 'STOCK'], [
      { price: { min: '9000' } }, { price: { max: '-1' } }, { price: { min: '230', max: '240' } },
      { inventoryQuantity: { min: 301 } }, { inventoryQuantity: { max: -1 } },
      { inventoryQuantity: { max: -1 }, skuIn: ['common'] },
    ]],
    ['orders', 'OrderFilter', 'OrderSortKey', ['CREATED_AT', 'UPDATED_AT', 'TOTAL_PRICE'], [
      { totalPrice: { min: '301' } }, { totalPrice: { max: '-1' } }, { totalPrice: { min: '7.1', max: '7.2' } },
    ]],
  ] as const)('ranges that contain none of the %s', (root, filterType, sortKeyType, sortKeys, ranges) => {
    const ofEveryOrder = `query ($filter: ${filterType}, $sortKey: ${sortKeyType}!, $reverse: Boolean!) {
      ${root}(first: 50, filter: $filter, sortKey: $sortKey, reverse: $reverse) { nodes { id } } }`;

    // A price is looked up in fifteen bands of products with several prices (docs/decisions.md 26). Of two conditions,
    // the other may be tried first, on two hundred rows.
    const mostPages = (filter: object): number =>
      Object.keys(filter).length > 1 ? 2500 : root === 'products' && 'price' in filter ? 120 : 40;

    it.each([
      ...ranges,
      { updatedAt: { from: '2030-01-01T00:00:00Z' } },
      { updatedAt: { to: '2010-01-01T00:00:00Z' } },
      { updatedAt: { from: '2021-01-20T00:00:01Z', to: '2021-01-20T00:00:02Z' } },
    ])('%j read a few pages in every order', async (filter) => {
      for (const sortKey of sortKeys) {
        for (const reverse of [false, true]) {
          sent = [];
          const { [root]: found } = await ask<Record<string, unknown>>(ofEveryOrder, { filter, sortKey, reverse });
          expect(found).toEqual({ nodes: [] });
          for (const statement of distinct(sent)) {
            await explain(client, statement); // records which rows are visible to all, once
            const pages = pagesSeenBy(await explain(client, statement));
            const isFew = pages <= mostPages(filter);
            expect({ sortKey, reverse, pages, isFew }).toEqual({ sortKey, reverse, pages, isFew: true });
          }
        }
      }
    });
  }); // prettier-ignore

  it('long ranges of which few rows match are scanned further, not read as a whole', async () => {
    // One in twenty variants is in the first range, one in ten in the second, and one in two hundred in both.
    const filter = { inventoryQuantity: { max: 14 }, updatedAt: { to: '2021-01-08T00:00:00Z' } };
    sent = [];
    const { variants } = await ask<{ variants: { nodes: readonly unknown[] } }>(
      'query ($filter: VariantFilter) { variants(first: 50, filter: $filter) { nodes { id } } }',
      { filter },
    );
    expect(variants.nodes).toHaveLength(50);
    for (const statement of distinct(sent)) {
      const plan = await explain(client, statement);
      expect(sortsOf(plan).filter((node) => rowsSeenBy(node) > 0)).toEqual([]);
      expect(Math.max(...nodesOf(plan).map(rowsSeenBy))).toBeLessThanOrEqual(5 * scanLength);
    }
  });

  it('under a product limit every order reads no more rows than a scan may, or the limit (D8)', async () => {
    const limit = 2_000;
    const visible = `SELECT created_at, id FROM products WHERE shop_id = '${shopId}' AND deleted_at IS NULL
                      ORDER BY created_at, id LIMIT ${limit}`;
    const setLimit = async (position: string) => {
      await client.query("BEGIN; SET LOCAL session_replication_role = 'replica'");
      await client.query(
        `UPDATE shops SET data_version = data_version + 1, (visible_until_at, visible_until_id) = (${position}) WHERE shop_id = '${shopId}'`,
      );
      await client.query('COMMIT');
    };
    await setLimit(`SELECT created_at, id FROM (${visible}) AS p ORDER BY created_at DESC, id DESC LIMIT 1`);
    try {
      for (const sortKey of Object.keys(sortColumns) as (keyof typeof sortColumns)[]) {
        const list: List = { filter: {}, sql: `id IN (SELECT id FROM (${visible}) AS p)`, sortKey, reverse: true };
        sent = [];
        expect(await walk(list)).toEqual(await readExpected(list));
        for (const statement of distinct(sent)) {
          const plan = await explain(client, statement);
          expect(Math.max(...nodesOf(plan).map(rowsSeenBy))).toBeLessThanOrEqual(scanLength + 1);
        }
      }
    } finally {
      await setLimit("SELECT timestamptz 'infinity', uuid 'ffffffff-ffff-ffff-ffff-ffffffffffff'");
    }
  });
});
