import { rawSql, sql } from '../../database/sql';
import { ProductTooLargeError } from '../operation-reads';
import { RawJson, separateEntries } from '../passthrough/passthrough-schema';
import type { NumberRange } from '../rows/condition';
import { holdsNul, isAnyOf, isBetween, isGiven, never, reachesInto } from '../rows/condition';
import type { LargeProduct } from '../rows/large-product';
import { isLookedUp } from '../rows/page-statement';
import type { IndexSection, ListPath, RangePath } from '../rows/shop-list';
import {
  cutText,
  eachText,
  isGivenText,
  splitFilter,
  toEach,
  toEachCutText,
  toLookUp,
  toRange,
} from '../rows/shop-list';
import type { RowList, ShopRows } from '../rows/shop-rows';
import type { ProductFilter } from './product-filter';
import { fitsTerm, ownVariants, toProductConditions, toTermsPath } from './product-filter';
import type { ProductRow } from './product-row';
import type { ProductSortKey } from './product-sort-keys';
import { sortKeys } from './product-sort-keys';

/** Takes the place of the product in the text of the answer. JSON text never contains it, because it escapes control characters. */
const place = '\x1e';

/** The product of an answer that is read while it is written, because no answer has room for it (docs/decisions.md 41). */
export class HeldProduct {
  #product: LargeProduct | undefined;

  get product(): LargeProduct | undefined {
    return this.#product;
  }

  /** @returns what the resolver answers instead. An answer has one such product: others end the operation. */
  hold(product: LargeProduct): RawJson {
    this.#product = product;
    return new RawJson(place);
  }

  /** What the answer has before and behind the product. */
  static split(text: string): readonly [start: string, end: string] {
    const [start = '', end = ''] = text.split(place);
    return [start, end];
  }
}

/** The path to the products that a filter selects, in the order of a key. */
export function toProductPath(filter: ProductFilter, sortKey: ProductSortKey): ListPath {
  const [{ tag, ...along }, rest] = splitFilter(filter, listScanned(filter, sortKey));
  return {
    // product_tags has its own date, by which its index is ordered.
    along: isGiven(tag) ? isBetween('w.created_at', along.createdAt) : toProductConditions(along),
    createdBefore: filter.createdAt?.to ?? undefined,
    tag: tag ?? undefined,
    rest: toProductConditions(rest),
    search: findTerms(filter),
    named: toNamed(filter),
    ranges: toRangesAndStatus(filter),
    lookUp: toLookUp(filter),
  };
}

/** Equalities with an index in order of creation, first those that tend to skip the fewest products. */
const equalities = ['tag', 'vendor', 'productType', 'status'] as const;

/** The ranges in the order of a sort key's index. */
const ranges: Partial<Record<ProductSortKey, 'createdAt' | 'updatedAt' | 'totalStock'>> = {
  CREATED_AT: 'createdAt',
  UPDATED_AT: 'updatedAt',
  STOCK: 'totalStock',
};

/** The conditions that an index answers in the order of the key. */
function listScanned(filter: ProductFilter, sortKey: ProductSortKey): (keyof ProductFilter)[] {
  const range = ranges[sortKey];
  const equality =
    sortKey === 'CREATED_AT'
      ? equalities.find((name) => isGiven(filter[name]) && isScannable(name, filter))
      : undefined;
  return [range, equality].filter((name) => name !== undefined);
}

/** A tag that `product_tags` cuts also leads to other products. */
const isScannable = (name: (typeof equalities)[number], { tag }: ProductFilter): boolean =>
  name !== 'tag' || (typeof tag === 'string' && fitsTerm(tag) && !holdsNul(tag));

/** Values that the filter lists individually, each with its own index. */
const toNamed = ({ handle, handleIn, skuIn, barcodeIn }: ProductFilter): readonly RangePath[] => [
  ...toEachCutText('handle', isGiven(handle) ? [handle as string] : handleIn),
  ...toEachVariant('sku', skuIn),
  ...toEachVariant('barcode', barcodeIn),
];

/** The products of the variants with one of the values. A product with several is found by the first one. */
function toEachVariant(name: 'sku' | 'barcode', values: readonly string[] | null | undefined): readonly RangePath[] {
  if (!values) return [];
  const [isOne = never] = isAnyOf(`v.${name}`, values);
  const cut = cutText(`v.${name}`);
  return [
    [
      {
        forEach: (shop) => sql`
          ${eachText(values, { cut: true })} CROSS JOIN LATERAL (
            SELECT v.id, v.product_id FROM variants AS v
             WHERE v.shop_id = ${shop} AND ${isGivenText(cut)} AND ${isOne} ORDER BY ${rawSql(cut)} OFFSET 0) AS variant`,
        where: [
          sql`t.id = variant.product_id AND ${isLookedUp}`,
          sql`variant.id = (
            SELECT v.id FROM (SELECT v.id, v.${rawSql(name)} FROM ${ownVariants} OFFSET 0) AS v WHERE ${isOne} LIMIT 1)`,
        ],
        order: ['id'],
      },
    ],
  ];
}

/** A status alone selects most products: a range, which has its own index, then selects fewer. */
function findTerms(filter: ProductFilter): RangePath {
  const [, others] = splitFilter(
    filter,
    toNamed(filter).length + toRanges(filter).length > 0 ? ['status', 'statusIn'] : [],
  );
  return toTermsPath(others);
}

/** Each range of the filter through its own index. Dates of change come first: clients that synchronise request the latest. */
const toRanges = ({ createdAt, updatedAt, price, totalStock }: ProductFilter): readonly RangePath[] => [
  ...toRange(isBetween('updated_at', updatedAt), ['updated_at', 'id']),
  ...(isGiven(price?.min) || isGiven(price?.max) ? [toPricePath(price ?? {})] : []),
  ...toRange(reachesInto('total_stock', 'total_stock', totalStock, 'bigint'), ['total_stock', 'id']),
  ...toRange(isBetween('created_at', createdAt), ['created_at', 'id']),
];

/** Where there is a range or the filter lists values, products of a rare status are read like one. */
function toRangesAndStatus(filter: ProductFilter): readonly RangePath[] {
  const ranges = toRanges(filter);
  const { status, statusIn } = filter;
  const statuses = [...(isGiven(status) ? [[status as string]] : []), ...(statusIn ? [statusIn] : [])];
  return ranges.length === 0 && toNamed(filter).length === 0
    ? []
    : [...ranges, ...statuses.map((each) => toEach(sql`${each}::text[]`, 'status', 'created_at'))];
}

/** Products whose lowest price is in the range, and those whose prices begin below it and may reach into it: no product is in both. */
function toPricePath(price: NumberRange): RangePath {
  const { min, max } = price;
  const begins: IndexSection = {
    where: [
      ...reachesInto('min_price_sort', 'min_price_sort', price),
      ...(isGiven(max) ? [] : [sql`t.min_price_sort < 'Infinity'`]),
    ],
    order: ['min_price_sort', 'id'],
  };
  if (!isGiven(min)) return [begins];
  const lower = sql`${String(min)}::numeric`;
  return [
    begins,
    {
      forEach: () =>
        sql`unnest(catalog_price_spreads() || 'Infinity'::numeric) WITH ORDINALITY AS spread (most, place)`,
      where: [
        sql`catalog_price_spread(t.min_price_sort, t.max_price_value) = (spread.place - 1)::integer`,
        sql`t.max_price_value > t.min_price_sort`,
        sql`t.min_price_sort >= ${lower} - spread.most AND t.min_price_sort < ${lower}`,
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
  const path = toProductPath(filter, sortKey);
  return rows.list('products', {
    where: toProductConditions(filter),
    sort: sortKeys[sortKey],
    reverse,
    path,
  });
}

/** The oldest product with the handle, or null: in most shops there is one. */
export async function readProductByHandle(rows: ShopRows, handle: string): Promise<ProductRow | null> {
  const list = listProducts(rows, { handle }, { sortKey: 'CREATED_AT', reverse: false });
  const { items } = await list.read({ after: undefined, before: undefined, limit: 1, backwards: false });
  return items[0] ?? null;
}

/** The shop's products among the ids, in no particular order. */
export function readProducts(rows: ShopRows, ids: readonly string[]): Promise<readonly ProductRow[]> {
  return rows.byIds('products', ids);
}

/** One product with its variants in their order (D9), or null. */
export function readProductWithVariants(rows: ShopRows, id: string) {
  return rows.productWithVariants(id);
}

/**
 * The same as the JSON text of the REST API.
 * @param held Takes a product that is too large for one text.
 * @throws ProductTooLargeError without that
 */
export async function readRawProduct(rows: ShopRows, id: string, held?: HeldProduct): Promise<RawJson | null> {
  let texts;
  try {
    texts = await rows.rawProduct(id);
  } catch (error) {
    if (held === undefined || !(error instanceof ProductTooLargeError)) throw error;
    const large = await rows.largeProduct(id);
    return large && held.hold(large);
  }
  const [product, ...variants] = texts;
  if (product === undefined) return null;
  return new RawJson(product.slice(0, -1), ',"variants":[', ...separateEntries(variants), ']}');
}
