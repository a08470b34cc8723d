import type { App } from '../../src/http/server/open-server';
import type { Database } from '../../src/database/database';
import { startApp } from '../support/app';
import { askGraphql } from '../support/graphql-client';
import { seedApiKey, seedCollection, seedOrder, seedProduct, seedShop, seedVariant } from '../support/seed';
import type { TestDatabase } from '../support/test-database';
import { createTestDatabase } from '../support/test-database';

interface SeededShop {
  readonly apiKey: string;
  readonly products: readonly string[];
  /** At most ten of each type, one after another. */
  readonly mixed: readonly string[];
}

let testDatabase: TestDatabase;
let app: App;
let origin: string;
let small: SeededShop;
let large: SeededShop;
let statements = 0;

/** Everything that a request reads goes through `readRows`. The database is real; statements are only counted. */
const counting = (database: Database): Database => ({
  ...database,
  readRows: (statement) => {
    statements += 1;
    return database.readRows(statement);
  },
});

async function seedShopOf(size: number): Promise<SeededShop> {
  const { sql } = testDatabase;
  const shop = await seedShop(sql);
  const { apiKey } = await seedApiKey(sql, shop);
  const products: string[] = [];
  const mixed: string[] = [];
  for (let index = 0; index < size; index += 1) {
    const product = await seedProduct(sql, shop);
    products.push(product);
    const ids = [
      product,
      await seedVariant(sql, shop, product),
      await seedVariant(sql, shop, product),
      await seedCollection(sql, shop),
      await seedOrder(sql, shop),
    ];
    if (index < 10) mixed.push(...ids);
  }
  return { apiKey, products, mixed };
}

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  ({ app, origin } = await startApp({ database: counting(testDatabase.database) }, { RATE_LIMIT_REQUESTS: '1000' }));
  small = await seedShopOf(2);
  large = await seedShopOf(30);
});
afterAll(async () => {
  await app.close(0);
  await testDatabase.drop();
});

async function countStatements({ apiKey }: SeededShop, query: string, variables: Record<string, unknown> = {}) {
  statements = 0;
  const { errors } = await askGraphql(origin, apiKey, query, variables);
  expect(errors).toBeUndefined();
  return { statements };
}

/** One statement finds the key, its shop and its plan; the rest belong to the operation. */
const keyRead = 1;

const operations: readonly (readonly [name: string, query: string, own: number])[] = [
  ['the shop', '{ shop { id name productCount grantedScopes } }', 0],
  ['a page', '{ products { nodes { id title } } }', 1],
  [
    'a page as edges, as nodes and with its cursors',
    '{ products { edges { cursor node { id } } nodes { id } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }',
    1,
  ],
  ['a page with its count', '{ products { totalCount nodes { id } } }', 2],
  ['products with variants', '{ products { nodes { variants { id } } } }', 1],
  ['products with variants and the ids of their products', '{ products { nodes { variants { product { id } } } } }', 2],
  ['products with variants and their products', '{ products { nodes { variants { product { title } } } } }', 3],
  [
    'products with variants and back, both ways',
    `{ products { nodes {
         variants { product { id } }
         variantConnection(first: 5) { totalCount edges { cursor node { product { title } } } pageInfo { hasNextPage hasPreviousPage } } } } }`,
    4,
  ],
  ['variants with their products', '{ variants { nodes { product { handle } } } }', 2],
  [
    'the shop with everything',
    `{ shop { products { nodes { variants { id product { id } } } } collections { nodes { id } } orders { nodes { id } } } }`,
    4,
  ],
  [
    'a dashboard page',
    `{ shop { name }
       newest: products(first: 20, reverse: true) { nodes { id variants { price } } }
       cheapest: products(first: 20, sortKey: PRICE) { nodes { id minPrice } }
       collections { nodes { id } }
       orders(last: 20) { totalCount nodes { id } } }`,
    5,
  ],
];

describe('the number of statements', () => {
  it.each(operations)('for %s does not depend on the number of rows', async (_, query, own) => {
    const [few, many] = [await countStatements(small, query), await countStatements(large, query)];
    expect([few.statements, many.statements]).toEqual([keyRead + own, keyRead + own]);
  });

  it('for nodes does not depend on the number of ids, and is one for each type and one for the products of variants', async () => {
    const query = `query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id
      ... on Product { variants { id } } ... on Variant { product { id } } } }`;
    const [few, many] = [
      await countStatements(small, query, { ids: small.mixed }),
      await countStatements(large, query, { ids: large.mixed }),
    ];
    expect(large.mixed).toHaveLength(50);
    expect(few.statements).toBe(many.statements);
    // Four types, the products that decide whether variants are visible, and the variants of products.
    expect(many.statements).toBeLessThanOrEqual(keyRead + 6);
  });

  it('for many products by id, each a separate field, is one', async () => {
    const fields = large.products.slice(0, 15).map((id, index) => `p${index}: product(id: "${id}") { id }`);
    expect((await countStatements(large, `{ ${fields.join(' ')} }`)).statements).toBe(keyRead + 1);
  });

  it.each(['products', 'collections', 'orders'])(
    'for %s grows by one when totalCount is selected, and only then',
    async (list) => {
      const without = await countStatements(
        large,
        `{ ${list}(first: 5) { nodes { id } pageInfo { hasNextPage endCursor } } }`,
      );
      const withCount = await countStatements(
        large,
        `{ ${list}(first: 5) { totalCount nodes { id } pageInfo { hasNextPage endCursor } } }`,
      );
      const skipped = await countStatements(
        large,
        `query ($count: Boolean!) { ${list}(first: 5) { totalCount @include(if: $count) nodes { id } } }`,
        { count: false },
      );
      expect([without.statements, withCount.statements, skipped.statements]).toEqual([2, 3, 2]);
    },
  );

  it('for a page of changes is one, of any types and with their objects, and for an empty one none', async () => {
    const query = `query ($after: String, $first: Int) {
      changes(first: $first, after: $after) { nodes { id node { id ... on Product { title } } } pageInfo { hasNextPage endCursor } }
    }`;
    const few = await countStatements(large, query, { first: 5 });
    const many = await countStatements(large, query, { first: 200 });
    expect([few.statements, many.statements]).toEqual([keyRead + 1, keyRead + 1]);
    const { data } = await askGraphql<{
      changes: { nodes: unknown[]; pageInfo: { hasNextPage: boolean; endCursor: string } };
    }>(origin, large.apiKey, query, { first: 200 });
    expect(data.changes.pageInfo.hasNextPage).toBe(false);
    const empty = await countStatements(large, query, { after: data.changes.pageInfo.endCursor });
    expect(empty.statements).toBe(keyRead); // as many as an answer 304
  });

  it('grows by one for page info beyond the page, and only when it is selected', async () => {
    const first = '{ products(first: 5) { pageInfo { endCursor } } }';
    const { data } = await askGraphql<{ products: { pageInfo: { endCursor: string } } }>(origin, large.apiKey, first);
    const next = (selected: string) =>
      countStatements(
        large,
        `query ($after: String) { products(first: 5, after: $after) { pageInfo { ${selected} } } }`,
        {
          after: data.products.pageInfo.endCursor,
        },
      );
    expect((await next('hasNextPage startCursor endCursor')).statements).toBe(keyRead + 1);
    expect((await next('hasNextPage hasPreviousPage')).statements).toBe(keyRead + 2);
  });
});
