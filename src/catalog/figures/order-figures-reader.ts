import type { OrderFilter } from '../order/order-filter';
import { toOrderConditions } from '../order/order-filter';
import type { DateTimeRange } from '../rows/condition';
import { never } from '../rows/condition';
import type { ShopRows } from '../rows/shop-rows';
import type { Bucket, FigureInterval } from './calendar';
import { toBuckets } from './calendar';
import type { OrderSums } from './order-sums';
import { OrderLedger } from './order-sums';

/** Orders by time and currency. */
export interface OrderFigures {
  readonly buckets: readonly (Bucket & { readonly currencies: readonly OrderSums[] })[];
  readonly totals: readonly OrderSums[];
}

interface OrderFiguresRequest {
  readonly interval: FigureInterval;
  readonly timeZone: string;
  readonly range?: DateTimeRange | null;
  readonly filter?: OrderFilter | null;
}

/**
 * Counts and sums up the orders of a range.
 * @throws ApiError BAD_USER_INPUT for a time zone that does not exist or too many buckets
 */
export async function readOrderFigures(
  rows: ShopRows,
  { interval, timeZone, range, filter }: OrderFiguresRequest,
): Promise<OrderFigures> {
  // A default bound must come from the data, never from a clock: answers are kept until the data change.
  const extent = range?.from && range.to ? undefined : await rows.orderExtent();
  const from = range?.from ?? extent?.first ?? noMoment;
  const to = range?.to ?? (extent?.last ? toNextMoment(extent.last) : noMoment);
  const buckets = toBuckets(interval, timeZone, from, to);
  const where = toOrderConditions(filter ?? {});
  const cuts = buckets.slice(1).map(({ start }) => start);
  const groups = buckets.length === 0 || where.includes(never) ? [] : await rows.orderGroups({ from, to, cuts, where });
  const totals = new OrderLedger();
  const ledgers = buckets.map(() => new OrderLedger());
  for (const group of groups) {
    totals.add(group);
    ledgers[group[0]]?.add(group);
  }
  return {
    buckets: buckets.map((bucket, index) => ({ ...bucket, currencies: ledgers[index]?.toSums() ?? [] })),
    totals: totals.toSums(),
  };
}

/** The bound of a range of a shop without orders: nothing lies before it, or after it. */
const noMoment = '0001-01-01T00:00:00.000Z';

const toNextMoment = (moment: string): string => new Date(Date.parse(moment) + 1).toISOString();
