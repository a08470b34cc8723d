import type { Sql } from '../../database/sql';
import { rawSql, sql } from '../../database/sql';
import { keptCharacters } from '../../database/sql-constants';
import type { ConditionsOf, NumberRange, ListPath, RangePath, SortKey } from '../rows/shop-list';
import {
  equals,
  sortKeysByDate,
  isGiven,
  noRow,
  one,
  toConditions,
  updatedSort,
  whereAllTags,
  whereAnyOf,
  whereAnyTag,
  whereBetween,
  whereAmong,
  whereOverlaps,
  whereSortedBetween,
  eachText,
  onlyStorable,
  splitFilter,
  toEachCutText,
  toListed,
  toRange,
} from '../rows/shop-list';
import type { RowList, ShopRows } from '../rows/shop-rows';
import type { RowOf } from '../rows/shop-tables';
import type { OrderFilter, OrderSortKey } from '../schema-inputs';
import { matchesPrivateText } from './order-privacy';

/** An order as returned by ShopRows. */
export type OrderRow = RowOf<'orders'>;

/** The orders of a list of orders, by their names in the schema (D9 for the first). */
export const sortKeys = {
  ...sortKeysByDate,
  TOTAL_PRICE: { column: 'total_price_sort', type: 'numeric', member: 'totalPrice', nullAs: 'infinity' },
} as const satisfies Record<OrderSortKey, SortKey>;

/**
 * The path to the orders that a filter selects: through the index of a status when the list is in order of creation.
 */
export function toOrderPath(filter: OrderFilter, sortKey: OrderSortKey): ListPath {
  const status = isGiven(filter.financialStatus) ? 'financialStatus' : 'fulfillmentStatus';
  const indexedBy = {
    CREATED_AT: [status, 'createdAt'] as const,
    UPDATED_AT: ['updatedAt'] as const,
    TOTAL_PRICE: ['totalPrice'] as const,
  };
  const [{ createdAt, updatedAt, totalPrice, ...indexed }, others] = splitFilter(filter, indexedBy[sortKey]);
  return {
    indexConditions: [
      ...toOrderConditions(indexed),
      ...whereSortedBetween('sort_at', createdAt),
      ...whereSortedBetween(updatedSort, updatedAt),
      ...costsBetween(totalPrice),
    ],
    filters: toOrderConditions(others),
    listedRanges: toEachCutText('order_number', withoutPrivate(filter.orderNumberIn)),
    ...(filter.skuIn ? { terms: toSkusPath(withoutPrivate(filter.skuIn)) } : {}),
    ranges: toRanges(filter),
    listed: toListed(filter),
  };
}

const toRanges = ({ createdAt, updatedAt, totalPrice }: OrderFilter): readonly RangePath[] => [
  ...toRange(whereSortedBetween(updatedSort, updatedAt), [updatedSort, 'id']),
  ...toRange(costsBetween(totalPrice), ['total_price_sort', 'id']),
  ...toRange(whereSortedBetween('sort_at', createdAt), ['sort_at', 'id']),
];

/** The sort column has an index, and contains infinity where there is no sum. */
const costsBetween = (range: NumberRange | null | undefined): Sql[] => [
  ...whereOverlaps('total_price_sort', 'total_price_sort', range),
  ...(isGiven(range?.min) && !isGiven(range?.max) ? [sql`item.total_price_sort < 'Infinity'`] : []),
];

const conditions: ConditionsOf<OrderFilter> = {
  financialStatus: (status) => equalsPublic('financial_status', status),
  financialStatusIn: (statuses) => isAnyPublicOf('financial_status', statuses),
  fulfillmentStatus: (status) => equalsPublic('fulfillment_status', status),
  fulfillmentStatusIn: (statuses) => isAnyPublicOf('fulfillment_status', statuses),
  currency: (currency) => equalsPublic('currency', currency),
  tag: (tag) => hasPublicTags(one(tag)),
  tagsAll: hasPublicTags,
  tagsAny: (tags) => whereAnyTag(withoutPrivate(tags)),
  ids: whereAmong('id'),
  externalIds: (ids) => isAnyPublicOf('external_id', ids),
  orderNumberIn: (numbers) => isAnyPublicOf('order_number', numbers),
  skuIn: (skus) => hasSkus(withoutPrivate(skus)),
  createdAt: (range) => whereBetween('created_at', range),
  updatedAt: (range) => whereBetween('updated_at', range),
  totalPrice: (range) => whereOverlaps('total_price_value', 'total_price_value', range),
};

/** Compares whole SKUs, because the index only has their beginnings. */
function hasSkus(skus: readonly string[] | null | undefined): Sql[] {
  const given = skus && onlyStorable(skus);
  if (!given) return [];
  return [
    given.length === 0
      ? noRow
      : sql`(SELECT bool_or(line.sku = ANY (${given}::text[])) FROM jsonb_to_recordset(item.line_items) AS line (sku text))`,
  ];
}

/** The orders with lines whose SKUs begin like these. */
const toSkusPath = (skus: readonly string[] | null | undefined): RangePath =>
  skus
    ? [
        {
          where: [
            sql`catalog_line_skus(item.line_items) && ARRAY(SELECT left(value, ${rawSql(String(keptCharacters))}) FROM ${eachText(skus)})`,
          ],
          order: ['shop_id'],
        },
      ]
    : [];

/** The conditions that an order must meet. */
export const toOrderConditions = (filter: OrderFilter): readonly Sql[] => toConditions(conditions, filter);

/** Whether rows of `order_figures` show which of their orders a filter selects: all or none. */
export const isKnownToFigures = (filter: OrderFilter): boolean =>
  Object.entries(filter).every(
    ([name, value]) => columnsOfFigures.has(name) || toOrderConditions({ [name]: value }).length === 0,
  );

const columnsOfFigures: ReadonlySet<string> = new Set([
  'currency',
  'financialStatus',
  'financialStatusIn',
  'fulfillmentStatus',
  'fulfillmentStatusIn',
] satisfies (keyof OrderFilter)[]);

/*
 * Values that contain an e-mail address are never returned, so they match nothing: otherwise a filter would reveal
 * whether one is stored (D25).
 */

function equalsPublic(name: string, text: string | null | undefined): Sql[] {
  return isGivenPrivate(text) ? [noRow] : equals(name, text);
}

function isAnyPublicOf(name: string, texts: readonly string[] | null | undefined): Sql[] {
  return whereAnyOf(name, withoutPrivate(texts));
}

function hasPublicTags(tags: readonly string[] | null | undefined): Sql[] {
  return tags?.some(isGivenPrivate) ? [noRow] : whereAllTags(tags);
}

const isGivenPrivate = (text: string | null | undefined): boolean =>
  typeof text === 'string' && matchesPrivateText(text);

const withoutPrivate = (texts: readonly string[] | null | undefined): readonly string[] | null | undefined =>
  texts?.filter((text) => !matchesPrivateText(text));

/** The orders of the shop that meet the filter, in the requested order. */
export function listOrders(
  rows: ShopRows,
  filter: OrderFilter,
  { sortKey, reverse }: { sortKey: OrderSortKey; reverse: boolean },
): RowList<OrderRow> {
  const path = toOrderPath(filter, sortKey);
  return rows.list('orders', { where: toOrderConditions(filter), sort: sortKeys[sortKey], reverse, path });
}
