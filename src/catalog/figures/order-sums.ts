import { orderRedaction } from '../order/order-privacy';
import type { OrderGroup, OrderGrouping, OrderStatusName } from '../rows/figure-statement';

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

/** Orders in one currency, and the same orders by the statuses that were asked for. */
export interface OrderSums extends Sums, Partial<Readonly<Record<StatusList, readonly OrderStatusSums[]>>> {
  readonly currency: string | null;
}

/** The fields that group orders by a status. */
export type StatusList = keyof typeof statusOfList;

export const statusOfList = {
  financialStatuses: 'financialStatus',
  fulfillmentStatuses: 'fulfillmentStatus',
} as const satisfies Readonly<Record<string, OrderStatusName>>;

export const statusLists = Object.keys(statusOfList) as readonly StatusList[];

/** Collects the groups of one grouping, by currency. */
export class OrderLedger {
  readonly #currencies = new Map<string | null, OrderStatusSums[]>();

  constructor(readonly grouping: OrderGrouping) {}

  add([, currency, , text, count, totalPrice, totalTax, totalShipping]: OrderGroup): void {
    const status = this.grouping === null ? null : toShown(this.grouping, text);
    const sums = { status, count, totalPrice, totalTax, totalShipping };
    const found = this.#currencies.get(currency);
    if (found === undefined) this.#currencies.set(currency, [sums]);
    else insert(found, sums);
  }

  /** Orders without a currency last; the most frequent status first. */
  toSums(): ReadonlyMap<string | null, readonly OrderStatusSums[]> {
    for (const statuses of this.#currencies.values())
      statuses.sort((a, b) => b.count - a.count || compareTexts(a.status, b.status));
    return new Map([...this.#currencies].sort(([a], [b]) => compareTexts(a, b)));
  }
}

/** A status with an e-mail address does not leave in figures either (D25). */
const toShown = (member: OrderStatusName, status: string | null): string | null =>
  status === null ? null : (orderRedaction.members[member]?.(status as never, '') as string | null);

/** Groups differ in what is shown of their status, unless that is nothing. */
function insert(statuses: OrderStatusSums[], sums: OrderStatusSums): void {
  const index = sums.status === null ? statuses.findIndex(({ status }) => status === null) : -1;
  const same = statuses[index];
  if (same === undefined) statuses.push(sums);
  else
    statuses[index] = {
      status: null,
      count: same.count + sums.count,
      totalPrice: addDecimals(same.totalPrice, sums.totalPrice),
      totalTax: addDecimals(same.totalTax, sums.totalTax),
      totalShipping: addDecimals(same.totalShipping, sums.totalShipping),
    };
}

/** Exactly, with as many decimal places as the longer of the two. */
function addDecimals(one: string, other: string): string {
  const places = Math.max(countPlaces(one), countPlaces(other));
  const sum = toUnits(one, places) + toUnits(other, places);
  const digits = String(sum < 0n ? -sum : sum).padStart(places + 1, '0');
  const point = digits.length - places;
  return `${sum < 0n ? '-' : ''}${digits.slice(0, point)}${places > 0 ? `.${digits.slice(point)}` : ''}`;
}

const countPlaces = (decimal: string): number => (decimal.split('.')[1] ?? '').length;

function toUnits(decimal: string, places: number): bigint {
  const [whole = '', fraction = ''] = decimal.split('.');
  return BigInt(whole + fraction.padEnd(places, '0'));
}

/** Null comes last. */
const compareTexts = (a: string | null, b: string | null): number =>
  a === b ? 0 : a === null ? 1 : b === null ? -1 : a < b ? -1 : 1;
