import type { OrderFilter } from '../order/order-filter';
import { isOfGroups, toOrderConditions } from '../order/order-filter';
import type { DateTimeRange } from '../rows/condition';
import { never } from '../rows/condition';
import type { OrderGroup, OrderStatusName } from '../rows/figure-statement';
import type { ShopRows } from '../rows/shop-rows';
import type { Bucket, FigureInterval } from './calendar';
import { toBuckets } from './calendar';
import { toPieces } from './figure-pieces';
import type { OrderStatusSums, OrderSums } from './order-sums';
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
  const readGroups = (status: OrderStatusName): Promise<readonly OrderGroup[]> | readonly OrderGroup[] =>
    buckets.length === 0 || where.includes(never)
      ? []
      : isOfGroups(filter ?? {})
        ? rows.rolledUpOrderGroups(status, toPieces(interval, [from, ...cuts, to]), where)
        : rows.orderGroups(status, { from, to, cuts, where });
  const readLedgers = async (status: OrderStatusName): Promise<Ledgers> => {
    const totals = new OrderLedger();
    const ledgers = buckets.map(() => new OrderLedger());
    for (const group of await readGroups(status)) {
      totals.add(group, status);
      ledgers[group[0]]?.add(group, status);
    }
    return { totals: totals.toSums(), buckets: ledgers.map((ledger) => ledger.toSums()) };
  };

  const byCurrency = await readLedgers(undefined);
  // One statement for all buckets, whichever asks first.
  const byStatus = new Map<OrderStatusName, Promise<Ledgers>>();
  const readByStatus = (status: OrderStatusName): Promise<Ledgers> => {
    const reading = byStatus.get(status) ?? readLedgers(status);
    byStatus.set(status, reading);
    return reading;
  };
  const toSums = (pick: (ledgers: Ledgers) => LedgerSums | undefined): readonly OrderSums[] =>
    [...(pick(byCurrency) ?? [])].map(([currency, [sums]]) => ({
      ...(sums as OrderStatusSums),
      currency,
      byStatus: async (status) => pick(await readByStatus(status))?.get(currency) ?? [],
    }));
  return {
    buckets: buckets.map((bucket, index) => ({ ...bucket, currencies: toSums((ledgers) => ledgers.buckets[index]) })),
    totals: toSums(({ totals }) => totals),
  };
}

type LedgerSums = ReturnType<OrderLedger['toSums']>;

interface Ledgers {
  readonly totals: LedgerSums;
  readonly buckets: readonly LedgerSums[];
}

/** The bound of a range of a shop without orders: nothing lies before it, or after it. */
const noMoment = '0001-01-01T00:00:00.000Z';

const toNextMoment = (moment: string): string => new Date(Date.parse(moment) + 1).toISOString();
