import { askGraphql } from '../support/graphql-client';
import type { SearchedTexts } from '../support/search-law';
import { rankOf, wordsOf } from '../support/search-law';
import { fc } from '../support/properties';
import { seedApiKey, seedProduct, seedShop, seedVariant } from '../support/seed';
import { useService } from '../support/service';

interface Product {
  readonly id: string;
  readonly createdAt: string;
  readonly texts: SearchedTexts;
}

let apiKey: string;
const products: Product[] = [];

const pick = <Item>(items: readonly Item[], index: number): Item => items[index % items.length] as Item;
const titles = [
  'Enamel Mug “Möwe”',
  'Tea pot, cast iron',
  'Teapot',
  'Mug tree for 6 mugs',
  'T-shirt L’Oréal',
  'Tee mit Ø 12 cm',
  'Straße & Æther: ﬁne linen',
  '土鍋 donabe',
  'マグカップ mug',
  'ΣΊΣΥΦΟΣ İstanbul',
  '100% wool_sock \\ (pair) 😀',
  'Ceramics',
  'Ceramic mug Ⅷ',
  'a\uffffb\ufffec mug',
  '“…”',
  '',
];
const handles = [null, 'enamel-mug-moewe', 'tea-pot', 'ceramic', 'a-b_c%', 'mug'];
const vendors = [null, 'Atelier Émail', 'Mugworks', 'Coca-Cola', 'Nordlicht'];
const tagLists = [[], ['camp', 'table ware'], ['TEA'], ['mug'], ['Łódź', 'straße']];
const skus = [['ATE-1', 'ATE-2'], [], ['MUG 12/3'], ['x'], ['ate-1', 'Ünï-77']];

const service = useService({ rateLimit: 1_000_000 });
beforeAll(async () => {
  const shop = await seedShop(service.sql);
  ({ apiKey } = await seedApiKey(service.sql, shop));
  for (let index = 0; index < 150; index += 1) {
    const values = {
      title: `${pick(titles, index)}${index % 3 === 2 ? ` ${pick(titles, index * 7 + 3)}` : ''}`,
      handle: pick(handles, index * 5 + 1),
      vendor: pick(vendors, index * 3),
      tags: pick(tagLists, index * 7),
      created_at: new Date(Date.UTC(2026, 0, 1) + (index % 60) * 1_000).toISOString(),
      deleted_at: index % 20 === 19 ? '2026-02-01T00:00:00Z' : null,
    };
    const id = await seedProduct(service.sql, shop, values);
    const own = pick(skus, index * 11);
    for (const sku of own) await seedVariant(service.sql, shop, id, { sku });
    if (values.deleted_at !== null) continue;
    products.push({
      id,
      createdAt: values.created_at,
      texts: [values.title, values.handle ?? '', values.vendor ?? '', [...own, ...values.tags].join(' ')],
    });
  }
});

/** Best first; within a rank, newest first, then by greatest id. */
function expectedOf(search: string): string[] {
  const found = products.flatMap((product) => {
    const rank = rankOf(product.texts, search);
    return rank === undefined ? [] : [{ ...product, rank }];
  });
  const newest = (one: Product, other: Product) =>
    other.createdAt.localeCompare(one.createdAt) || (other.id < one.id ? -1 : 1);
  return found.toSorted((one, other) => one.rank - other.rank || newest(one, other)).map(({ id }) => id);
}

interface Page {
  readonly products: {
    readonly nodes: readonly { id: string }[];
    readonly totalCount: number;
    readonly pageInfo: { startCursor: string | null; endCursor: string | null; hasNextPage: boolean };
  };
}
const document = `query ($first: Int, $after: String, $last: Int, $before: String, $filter: ProductFilter, $sortKey: ProductSortKey!, $reverse: Boolean!) {
  products(first: $first, after: $after, last: $last, before: $before, filter: $filter, sortKey: $sortKey, reverse: $reverse) {
    nodes { id } totalCount pageInfo { startCursor endCursor hasNextPage } } }`;
async function ask(variables: Record<string, unknown>): Promise<Page['products']> {
  const { data, errors } = await askGraphql<Page>(service.origin, apiKey, document, {
    reverse: false,
    sortKey: 'RELEVANCE',
    ...variables,
  });
  expect({ variables, errors }).toEqual({ variables, errors: undefined });
  return data.products;
}
const idsOf = ({ nodes }: Page['products']) => nodes.map(({ id }) => id);

/** Prefixes of words of one product in any order and spelling, with some words split and some joined. */
const search = fc
  .record({
    from: fc.nat(),
    words: fc.array(fc.record({ at: fc.nat(), length: fc.integer({ min: 1, max: 9 }), form: fc.nat(5) }), {
      minLength: 1,
      maxLength: 3,
    }),
    between: fc.constantFrom(' ', '-', ' / ', '', '  “'),
  })
  .map(({ from, words, between }) => {
    const found = pick(products, from).texts.flatMap(wordsOf);
    const texts = words.map(({ at, length, form }) => {
      const word = found.length === 0 ? 'mug' : pick(found, at);
      const begin = Array.from(word).slice(0, length).join('');
      return [
        begin,
        begin.toUpperCase(),
        begin.normalize('NFD'),
        word,
        `${word.slice(0, 3)} ${word.slice(3)}`,
        begin.replaceAll('o', 'ö'),
      ][form] as string;
    });
    return texts.join(between);
  })
  .filter((text) => wordsOf(text).length > 0);

describe('a search by words', () => {
  it('finds what the rules say, best first, and can be paginated both ways', async () => {
    let found = 0;
    await fc.assert(
      fc.asyncProperty(search, fc.integer({ min: 1, max: 7 }), fc.boolean(), async (text, size, reverse) => {
        const expected = expectedOf(text);
        found += expected.length;
        const filter = { search: text };
        const whole = await ask({ first: 200, filter, reverse });
        const listed = reverse ? expected.toReversed() : expected;
        expect({ text, ids: idsOf(whole), totalCount: whole.totalCount }).toEqual({
          text,
          ids: listed,
          totalCount: listed.length,
        });
        expect(idsOf(await ask({ last: size, filter, reverse }))).toEqual(listed.slice(-size));
        const pages: string[] = [];
        for (let after: string | null = null; pages.length < 20;) {
          const page: Page['products'] = await ask({ first: size, after, filter, reverse });
          const before = page.pageInfo.startCursor;
          if (before !== null) {
            const back = await ask({ last: size, before, filter, reverse });
            expect(idsOf(back)).toEqual(pages.slice(-size));
          }
          pages.push(...idsOf(page));
          after = page.pageInfo.endCursor;
          if (!page.pageInfo.hasNextPage) break;
        }
        expect(pages).toEqual(listed.slice(0, pages.length));
        const byTitle = await ask({ first: 200, filter, sortKey: 'TITLE' });
        expect(idsOf(byTitle).toSorted()).toEqual(expected.toSorted());
      }),
      { numRuns: 150 },
    );
    expect(found).toBeGreaterThan(1_000);
  });

  it.each([
    ['mug enamel', 'Enamel Mug “Möwe”'],
    ['mowe', 'Enamel Mug “Möwe”'],
    ['tea pot', 'Teapot'],
    ['teapot', 'Tea pot, cast iron'],
    ['loreal shirt', 'T-shirt L’Oréal'],
    ['t shirt', 'T-shirt L’Oréal'],
    ['鍋', '土鍋 donabe'],
    ['istan sisyfos'.replace('sisyfos', 'σισυφος'), 'ΣΊΣΥΦΟΣ İstanbul'],
  ])('of %j finds %j', async (text, title) => {
    const ids = idsOf(await ask({ first: 200, filter: { search: text } }));
    const wanted = products.filter(({ texts }) => texts[0] === title).map(({ id }) => id);
    expect(wanted.length).toBeGreaterThan(0);
    expect(ids).toEqual(expect.arrayContaining(wanted));
  });

  it('follows a changed SKU, title and tag', async () => {
    const { id } = products[0] as Product;
    const filter = { search: 'quetzal 4711', ids: [id] };
    expect(idsOf(await ask({ first: 5, filter }))).toEqual([]);
    const sku = 'UPDATE variants SET sku = $2 WHERE product_id = $1';
    await service.sql(sku, [id, 'QUETZAL-4711']);
    expect(idsOf(await ask({ first: 5, filter }))).toEqual([id]);
    expect(idsOf(await ask({ first: 5, filter: { search: 'quetzal 4711' } }))).toEqual([id]);
    await service.sql(sku, [id, 'ATE-1']);
    expect(idsOf(await ask({ first: 5, filter: { search: 'quetzal 4711' } }))).toEqual([]);
  });

  it.each([
    [{ search: '“…” -' }, 'CREATED_AT', 'search: expected at least one word.'],
    [{ search: 'a '.repeat(200) }, 'RELEVANCE', 'search: expected at most 16 words, got 200.'],
    [{ search: ' ' }, 'RELEVANCE', 'sortKey: RELEVANCE requires a filter.search that is not blank.'],
    [{}, 'RELEVANCE', 'sortKey: RELEVANCE requires a filter.search that is not blank.'],
  ])('of %j by %s is an error with the reason', async (filter, sortKey, message) => {
    const { errors } = await askGraphql(service.origin, apiKey, document, { filter, sortKey, reverse: false });
    expect(errors).toMatchObject([{ message, extensions: { code: 'BAD_USER_INPUT' } }]);
  });

  it('of blanks does not restrict', async () => {
    expect((await ask({ first: 1, filter: { search: ' ' }, sortKey: 'CREATED_AT' })).totalCount).toBe(products.length);
  });
});
