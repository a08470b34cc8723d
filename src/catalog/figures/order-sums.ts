import { addExactly } from '../../common/exact-decimals';
import { getOrMake } from '../../common/once';
import { orderRedaction } from '../order/order-privacy';
import type { OrderGroup, OrderStatusName } from '../rows/figure-statement';

/** Orders counted and summed up, amounts as decimals. */
interface Sums {
  readonly count: number;
  readonly totalPrice: string;
  readonly totalTax: string;
  readonly totalShipping: string;
}

/** Orders in one currency and status. */
export interface OrderStatusSums extends Sums {
  readonly status: string | null;
}

/** Orders in one currency, and the same orders by the requested statuses; the other lists are empty. */
export interface OrderSums extends Sums, Readonly<Record<StatusList, readonly OrderStatusSums[]>> {
  readonly currency: string | null;
}

/** The fields that group orders by a status. */
export type StatusList = keyof typeof statusOfList;

export const statusOfList = {
  financialStatuses: 'financialStatus',
  fulfillmentStatuses: 'fulfillmentStatus',
} as const satisfies Readonly<Record<string, OrderStatusName>>;

export const statusLists = Object.keys(statusOfList) as readonly StatusList[];

/**
 * By currency, orders without one last; then by status, most frequent first. Without a grouping, the status is null.
 */
export type SumsByCurrency = ReadonlyMap<string | null, readonly OrderStatusSums[]>;

/** @param toPublic what is shown of a status, from `toPublicStatuses` */
export function toSumsByCurrency(groups: readonly OrderGroup[], toPublic: PublicStatus): SumsByCurrency {
  const currencies = new Map<string | null, Map<string | null, OrderStatusSums>>();
  for (const [currency, text, count, totalPrice, totalTax, totalShipping] of groups) {
    const statuses = getOrMake(currencies, currency, () => new Map<string | null, OrderStatusSums>());
    const status = toPublic(text);
    const sums = { status, count, totalPrice, totalTax, totalShipping };
    const same = statuses.get(status);
    statuses.set(status, same === undefined ? sums : add(same, sums));
  }
  return new Map(
    [...currencies]
      .sort(([a], [b]) => compareTexts(a, b))
      .map(([currency, statuses]) => [
        currency,
        [...statuses.values()].sort((a, b) => b.count - a.count || compareTexts(a.status, b.status)),
      ]),
  );
}

export type PublicStatus = (status: string | null) => string | null;

/** Public values of a grouping's statuses. Each text is inspected once. */
export function toPublicStatuses(grouping: OrderStatusName): PublicStatus {
  const publicStatuses = new Map<string, string | null>();
  return (status) => {
    if (status === null) return null;
    let own = publicStatuses.get(status);
    if (own === undefined) publicStatuses.set(status, (own = toPublic(grouping, status)));
    return own;
  };
}

/** A status with an e-mail address must not appear in figures either (D25). */
const toPublic = (member: OrderStatusName, status: string): string | null =>
  orderRedaction.members[member]?.(status as never, '') as string | null;

const add = (one: OrderStatusSums, other: OrderStatusSums): OrderStatusSums => ({
  status: one.status,
  count: one.count + other.count,
  totalPrice: addExactly(one.totalPrice, other.totalPrice),
  totalTax: addExactly(one.totalTax, other.totalTax),
  totalShipping: addExactly(one.totalShipping, other.totalShipping),
});

/** Null comes last. */
const compareTexts = (a: string | null, b: string | null): number =>
  a === b ? 0 : a === null ? 1 : b === null ? -1 : a < b ? -1 : 1;
