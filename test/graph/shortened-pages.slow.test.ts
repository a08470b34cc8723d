import { toPageBytes } from '../../src/catalog/rows/shop-statements';
import { readChanges } from '../../src/catalog/change/change-reader';
import type { ChangePosition } from '../../src/catalog/change/change-position';
import { listCollections } from '../../src/catalog/collection/collection';
import { listOrders } from '../../src/catalog/order/order';
import { listProducts } from '../../src/catalog/product/product';
import { objectTypes } from '../../src/catalog/rows/shop-tables';
import { createProductJsonReader } from '../../src/catalog/rows/product-json';
import { ShopRows } from '../../src/catalog/rows/shop-rows';
import { createPageLoader } from '../../src/catalog/catalog';
import { listVariants, listVariantsOfProduct } from '../../src/catalog/variant/variant';
import { WorkPauses } from '../../src/common/fair-queue';
import type { Connection, ConnectionArguments, KeysetList } from '../../src/relay/connection';
import { connect, createCursorCodec } from '../../src/relay/connection';
import type { RawRow } from '../../src/catalog/rows/shop-tables';
import { fc } from '../support/properties';
import { seedProduct, seedShop, seedVariant } from '../support/seed';
import { useTestDatabase } from '../support/test-database';

let shopId: string;
let productIds: readonly string[];
const cursors = createCursorCodec(['a secret of at least thirty-two characters']);

/** Lengths of texts: most are short, some as long as several pages. */
const lengths = [0, 0, 3, 40, 41, 900, 0, 5_000, 20, 20_000, 1, 1_000, 0, 300, 60_000, 2, 2, 700, 9_000, 0];
const rows = 28;

const test = useTestDatabase();
beforeAll(async () => {
  const { sql } = test;
  shopId = await seedShop(sql);
  const texts = [shopId, lengths, rows];
  // Equal and missing values of every sort key, in a different order than the lengths; two-byte letters, and ones that
  // JSON escapes.
  await sql(
    `INSERT INTO products (shop_id, external_id, title, status, description_html, tags, created_at, updated_at)
     SELECT $1, n, left(md5(n::text), 1), 'ACTIVE', repeat('é', ($2::int[])[1 + n % 20]), '{}', '2026-01-01Z'::timestamptz + make_interval(days => n % 5),
            '2026-01-01Z'::timestamptz + make_interval(days => n % 7)
       FROM generate_series(1, $3::int) AS n`,
    texts,
  );
  await sql(
    `INSERT INTO collections (shop_id, external_id, title, published, description_html, created_at)
     SELECT $1, n, 'c', n % 2 = 0, repeat('"', ($2::int[])[1 + n % 20]), CASE WHEN n % 4 > 0 THEN '2026-01-01Z'::timestamptz + make_interval(days => n % 5) END
       FROM generate_series(1, $3::int) AS n`,
    texts,
  );
  await sql(
    `INSERT INTO orders (shop_id, external_id, order_number, items_count, tags, customer_name, total_price, created_at)
     SELECT $1, n, n, 0, ARRAY[repeat('x', least(($2::int[])[1 + n % 20], 60000))], CASE WHEN n % 3 = 0 THEN 'Ann <ann@example.com>' END,
            CASE WHEN n % 4 > 0 THEN (n % 5)::text END, CASE WHEN n % 4 > 0 THEN '2026-01-01Z'::timestamptz + make_interval(days => n % 5) END
       FROM generate_series(1, $3::int) AS n`,
    texts,
  );
  const small = await seedProduct(sql, shopId);
  const large = await seedProduct(sql, shopId);
  await seedVariant(sql, shopId, small);
  await sql(
    `INSERT INTO variants (shop_id, product_id, external_id, title, position, price, inventory_quantity, created_at, updated_at)
     SELECT $1, $4, n, repeat('é', least(($2::int[])[1 + n % 20], 5000)), CASE WHEN n % 4 > 0 THEN n % 6 END, CASE WHEN n % 3 > 0 THEN (n % 6)::text END,
            CASE WHEN n % 3 > 0 THEN n % 6 END, now(), now()
       FROM generate_series(1, $3::int) AS n`,
    [...texts, large],
  );
  productIds = [small, large];
});

const rowsOf = (pageBytes: number): ShopRows =>
  new ShopRows(
    { database: test.database, readProduct: createProductJsonReader(test.database) },
    { shopId, dataVersion: '0' },
    { pageBytes },
  );

interface Item {
  readonly id: string;
}

const ofProduct = (index: number, pageBytes: number): KeysetList<Item> => {
  const own = rowsOf(pageBytes);
  const loader = createPageLoader((ids, range) => own.variantPagesOf(ids, range), new WorkPauses(shopId));
  return listVariantsOfProduct(own, loader, productIds[index] as string, 0);
};
type ReversibleList = (most: number, reverse: boolean) => KeysetList<Item>;
/** Every list in each of its orders, and with filters that lead to different forms of statement. */
const lists: Readonly<Record<string, ReversibleList>> = Object.fromEntries([
  ...(['CREATED_AT', 'UPDATED_AT', 'TITLE', 'PRICE', 'STOCK'] as const).flatMap((sortKey) =>
    [{}, { query: 'a' }, { updatedAt: { from: '2026-01-03T00:00:00Z' } }].map((filter): [string, ReversibleList] => [
      `products ${sortKey} ${JSON.stringify(filter)}`,
      (most, reverse) => listProducts(rowsOf(most), filter, { sortKey, reverse }),
    ]),
  ),
  ...(['CREATED_AT', 'UPDATED_AT'] as const).flatMap((sortKey) =>
    [{}, { published: true }].map((filter): [string, ReversibleList] => [
      `collections ${sortKey} ${JSON.stringify(filter)}`,
      (most, reverse) => listCollections(rowsOf(most), filter, { sortKey, reverse }),
    ]),
  ),
  ...(['CREATED_AT', 'UPDATED_AT', 'TOTAL_PRICE'] as const).map((sortKey): [string, ReversibleList] => [
    `orders ${sortKey}`,
    (most, reverse) => listOrders(rowsOf(most), {}, { sortKey, reverse }),
  ]),
  ...(['ID', 'UPDATED_AT', 'PRICE', 'STOCK'] as const).map((sortKey): [string, ReversibleList] => [
    `variants ${sortKey}`,
    (most, reverse) => listVariants(rowsOf(most), {}, { sortKey, reverse }),
  ]),
  ['variants of a product', (most) => ofProduct(1, most)],
  ['the only variant of a product', (most) => ofProduct(0, most)],
]);

const bytesOf = (items: readonly unknown[]): number => items.reduce<number>((sum, item) => sum + size(item), 0);
/** A row as its list reads it: an array of values, in which PostgreSQL writes a space after each comma. */
const size = (item: unknown): number => Buffer.byteLength(JSON.stringify(Object.values(item as object)));

describe('paginating through rows of any size', () => {
  it.each(Object.keys(lists))(
    '%s: each row once, in order, in pages that are full, and within their bound',
    async (name) => {
      const list = lists[name] as ReversibleList;
      const pageBytes = fc.oneof(fc.integer({ min: 1, max: 3_000 }), fc.integer({ min: 3_000, max: 150_000 }));
      const directions = [pageBytes, fc.integer({ min: 1, max: 25 }), fc.boolean(), fc.boolean()] as const;
      await fc.assert(
        fc.asyncProperty(...directions, async (most, limit, backwards, reverse) => {
          const everything = { after: undefined, before: undefined, limit: 1_000, backwards: false };
          const whole = await list(toPageBytes(1), reverse).read(everything);
          const expected = whole.items.map(({ id }) => id);
          const walked: string[] = [];
          let cursor: string | null = null;
          for (let isDone = false; !isDone;) {
            const given: ConnectionArguments = backwards
              ? { last: limit, before: cursor }
              : { first: limit, after: cursor };
            const { nodes, pageInfo }: Connection<Item> = await connect(list(most, reverse), given, cursors, name);
            const [ahead, behind] = [await pageInfo.hasNextPage(), await pageInfo.hasPreviousPage()];
            isDone = backwards ? !behind : !ahead;
            expect(backwards ? ahead : behind).toBe(walked.length > 0);
            expect(nodes.length).toBeGreaterThan(0);
            expect(nodes.length).toBeLessThanOrEqual(limit);
            if (nodes.length > 1) expect(bytesOf(nodes)).toBeLessThanOrEqual(most);
            const ids = nodes.map(({ id }) => id);
            if (backwards) walked.unshift(...ids);
            else walked.push(...ids);
            if (!isDone && nodes.length < limit) {
              // It was not shortened unnecessarily. PostgreSQL's spaces are not counted here.
              const next = whole.items[backwards ? expected.length - walked.length - 1 : walked.length];
              expect(bytesOf([...nodes, next]) + 40 * (nodes.length + 1)).toBeGreaterThan(most);
            }
            cursor = backwards ? pageInfo.startCursor() : pageInfo.endCursor();
          }
          expect(walked).toEqual(expected);
        }),
        { numRuns: 2 },
      );
    },
  );

  it('the change feed: each change once, in order, in pages within their bound', async () => {
    const whole = await readChanges(rowsOf(toPageBytes(1)), { types: objectTypes, after: undefined, limit: 1_000 });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 3_000, max: 60_000 }),
        fc.integer({ min: 5, max: 200 }),
        async (most, limit) => {
          const walked: unknown[] = [];
          let after: ChangePosition | undefined;
          for (let isDone = false; !isDone;) {
            const page = await readChanges(rowsOf(most), { types: objectTypes, after, limit });
            expect(page.changes.length).toBeGreaterThan(0);
            if (page.changes.length > 1)
              expect(bytesOf(page.changes.map(({ node }) => node ?? {}))).toBeLessThanOrEqual(most);
            walked.push(...page.changes);
            after = page.end;
            isDone = !page.hasMore;
          }
          expect(walked).toEqual(whole.changes);
        },
      ),
      { numRuns: 2 },
    );
  });

  it('as JSON that PostgreSQL writes: pages within their bound, and the same cursors', async () => {
    const projection = ['title', 'descriptionHtml'].map((member) => ({ name: member, member }));
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 60_000 }), fc.integer({ min: 1, max: 25 }), async (most, limit) => {
        const list = listProducts(rowsOf(most), {}, { sortKey: 'TITLE', reverse: true });
        const ids: string[] = [];
        let cursor: string | null = null;
        do {
          const { nodes, pageInfo }: Connection<RawRow> = await connect(
            list.raw(projection),
            { first: limit, after: cursor },
            cursors,
            'raw',
          );
          ids.push(...nodes.map(({ at }) => (JSON.parse(at) as Item).id));
          if (nodes.length > 1)
            expect(nodes.reduce((sum, { json, at }) => sum + Buffer.byteLength(json + at), 0)).toBeLessThanOrEqual(
              most,
            );
          cursor = (await pageInfo.hasNextPage()) ? pageInfo.endCursor() : null;
        } while (cursor !== null);
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids).toHaveLength(rows + 2);
      }),
      { numRuns: 3 },
    );
  });

  it('of several products at once: the products have equal shares of a page, and each its first variant', async () => {
    const own = rowsOf(2_000);
    const range = { after: undefined, before: undefined, limit: 10, backwards: false };
    const pages = await own.variantPagesOf(productIds, range);
    const [few, many] = productIds.map((id) => pages.get(id));
    expect(few).toMatchObject({ items: [{ productId: productIds[0] }], isShortened: false });
    expect(many?.isShortened).toBe(true);
    expect(many?.items.length).toBeGreaterThan(0);
    if ((many?.items.length ?? 0) > 1) expect(bytesOf(many?.items ?? [])).toBeLessThanOrEqual(1_000);
  });
});
