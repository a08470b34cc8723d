import type { Sql } from '../../database/sql';
import { sql } from '../../database/sql';
import type { DateTimeRange, NumberRange, TagFilter } from '../rows/condition';
import {
  whereTags,
  equals,
  whereIdAmong,
  whereAnyOf,
  whereBetween,
  whereCreatedBetween,
  isGiven,
  whereUpdatedBetween,
  never,
  whereOverlaps,
  updatedSort,
} from '../rows/condition';
import type { ListPath, RangePath } from '../rows/shop-list';
import { splitFilter, toEachCutText, toLookUp, toRange } from '../rows/shop-list';
import { matchesPrivateText } from './order-privacy';
import type { OrderSortKey } from './order-sort-keys';

/** The argument `filter` of `orders`, as the schema describes it. */
export interface OrderFilter extends TagFilter {
  readonly financialStatus?: string | null;
  readonly financialStatusIn?: readonly string[] | null;
  readonly fulfillmentStatus?: string | null;
  readonly fulfillmentStatusIn?: readonly string[] | null;
  readonly currency?: string | null;
  readonly ids?: readonly string[] | null;
  readonly externalIds?: readonly string[] | null;
  readonly orderNumberIn?: readonly string[] | null;
  readonly createdAt?: DateTimeRange | null;
  readonly updatedAt?: DateTimeRange | null;
  readonly totalPrice?: NumberRange | null;
}

/**
 * The path to the orders that a filter selects: through the index of a status when the list is in order of creation.
 */
export function toOrderPath(filter: OrderFilter, sortKey: OrderSortKey): ListPath {
  const status = isGiven(filter.financialStatus) ? 'financialStatus' : 'fulfillmentStatus';
  const alongKey = {
    CREATED_AT: [status, 'createdAt'] as const,
    UPDATED_AT: ['updatedAt'] as const,
    TOTAL_PRICE: ['totalPrice'] as const,
  };
  const [{ createdAt, updatedAt, totalPrice, ...along }, rest] = splitFilter(filter, alongKey[sortKey]);
  return {
    along: [
      ...toOrderConditions(along),
      ...whereCreatedBetween(createdAt),
      ...whereUpdatedBetween(updatedAt),
      ...costsBetween(totalPrice),
    ],
    rest: toOrderConditions(rest),
    named: toEachCutText('order_number', withoutPrivate(filter.orderNumberIn)),
    ranges: toRanges(filter),
    lookUp: toLookUp(filter),
  };
}

const toRanges = ({ createdAt, updatedAt, totalPrice }: OrderFilter): readonly RangePath[] => [
  ...toRange(whereUpdatedBetween(updatedAt), [updatedSort, 'id']),
  ...toRange(costsBetween(totalPrice), ['total_price_sort', 'id']),
  ...toRange(whereCreatedBetween(createdAt), ['sort_at', 'id']),
];

/** The sort column has an index, and contains infinity where there is no sum. */
const costsBetween = (range: NumberRange | null | undefined): Sql[] => [
  ...whereOverlaps('total_price_sort', 'total_price_sort', range),
  ...(isGiven(range?.min) && !isGiven(range?.max) ? [sql`item.total_price_sort < 'Infinity'`] : []),
];

/** The conditions that an order must meet. */
export function toOrderConditions(filter: OrderFilter): readonly Sql[] {
  return [
    ...equalsPublic('financial_status', filter.financialStatus),
    ...isAnyPublicOf('financial_status', filter.financialStatusIn),
    ...equalsPublic('fulfillment_status', filter.fulfillmentStatus),
    ...isAnyPublicOf('fulfillment_status', filter.fulfillmentStatusIn),
    ...equalsPublic('currency', filter.currency),
    ...carriesPublicTags(filter),
    ...whereIdAmong(filter.ids),
    ...isAnyPublicOf('external_id', filter.externalIds),
    ...isAnyPublicOf('order_number', filter.orderNumberIn),
    ...whereBetween('created_at', filter.createdAt),
    ...whereBetween('updated_at', filter.updatedAt),
    ...whereOverlaps('total_price_value', 'total_price_value', filter.totalPrice),
  ];
}

/** Whether rows of `order_figures` show which of their orders a filter selects: all or none. */
export const isKnownToFigures = (filter: OrderFilter): boolean =>
  Object.entries(filter).every(([name, value]) => !isGiven(value) || columnsOfFigures.has(name));

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

const equalsPublic = (name: string, text: string | null | undefined): Sql[] =>
  isGivenPrivate(text) ? [never] : equals(name, text);

const isAnyPublicOf = (name: string, texts: readonly string[] | null | undefined): Sql[] =>
  whereAnyOf(name, withoutPrivate(texts));

const carriesPublicTags = ({ tag, tagsAll, tagsAny }: TagFilter): Sql[] =>
  [tag, ...(tagsAll ?? [])].some(isGivenPrivate)
    ? [never]
    : whereTags({ tag: tag ?? null, tagsAll: tagsAll ?? null, tagsAny: withoutPrivate(tagsAny) ?? null });

const isGivenPrivate = (text: string | null | undefined): boolean =>
  typeof text === 'string' && matchesPrivateText(text);

const withoutPrivate = (texts: readonly string[] | null | undefined): readonly string[] | null | undefined =>
  texts?.filter((text) => !matchesPrivateText(text));
