import type { Sql } from '../../database/sql';
import { fence, joinSql, rawSql, sql } from '../../database/sql';
import { anyTerm, keptCharacters, termKinds, termMark, termSeparator } from '../../database/sql-constants';
import { ApiError } from '../../errors/api-error';
import { ProductTooLargeError } from '../answer-size';
import { RawJson, separateEntries } from '../passthrough';
import type { ProductPlace } from '../rows/large-product';
import { placeOfProduct } from '../rows/large-product';
import type { ConditionsOf, NumberRange, IndexSection, ListPath, RangePath, SortKey } from '../rows/shop-list';
import {
  equals,
  isUnstorable,
  onlyStorable,
  isGiven,
  noRow,
  one,
  toConditions,
  whereAllTags,
  whereAnyOf,
  whereAnyTag,
  whereBetween,
  whereAmong,
  whereOverlaps,
  cutText,
  eachText,
  splitFilter,
  toEach,
  toEachCutText,
  toListed,
  toRange,
  uuidsAmong,
  whereGivenText,
} from '../rows/shop-list';
import { byId } from '../rows/page-statement';
import type { RowList, ShopRows } from '../rows/shop-rows';
import type { RowOf } from '../rows/shop-tables';
import type { ProductFilter, ProductSortKey } from '../schema-inputs';
import type { RankedSearch, WordTerm } from './search-words';
import { toRankedSearch } from './search-words';

/** A product as returned by ShopRows. */
export type ProductRow = RowOf<'products'>;

/** The orders of a list of products, by their names in the schema (D9 for the first). */
export const sortKeys = {
  CREATED_AT: { column: 'created_at', type: 'timestamptz', member: 'createdAt' },
  UPDATED_AT: { column: 'updated_at', type: 'timestamptz', member: 'updatedAt' },
  TITLE: { column: 'title_sort', type: 'text', member: 'titleSort', isExtra: true },
  PRICE: { column: 'min_price_sort', type: 'numeric', member: 'minPrice', nullAs: 'infinity' },
  STOCK: { column: 'total_stock', type: 'bigint', member: 'totalStock' },
  RELEVANCE: { column: 'relevance', type: 'text', member: 'relevance', isExtra: true },
} as const satisfies Record<ProductSortKey, SortKey>;

/** The ranks of a search, best first; undefined when it does not restrict. */
const ranksOf = (search: ProductFilter['search'] | undefined): readonly RankedSearch[] | undefined =>
  search?.trim() ? toRankedSearch(search) : undefined;

/**
 * The products that product_terms_idx finds, if the filter contains anything that terms cover; otherwise an empty path.
 * They are candidates: the conditions themselves must still be checked on them.
 */
export function toTermsPath(filter: ProductFilter, search = ranksOf(filter.search)?.at(-1)): RangePath {
  const exact = [
    ...anyOf('status', one(filter.status)),
    ...anyOf('status', filter.statusIn),
    ...anyOf('vendor', one(filter.vendor)),
    ...anyOf('vendor', filter.vendorIn),
    ...anyOf('productType', one(filter.productType)),
    ...anyOf('productType', filter.productTypeIn),
    ...anyOf('tag', one(filter.tag)),
    ...(filter.tagsAll ?? []).flatMap((tag) => anyOf('tag', [tag])),
    ...anyOf('tag', filter.tagsAny),
  ];
  const parts = [
    ...(exact.length > 0 ? [sql`${join('&', exact)}::tsquery`] : []),
    ...(filter.query ? [sql`catalog_search_terms(${foldedQuery(filter.query)})`] : []),
    ...(search ? [sql`${foldedQuery(join('&', search.terms.map(anySpelling)))}::tsquery`] : []),
  ];
  if (parts.length === 0) return [];
  // A row whose text is too long to be split has only this term.
  const wanted = sql`${joinSql(parts, ' && ')} || ${quote(anyTerm)}::tsquery`;
  const hasTerms = sql`catalog_terms(p.status, p.vendor, p.product_type, p.tags, p.search_text, p.search_words) @@ (SELECT ${wanted})`;
  return [
    {
      forEach: (shop) => sql`
        (SELECT p.product_id FROM product_terms AS p WHERE p.shop_id = ${shop} AND ${hasTerms} ${fence}) AS candidate`,
      where: [sql`item.id = candidate.product_id AND ${byId}`],
      order: ['id'],
    },
  ];
}

const anySpelling = (spellings: readonly WordTerm[]): string =>
  join(
    '|',
    spellings.map(({ text, isPrefix }) => `${quote(text)}${isPrefix ? ':*' : ''}`),
  );

function anyOf(kind: keyof typeof termKinds, values: readonly string[] | null | undefined): string[] {
  const found = onlyStorable(values ?? []);
  return found.length === 0
    ? []
    : [
        join(
          '|',
          found.map((value) => quote(termKinds[kind] + cut(value))),
        ),
      ];
}

/**
 * The part of a value that its term contains: a limited number of characters as PostgreSQL counts them, up to the first
 * term separator.
 */
const cut = (value: string): string =>
  Array.from(value).slice(0, keptCharacters).join('').split(termSeparator, 1)[0] as string;

/** A term in quotes, with quotes and backslashes doubled. */
const quote = (term: string): string => `'${(termMark + term).replace(/['\\]/g, '$&$&')}'`;

/** Joins halves, so that a thousand values do not nest a thousand levels deep. */
function join(operator: '&' | '|', parts: readonly string[]): string {
  if (parts.length === 1) return parts[0] as string;
  const middle = parts.length >> 1;
  return `(${join(operator, parts.slice(0, middle))} ${operator} ${join(operator, parts.slice(middle))})`;
}

const conditions: ConditionsOf<ProductFilter, [shop: Sql]> = {
  query: matchesQuery,
  search: (search) => ranksOf(search)?.at(-1)?.where ?? [],
  status: (status) => equals('status', status),
  statusIn: (statuses) => whereAnyOf('status', statuses),
  vendor: (vendor) => equals('vendor', vendor),
  vendorIn: (vendors) => whereAnyOf('vendor', vendors),
  productType: (type) => equals('product_type', type),
  productTypeIn: (types) => whereAnyOf('product_type', types),
  tag: (tag) => whereAllTags(one(tag)),
  tagsAll: whereAllTags,
  tagsAny: whereAnyTag,
  handle: (handle) => equals('handle', handle),
  handleIn: (handles) => whereAnyOf('handle', handles),
  skuIn: (skus, shop) => hasVariant(shop, 'sku', skus),
  barcodeIn: (barcodes, shop) => hasVariant(shop, 'barcode', barcodes),
  collectionIdIn: isMember,
  ids: whereAmong('id'),
  externalIds: (ids) => whereAnyOf('external_id', ids),
  createdAt: (range) => whereBetween('created_at', range),
  updatedAt: (range) => whereBetween('updated_at', range),
  // The sort column has an index, and contains infinity where there is no price, which no bound includes.
  price: (range) => whereOverlaps('max_price_value', 'min_price_sort', range),
  totalStock: (range) => whereOverlaps('total_stock', 'total_stock', range, 'bigint'),
};

/** The external ids of collections. */
const collectionsAmong = (ids: readonly string[], shop: Sql): Sql => sql`
  (SELECT c.external_id FROM (SELECT DISTINCT id FROM unnest(${uuidsAmong(ids)}::uuid[]) AS given (id)) AS given
    CROSS JOIN LATERAL (SELECT c.external_id FROM collections AS c WHERE c.shop_id = ${shop} AND c.id = given.id ${fence}) AS c)`;

/** The first of these collections that a product `item` is in. The subquery in it runs once. */
const firstMembership = (ids: readonly string[], shop: Sql): Sql => sql`
  (SELECT min(m.one ->> 'collection_external_id') FROM jsonb_array_elements(item.memberships) AS m (one)
    WHERE m.one ->> 'collection_external_id' = ANY (ARRAY${collectionsAmong(ids, shop)}))`;

function isMember(ids: readonly string[] | null | undefined, shop: Sql): Sql[] {
  if (!ids) return [];
  return [uuidsAmong(ids).length === 0 ? noRow : sql`${firstMembership(ids, shop)} IS NOT NULL`];
}

/** The products of each of the collections. A product in several is found through the first. */
const toEachMember = (shop: Sql, ids: readonly string[] | null | undefined): readonly RangePath[] =>
  ids
    ? [
        [
          {
            forEach: () => sql`
              ${collectionsAmong(ids, shop)} AS c CROSS JOIN LATERAL (
                SELECT m.product_id, m.collection FROM collection_products AS m
                 WHERE m.shop_id = ${shop} AND m.collection = c.external_id ORDER BY m.position, m.product_id ${fence}) AS member`,
            where: [
              sql`item.id = member.product_id AND ${byId}`,
              sql`member.collection = ${firstMembership(ids, shop)}`,
            ],
            order: ['id'],
          },
        ],
      ]
    : [];

/** The conditions that a product must meet. @param shop The shop of the list, in SQL */
export const toProductConditions = (filter: ProductFilter, shop: Sql): readonly Sql[] =>
  toConditions(conditions, filter, shop);

/**
 * A variant with one of the values. Uses the index of a product's variants, whatever the planner estimates for the
 * values.
 */
function hasVariant(shop: Sql, name: 'sku' | 'barcode', values: readonly string[] | null | undefined): Sql[] {
  return whereAnyOf(`v.${name}`, values).map((isOne) =>
    isOne === noRow
      ? noRow
      : sql`(SELECT bool_or(${isOne}) FROM (SELECT v.${rawSql(name)} FROM ${ownVariants(shop)} ${fence}) AS v)`,
  );
}

/**
 * The variants of a product `item`, as `v`, in their order. Joined by the shop and not by `item`: otherwise Citus would
 * not see that it is a single shop.
 */
const ownVariants = (shop: Sql): Sql => sql`
  variants AS v WHERE v.shop_id = ${shop} AND v.product_id = item.id ORDER BY v.position, v.id`;

/** Case-insensitive substring of title or handle; `%`, `_` and `\\` are ordinary characters (D5). */
function matchesQuery(query: string | null | undefined): Sql[] {
  if (query === null || query === undefined || query === '') return [];
  // U+FFFF separates title and handle in search_text; a term that contains it could match across the two.
  if (isUnstorable(query) || query.includes('\uFFFF')) return [noRow];
  const escaped = query.replace(/[\\%_]/g, '\\$&');
  // A subquery is evaluated once, an expression for each row.
  return [sql`item.search_text LIKE (SELECT '%' || ${foldedQuery(escaped)} || '%')`];
}

/** Folded like the searched text (docs/decisions.md 9). */
const foldedQuery = (query: string): Sql => sql`catalog_fold(${query}::text)`;

/** The path to the products that a filter selects, in the order of a key. */
function toProductPath(filter: ProductFilter, sortKey: ProductSortKey, shop: Sql): ListPath {
  const [{ tag, ...indexed }, others] = splitFilter(filter, listScanned(filter, sortKey));
  const listedRanges = toListedRanges(filter, shop);
  const ranges = toRanges(filter);
  const hasOthers = listedRanges.length + ranges.length > 0;
  return {
    // product_tags has its own date, by which its index is ordered.
    indexConditions: isGiven(tag)
      ? whereBetween('tagged.created_at', indexed.createdAt)
      : toProductConditions(indexed, shop),
    createdBefore: filter.createdAt?.to ?? undefined,
    tag: tag ?? undefined,
    filters: toProductConditions(others, shop),
    terms: toTermsPath(forTerms(filter, hasOthers)),
    listedRanges,
    ranges: hasOthers ? [...ranges, ...toStatuses(filter)] : [],
    listed: toListed(filter),
  };
}

/** Equalities with an index in order of creation, the most selective first. */
const equalities = ['tag', 'vendor', 'productType', 'status'] as const;

/** The ranges in the order of a sort key's index. */
const sortedRanges: Partial<Record<ProductSortKey, 'createdAt' | 'updatedAt' | 'totalStock'>> = {
  CREATED_AT: 'createdAt',
  UPDATED_AT: 'updatedAt',
  STOCK: 'totalStock',
};

/** The conditions that an index answers in the order of the key. */
function listScanned(filter: ProductFilter, sortKey: ProductSortKey): (keyof ProductFilter)[] {
  const range = sortedRanges[sortKey];
  const equality =
    sortKey === 'CREATED_AT'
      ? equalities.find((name) => isGiven(filter[name]) && isScannable(name, filter))
      : undefined;
  return [range, equality].filter((name) => name !== undefined);
}

/** A tag that `product_tags` truncates, or to which it truncates others, also leads to other products. */
const isScannable = (name: (typeof equalities)[number], { tag }: ProductFilter): boolean =>
  name !== 'tag' || (typeof tag === 'string' && cut(`${tag}.`) === `${tag}.` && !isUnstorable(tag));

/** Values that the filter lists individually, each with its own index. */
const toListedRanges = (
  { handle, handleIn, skuIn, barcodeIn, collectionIdIn }: ProductFilter,
  shop: Sql,
): readonly RangePath[] => [
  ...toEachCutText('handle', isGiven(handle) ? [handle as string] : handleIn),
  ...toEachVariant(shop, 'sku', skuIn),
  ...toEachVariant(shop, 'barcode', barcodeIn),
  ...toEachMember(shop, collectionIdIn),
];

/** The products of the variants with one of the values. A product with several is found through the first one. */
function toEachVariant(
  shop: Sql,
  name: 'sku' | 'barcode',
  values: readonly string[] | null | undefined,
): readonly RangePath[] {
  if (!values) return [];
  const [isOne = noRow] = whereAnyOf(`v.${name}`, values);
  const cut = cutText(`v.${name}`);
  return [
    [
      {
        forEach: () => sql`
          ${eachText(values, { cut: true })} CROSS JOIN LATERAL (
            SELECT v.id, v.product_id FROM variants AS v
             WHERE v.shop_id = ${shop} AND ${whereGivenText(cut)} AND ${isOne} ORDER BY ${rawSql(cut)} ${fence}) AS variant`,
        where: [
          sql`item.id = variant.product_id AND ${byId}`,
          sql`variant.id = (
            SELECT v.id FROM (SELECT v.id, v.${rawSql(name)} FROM ${ownVariants(shop)} ${fence}) AS v WHERE ${isOne} LIMIT 1)`,
        ],
        order: ['id'],
      },
    ],
  ];
}

/** A status alone selects most products, so conditions with their own index are better. */
function forTerms(filter: ProductFilter, hasOthers: boolean): ProductFilter {
  const [, others] = splitFilter(filter, hasOthers ? ['status', 'statusIn'] : []);
  return others;
}

/**
 * Each range of the filter through its own index. Dates of change come first: clients that synchronize request the
 * latest.
 */
const toRanges = ({ createdAt, updatedAt, price, totalStock }: ProductFilter): readonly RangePath[] => [
  ...toRange(whereBetween('updated_at', updatedAt), ['updated_at', 'id']),
  ...(isGiven(price?.min) || isGiven(price?.max) ? [toPricePath(price ?? {})] : []),
  ...toRange(whereOverlaps('total_stock', 'total_stock', totalStock, 'bigint'), ['total_stock', 'id']),
  ...toRange(whereBetween('created_at', createdAt), ['created_at', 'id']),
];

/** With other conditions, products of a rare status are read like a range. */
function toStatuses({ status, statusIn }: ProductFilter): readonly RangePath[] {
  const statuses = [...(isGiven(status) ? [[status as string]] : []), ...(statusIn ? [statusIn] : [])];
  return statuses.map((each) => toEach(sql`${each}::text[]`, 'status', 'created_at'));
}

/**
 * Products whose lowest price is in the range, and those whose prices begin below it and may reach into it: no product
 * is in both.
 */
function toPricePath(price: NumberRange): RangePath {
  const { min, max } = price;
  const begins: IndexSection = {
    where: [
      ...whereOverlaps('min_price_sort', 'min_price_sort', price),
      ...(isGiven(max) ? [] : [sql`item.min_price_sort < 'Infinity'`]),
    ],
    order: ['min_price_sort', 'id'],
  };
  if (!isGiven(min)) return [begins];
  const lower = sql`${String(min)}::numeric`;
  return [
    begins,
    {
      forEach: () =>
        sql`unnest(catalog_price_spreads() || 'Infinity'::numeric) WITH ORDINALITY AS spread (most, ordinal)`,
      where: [
        sql`catalog_price_spread(item.min_price_sort, item.max_price_value) = (spread.ordinal - 1)::integer`,
        sql`item.max_price_value > item.min_price_sort`,
        sql`item.min_price_sort >= ${lower} - spread.most AND item.min_price_sort < ${lower}`,
      ],
      order: ['min_price_sort'],
    },
  ];
}

/** The products of the shop that meet the filter, in the requested order. */
export function listProducts(
  rows: ShopRows,
  filter: ProductFilter,
  { sortKey, reverse }: { sortKey: ProductSortKey; reverse: boolean },
): RowList<ProductRow> {
  const isRanked = sortKey === 'RELEVANCE';
  const ranks = isRanked ? ranksOf(filter.search) : undefined;
  if (isRanked && ranks === undefined) {
    throw new ApiError('BAD_USER_INPUT', 'sortKey: RELEVANCE requires a filter.search that is not blank.');
  }
  return rows.list('products', {
    where: toProductConditions(filter, rows.shop),
    sort: sortKeys[sortKey],
    reverse,
    path: toProductPath(filter, isRanked ? 'CREATED_AT' : sortKey, rows.shop),
    ranks: ranks?.map((rank) => ({ where: rank.where, terms: toTermsPath(filter, rank) })),
  });
}

/** The oldest product with the handle, or null; most shops have only one. */
export async function readProductByHandle(rows: ShopRows, handle: string): Promise<ProductRow | null> {
  const list = listProducts(rows, { handle }, { sortKey: 'CREATED_AT', reverse: false });
  const { items } = await list.read({ after: undefined, before: undefined, limit: 1, backwards: false });
  return items[0] ?? null;
}

/**
 * One product with its variants in their order (D9), or null, as the JSON text of the REST API.
 * @param streamed Takes a product that is too large for one text.
 * @throws ProductTooLargeError without that
 */
export async function readRawProduct(rows: ShopRows, id: string, streamed?: ProductPlace): Promise<RawJson | null> {
  let texts;
  try {
    texts = await rows.rawProduct(id);
  } catch (error) {
    if (streamed === undefined || !(error instanceof ProductTooLargeError)) throw error;
    const large = await rows.largeProduct(id);
    if (large === null) return null;
    streamed.product = large;
    return new RawJson(placeOfProduct);
  }
  const [product, ...variants] = texts;
  if (product === undefined) return null;
  return new RawJson(product.slice(0, -1), ',"variants":[', ...separateEntries(variants), ']}');
}
