import { Prisma } from '../../database/generated/client';
import type { DateTimeRange, NumberRange, TagFilter } from '../condition';
import {
  carriesTags,
  equals,
  hasIdAmong,
  isAnyOf,
  isBetween,
  isCreatedBetween,
  isGiven,
  reachesInto,
} from '../condition';
import type { ListPath, RangePath } from '../shop-list';
import { toLookUp, toRange } from '../shop-list';
import { splitFilter } from '../split-filter';

/** The argument `filter` of `orders`, as the schema describes it. */
export interface OrderFilter extends TagFilter {
  readonly financialStatus?: string | null;
  readonly financialStatusIn?: readonly string[] | null;
  readonly fulfillmentStatus?: string | null;
  readonly fulfillmentStatusIn?: readonly string[] | null;
  readonly currency?: string | null;
  readonly ids?: readonly string[] | null;
  readonly externalIds?: readonly string[] | null;
  readonly createdAt?: DateTimeRange | null;
  readonly updatedAt?: DateTimeRange | null;
  readonly totalPrice?: NumberRange | null;
}

/** The way to the orders that a filter leaves: along the index of a status when the list is in the order of creation. */
export function toOrderPath(filter: OrderFilter, isOfCreation: boolean): ListPath {
  const status = isGiven(filter.financialStatus) ? 'financialStatus' : 'fulfillmentStatus';
  const [{ createdAt, totalPrice, ...along }, rest] = splitFilter(
    filter,
    isOfCreation ? [status, 'createdAt'] : ['totalPrice'],
  );
  return {
    along: [...toOrderConditions(along), ...isCreatedBetween(createdAt), ...costsBetween(totalPrice)],
    rest: toOrderConditions(rest),
    ranges: toRanges(filter),
    lookUp: toLookUp(filter),
  };
}

const toRanges = ({ createdAt, updatedAt, totalPrice }: OrderFilter): readonly RangePath[] => [
  ...toRange(isBetween('updated_at', updatedAt), ['updated_at', 'id']),
  ...toRange(costsBetween(totalPrice), ['total_price_sort', 'id']),
  ...toRange(isCreatedBetween(createdAt), ['sort_at', 'id']),
];

/** The column for sorting has an index, and infinity where there is no sum. */
const costsBetween = (range: NumberRange | null | undefined): Prisma.Sql[] => [
  ...reachesInto('total_price_sort', 'total_price_sort', range),
  ...(isGiven(range?.min) && !isGiven(range?.max) ? [Prisma.sql`t.total_price_sort < 'Infinity'`] : []),
];

/** The conditions an order must meet. */
export function toOrderConditions(filter: OrderFilter): readonly Prisma.Sql[] {
  return [
    ...equals('financial_status', filter.financialStatus),
    ...isAnyOf('financial_status', filter.financialStatusIn),
    ...equals('fulfillment_status', filter.fulfillmentStatus),
    ...isAnyOf('fulfillment_status', filter.fulfillmentStatusIn),
    ...equals('currency', filter.currency),
    ...carriesTags(filter),
    ...hasIdAmong(filter.ids),
    ...isAnyOf('external_id', filter.externalIds),
    ...isBetween('created_at', filter.createdAt),
    ...isBetween('updated_at', filter.updatedAt),
    ...reachesInto('total_price_value', 'total_price_value', filter.totalPrice),
  ];
}
