import { sql, rawSql } from '../../database/sql';
import type { NumberRange } from '../rows/condition';
import { holdsNul, isAnyOf, isBetween, isGiven, never, reachesInto } from '../rows/condition';
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
import type { ProductFilter } from './product-filter';
import { ownVariants, toProductConditions } from './product-filter';
import type { ProductSortKey } from './product-sort-keys';
import { fitsTerm, toTermsPath } from './product-terms';

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
