import DataLoader from 'dataloader';
import type { WorkTurns } from '../../event-loop-turns';
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
  turns: WorkTurns,
): Promise<OrderFigures> {
  // A default bound must come from the data, never from a clock: answers are kept until the data change.
  const extent = range?.from && range.to ? undefined : await rows.orderExtent();
  const from = range?.from ?? extent?.first ?? noMoment;
  const to = range?.to ?? (extent?.last ? toNextMoment(extent.last) : noMoment);
  const buckets = toBuckets(interval, timeZone, from, to);
  const { createdAt, ...others } = filter ?? {};
  const where = toOrderConditions(others);
  const bounds = [from, ...buckets.slice(1).map(({ start }) => start), to].map((bound) => clip(bound, createdAt));
  const pieces = isOfGroups(others) ? toPieces(interval, bounds) : undefined;
  const readGroups = (statuses: readonly OrderStatusName[]): Promise<readonly OrderGroup[]> | readonly OrderGroup[] =>
    buckets.length === 0 || where.includes(never)
      ? []
      : pieces
        ? rows.rolledUpOrderGroups(statuses, pieces, where)
        : rows.orderGroups(statuses, bounds, where);
  const readSums = async (statuses: readonly OrderStatusName[]): Promise<readonly SumsOfRange[]> => {
    const ledgers = (statuses.length === 0 ? [undefined] : statuses).map((status) => ({
      totals: new OrderLedger(status),
      buckets: buckets.map(() => new OrderLedger(status)),
    }));
    for (const group of await readGroups(statuses)) {
      await turns.take(1);
      const [bucket, , by] = group;
      (bucket === null ? ledgers[by]?.totals : ledgers[by]?.buckets[bucket])?.add(group);
    }
    return ledgers.map(({ totals, buckets }) => ({
      totals: totals.toSums(),
      buckets: buckets.map((ledger) => ledger.toSums()),
    }));
  };

  const [byCurrency] = await readSums([]);
  // One statement for all buckets and both statuses.
  const byStatus = new DataLoader(readSums);
  const toSums = (pick: (sums: SumsOfRange) => SumsByCurrency | undefined): readonly OrderSums[] =>
    [...((byCurrency && pick(byCurrency)) ?? [])].map(([currency, [sums]]) => ({
      ...(sums as OrderStatusSums),
      currency,
      byStatus: async (status) => pick(await byStatus.load(status))?.get(currency) ?? [],
    }));
  return {
    buckets: buckets.map((bucket, index) => ({ ...bucket, currencies: toSums((sums) => sums.buckets[index]) })),
    totals: toSums(({ totals }) => totals),
  };
}

type SumsByCurrency = ReturnType<OrderLedger['toSums']>;

interface SumsOfRange {
  readonly totals: SumsByCurrency;
  readonly buckets: readonly SumsByCurrency[];
}

/** The nearest timestamp that a range contains. Timestamps are written alike, so their order is that of their texts. */
function clip(moment: string, range: DateTimeRange | null | undefined): string {
  const notBefore = range?.from && moment < range.from ? range.from : moment;
  return range?.to && notBefore > range.to ? range.to : notBefore;
}

/** The bound of a range of a shop without orders: nothing lies before it, or after it. */
const noMoment = '0001-01-01T00:00:00.000Z';

const toNextMoment = (moment: string): string => new Date(Date.parse(moment) + 1).toISOString();
