import { ApiError } from '../../errors/api-error';
import type { WorkTurns } from '../../event-loop-turns';
import type { OrderFilter } from '../order/order-filter';
import { isOfGroups, toOrderConditions, toOrderPath } from '../order/order-filter';
import type { DateTimeRange } from '../rows/condition';
import { never } from '../rows/condition';
import type { OrderGrouping } from '../rows/figure-statement';
import { maximumOrders, toOrdersWithin } from '../rows/figure-statement';
import type { RangePath } from '../rows/shop-list';
import type { ShopRows } from '../rows/shop-rows';
import type { Bucket, FigureInterval } from './calendar';
import { toBuckets } from './calendar';
import { toPieces } from './figure-pieces';
import type { OrderStatusSums, OrderSums, StatusList } from './order-sums';
import { OrderLedger, statusOfList } from './order-sums';

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
 * @param statusLists the statuses that they are grouped by as well
 * @throws ApiError BAD_USER_INPUT for a time zone that does not exist, too many buckets, or too many orders to read one by one
 */
export async function readOrderFigures(
  rows: ShopRows,
  { interval, timeZone, range, filter }: OrderFiguresRequest,
  turns: WorkTurns,
  statusLists: readonly StatusList[],
): Promise<OrderFigures> {
  // A default bound must come from the data, never from a clock: answers are kept until the data change.
  const extent = range?.from && range.to ? undefined : await rows.orderExtent();
  const from = range?.from ?? extent?.first ?? noMoment;
  const to = range?.to ?? (extent?.last ? toNextMoment(extent.last) : noMoment);
  const buckets = toBuckets(interval, timeZone, from, to);
  const { createdAt, ...conditions } = filter ?? {};
  const where = toOrderConditions(conditions);
  const bounds = [from, ...buckets.slice(1).map(({ start }) => start), to].map((bound) => clip(bound, createdAt));
  const pieces = isOfGroups(conditions) ? toPieces(interval, bounds) : undefined;
  const isEmpty = buckets.length === 0 || where.includes(never);
  const path = isEmpty || pieces ? undefined : await choosePath(rows, conditions, bounds);
  const readSums = async (groupings: readonly OrderGrouping[]): Promise<readonly SumsOfRange[]> => {
    const groups = path
      ? await rows.orderGroups(groupings, path, bounds, where)
      : pieces && !isEmpty
        ? await rows.rolledUpOrderGroups(groupings, pieces, where)
        : [];
    const ledgers = groupings.map((grouping) => ({
      totals: new OrderLedger(grouping),
      buckets: buckets.map(() => new OrderLedger(grouping)),
    }));
    for (const group of groups) {
      await turns.take(1);
      const [bucket, , grouping] = group;
      (bucket === null ? ledgers[grouping]?.totals : ledgers[grouping]?.buckets[bucket])?.add(group);
    }
    return ledgers.map(({ totals, buckets }) => ({
      totals: totals.toSums(),
      buckets: buckets.map((ledger) => ledger.toSums()),
    }));
  };

  // Each status is summed up by a statement of its own, at the same time: they have few rows in common but those that they read.
  const [first, ...others] = statusLists.map((list) => statusOfList[list]);
  const [[byCurrency, ...firstSums], ...otherSums] = await Promise.all([
    readSums(first ? [null, first] : [null]),
    ...others.map((status) => readSums([status])),
  ]);
  const byStatus = [...firstSums, ...otherSums.flat()];
  const toSums = (pick: (sums: SumsOfRange) => SumsByCurrency | undefined): readonly OrderSums[] =>
    [...((byCurrency && pick(byCurrency)) ?? [])].map(([currency, [sums]]) => ({
      ...(sums as OrderStatusSums),
      currency,
      ...Object.fromEntries(
        statusLists.map((list, index) => [list, (byStatus[index] && pick(byStatus[index])?.get(currency)) ?? []]),
      ),
    }));
  return {
    buckets: buckets.map((bucket, index) => ({ ...bucket, currencies: toSums((sums) => sums.buckets[index]) })),
    totals: toSums(({ totals }) => totals),
  };
}

/**
 * A path to few enough orders: those that the filter lists, otherwise those of the range, or of another range of the filter.
 * @throws ApiError BAD_USER_INPUT when each leads to too many
 */
async function choosePath(rows: ShopRows, filter: OrderFilter, bounds: readonly string[]): Promise<RangePath> {
  const { lookUp, named = [], ranges = [] } = toOrderPath(filter, 'CREATED_AT');
  for (const path of [...(lookUp ? [lookUp] : named), toOrdersWithin(bounds), ...ranges]) {
    if ((await rows.orderCount(path, maximumOrders)) <= maximumOrders) return path;
  }
  throw new ApiError(
    'BAD_USER_INPUT',
    `filter: expected at most ${maximumOrders} orders in the range, because for conditions other than statuses, currency and createdAt each of them is read. Ask for a shorter range.`,
  );
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
