import type { ProductFilter } from '../../src/catalog/schema-inputs';
import { toProductConditions, toTermsPath } from '../../src/catalog/product/product';
import { toRankedSearch, toWords } from '../../src/catalog/product/search-words';
import { noRow, toRangeRows } from '../../src/catalog/rows/shop-list';
import type { RangePath } from '../../src/catalog/rows/shop-list';
import type { Sql } from '../../src/database/sql';
import { sql, joinSql } from '../../src/database/sql';
import { checkDerived } from '../../src/database/derived/check-derived';
import { readJson } from '../../src/database/read-json';
import { seedProduct, seedShop } from '../support/seed';
import { useTestDatabase } from '../support/test-database';
import { fc } from '../support/properties';

let shopId: string;

const long = 'y'.repeat(499);
const texts = [
  'Kiln & Co',
  "it's",
  'a\\b',
  '',
  'É',
  '\uffff',
  'a\uffffb',
  '\ufffes',
  `${long}é1`,
  `${long}é2`,
  '😀',
  "'",
  '\\',
];
const titles = [
  'Éclair au café',
  'ΣΊΣΥΦΟΣ & ﬁn',
  "100% 'wool' \\ silk",
  '漢字と仮名',
  '😀😀 mug',
  'a',
  '',
  'ab',
  'line\nbreak\tand: a | b & !c <-> (d)',
  'a\uffffb',
  'aaaaaaaa',
  'x'.repeat(60_000),
  'Straße İstanbul ŉ',
];
const handles = [null, 'éclair', 'b', "it's", 'a-b_c%'];

const db = useTestDatabase();
beforeAll(async () => {
  shopId = await seedShop(db.sql);
  // One title predates the length limits (docs/decisions.md 41).
  await db.sql('ALTER TABLE products DROP CONSTRAINT products_title_length_check');
  const pick = <Item>(items: readonly Item[], index: number): Item => items[index % items.length] as Item;
  for (let index = 0; index < 65; index += 1) {
    await seedProduct(db.sql, shopId, {
      title: pick(titles, index),
      handle: pick(handles, index),
      status: pick(['ACTIVE', 'DRAFT', 'ARCHIVED'], index),
      vendor: pick([...texts, null], index),
      product_type: pick([null, ...texts], index * 3),
      tags: [pick(texts, index), pick(texts, index * 5 + 1)].slice(index % 3),
    });
  }
});

const text = fc.constantFrom(...texts);
const several = fc.array(text, { maxLength: 3 });
const status = fc.constantFrom('ACTIVE', 'DRAFT', 'ARCHIVED');
/** Parts of existing values in any case, and parts of some that do not occur. */
const query = fc
  .record({
    from: fc.constantFrom(...titles, ...handles.filter((handle) => handle !== null), '', 'zq', '% _'),
    start: fc.nat(12),
    length: fc.integer({ min: 1, max: 70 }),
    isUpper: fc.boolean(),
  })
  .map(({ from, start, length, isUpper }) => {
    const piece = Array.from(from)
      .slice(start, start + length)
      .join('');
    return isUpper ? piece.toUpperCase() : piece;
  });
const conditions = {
  ...{ query, status, statusIn: fc.array(status, { maxLength: 3 }) },
  ...{ vendor: text, vendorIn: several, productType: text, productTypeIn: several },
  ...{ tag: text, tagsAny: several, tagsAll: several },
  search: query.filter((search) => toWords(search).length > 0 && toWords(search).length <= 16),
};
const names = Object.keys(conditions) as (keyof typeof conditions)[];
/** One or two conditions, because hardly any product meets more. */
const filter: fc.Arbitrary<ProductFilter> = fc
  .tuple(fc.record(conditions), fc.subarray(names, { minLength: 1, maxLength: 2 }))
  .map(([given, chosen]) => Object.fromEntries(chosen.map((name) => [name, given[name]])));

/** @param path where to look for them; empty for all products */
async function countFound(path: RangePath, wanted: readonly Sql[] = []): Promise<number> {
  const shop = sql`${shopId}::uuid`;
  const ofShop = sql`item.shop_id = ${shop} AND item.deleted_at IS NULL`;
  const rows =
    path.length > 0
      ? toRangeRows({ table: sql`products`, shop, ofShop }, path)
      : sql`SELECT item.* FROM products AS item WHERE ${ofShop}`;
  const statement = sql`SELECT count(*)::text FROM (${rows}) AS item WHERE ${joinSql([sql`true`, ...wanted], ' AND ')}`;
  return (await readJson<number>(db.database, statement)) ?? 0;
}

describe('the terms of a filter', () => {
  it('match every product that satisfies it, for any values and any searched text (D5)', async () => {
    let found = 0;
    await fc.assert(
      fc.asyncProperty(filter, async (given) => {
        const wanted = toProductConditions(given, sql`${shopId}::uuid`);
        const path = toTermsPath(given);
        if (wanted.includes(noRow) || path.length === 0) return;
        const all = await countFound([], wanted);
        found += all;
        expect(await countFound(path, wanted)).toBe(all);
      }),
      { numRuns: 400 },
    );
    expect(found).toBeGreaterThan(1_000);
  });

  it('match every product of each rank of a search', async () => {
    await fc.assert(
      fc.asyncProperty(conditions.search, async (search) => {
        for (const rank of toRankedSearch(search))
          expect(await countFound(toTermsPath({}, rank), rank.where)).toBe(await countFound([], rank.where));
      }),
      { numRuns: 40 },
    );
  });

  it('have the same words as the database finds in the text, whatever its characters', async () => {
    const anyText = fc.oneof(query, ...(['binary', 'grapheme'] as const).map((unit) => fc.string({ unit })));
    await fc.assert(
      fc.asyncProperty(anyText, async (searched) => {
        const plain = searched.replaceAll(/[\0\uffff]/g, ' ');
        const own = toWords(searched).join(' ');
        const compared = 'SELECT catalog_plain_words($1) AS words, catalog_fold($2) AS own';
        const [row] = await db.sql<{ words: string; own: string }>(compared, [plain, own]);
        expect(row?.own).toEqual(row?.words);
      }),
      { numRuns: 200 },
    );
  });

  it.each(['a', 'ab', 'é', '漢字', '😀', '% ', "'", '\\', '\n', 'x', 'aaa'])(
    'find %j without reading all products',
    async (q) => {
      const [row] = await db.sql<{ terms: string | null }>('SELECT catalog_search_terms($1)::text AS terms', [q]);
      expect(row?.terms).not.toBe('');
      expect(await countFound(toTermsPath({ query: q }))).toBeLessThan(65);
    },
  );

  it('of a thousand values do not nest a thousand levels deep', async () => {
    const vendorIn = Array.from({ length: 5_000 }, (_, index) => `Vendor ${index}`);
    expect(await countFound(toTermsPath({ vendorIn: [...vendorIn, 'Kiln & Co'] }))).toBe(
      (await countFound([], toProductConditions({ vendorIn: ['Kiln & Co'] }, sql`${shopId}::uuid`))) +
        titles.filter((title) => title.length > 50_000).length * 5,
    );
  });
});

/** PostgreSQL finishes a CTE that others read first, and one that nothing reads last. */
describe('products and their variants of one statement', () => {
  const insertBoth = (shop: string, from: string) =>
    db.sql(
      `WITH given AS MATERIALIZED (SELECT gen_random_uuid() AS id, n FROM generate_series(1, 3) AS n), p AS (
         INSERT INTO products (shop_id, id, external_id, title, created_at, updated_at, deleted_at)
         SELECT $1::uuid, id, id, 'Mug', now(), now(), CASE n WHEN 3 THEN now() END FROM given
         RETURNING *)
       INSERT INTO variants (shop_id, product_id, external_id, sku, price, created_at, updated_at)
       SELECT $1::uuid, id, id, 'sku' || left(id::text, 8), '1.00', now(), now() FROM ${from}`,
      [shop],
    );

  const changeBoth = (shop: string, from: string) =>
    db.sql(
      `WITH given AS MATERIALIZED (SELECT id FROM products WHERE shop_id = $1), p AS (
         UPDATE products SET title = 'Cup' || random(), deleted_at = NULL WHERE shop_id = $1 RETURNING id)
       UPDATE variants AS v SET sku = upper(v.sku) || 'x' FROM ${from} AS f WHERE v.shop_id = $1 AND v.product_id = f.id`,
      [shop],
    );

  it.each(['p', 'given'])('are found by their words, in a new shop and in a filled one (reads %s)', async (from) => {
    const shop = await seedShop(db.sql);
    const [{ domain }] = (await db.sql('SELECT domain FROM shops WHERE shop_id = $1', [shop])) as [{ domain: string }];
    const expectWords = async (words: string, count: number) => {
      const report = await checkDerived({ url: db.url, domain, repair: false, onShop: () => undefined });
      expect(report.differences).toEqual([]);
      const found = await db.sql(
        `SELECT FROM product_terms AS t JOIN products AS p ON p.id = t.product_id
          WHERE t.shop_id = $1 AND t.search_words LIKE ${words}`,
        [shop],
      );
      expect(found).toHaveLength(count);
    };
    for (const products of [3, 6]) {
      await insertBoth(shop, from);
      await expectWords(`'%mug%sku' || left(p.id::text, 8) || '%'`, 2); // one is deleted
      await changeBoth(shop, from);
      await expectWords(`'%cup%sku' || left(p.id::text, 8) || 'x%'`, products);
    }
  });
});
