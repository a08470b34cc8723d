import type { Prisma } from '../../database/generated/client';
import type { DateTimeRange, NumberRange, TagFilter } from '../condition';
import { carriesTags, equals, hasIdAmong, isAnyOf, isBetween, isGiven, reachesInto } from '../condition';
import type { ListPath } from '../shop-list';
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
  const [along, rest] = splitFilter(filter, isOfCreation ? [status] : []);
  return {
    along: toOrderConditions(along),
    rest: toOrderConditions(rest),
    isLookUp: isGiven(filter.ids) || isGiven(filter.externalIds),
  };
}

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
