import { removeAddresses } from '../../privacy/addresses';
import { ApiError } from '../../errors/api-error';
import type { WorkPauses } from '../../common/fair-queue';
import { isKnownToFigures, toOrderConditions, toOrderPath } from '../order/order';
import type { DateTimeRange, OrderFilter } from '../schema-inputs';
import { noRow } from '../rows/shop-list';
import type { BucketGroups, OrderGrouping, OrderStatusName } from '../rows/figure-statement';
import { maximumOrders, toOrdersWithin, wholeRange } from '../rows/figure-statement';
import type { RangePath } from '../rows/shop-list';
import type { ShopRows } from '../rows/shop-rows';
import type { Bucket, FigureInterval } from './calendar';
import { requireTimeZone, toBuckets } from './calendar';
import { toSections } from './figure-segments';
import type { OrderStatusSums, OrderSums, PublicStatus, StatusList, SumsByCurrency } from './order-sums';
import { statusOfList, toPublicStatuses, toSumsByCurrency } from './order-sums';

/** Orders by time and currency. */
export interface OrderFigures {
  readonly buckets: readonly (Bucket & { readonly currencies: readonly OrderSums[] })[];
  readonly totals: readonly OrderSums[];
  products(given: { readonly first: number; readonly sortKey: 'UNITS' | 'REVENUE' }): Promise<readonly ProductSales[]>;
}

/** The lines of orders with one product, in one currency. */
export interface ProductSales {
  readonly currency: string | null;
  readonly externalId: string | null;
  readonly sku: string | null;
  readonly title: string | null;
  readonly units: number;
  readonly revenue: string;
}

/** The maximum page size. */
const maximumSales = 200;

interface OrderFiguresRequest {
  readonly interval: FigureInterval;
  readonly timeZone: string;
  readonly range?: DateTimeRange | null;
  readonly filter?: OrderFilter | null;
}

/**
 * Counts and sums up the orders of a range. A range that is open at its start has the newest buckets that fit in one
 * response; totals cover the whole range.
 * @param statusLists the statuses to group by as well
 * @param hasBuckets whether to group by time as well; totals alone have no limit
 * @throws ApiError BAD_USER_INPUT for a time zone that does not exist, too many buckets, or too many orders to read one
 * by one
 */
export async function readOrderFigures(
  rows: ShopRows,
  { interval, timeZone, range, filter }: OrderFiguresRequest,
  pauses: WorkPauses,
  statusLists: readonly StatusList[],
  hasBuckets = true,
): Promise<OrderFigures> {
  // A default bound must come from the data, never from a clock: responses are cached until the data changes. So "now"
  // is the last change of the data.
  const extent = range?.from && range.to ? undefined : await rows.figures.orderExtent();
  const from = range?.from ?? extent?.first ?? noMoment;
  const to = range?.to ?? (extent?.last ? toNextMoment(extent.last) : noMoment);
  requireTimeZone(timeZone);
  const buckets = hasBuckets ? toBuckets(interval, timeZone, from, to, !range?.from) : [];
  const { createdAt, ...conditions } = filter ?? {};
  const where = toOrderConditions(conditions);
  const starts = buckets.map(({ start }) => start);
  /** The number of sections before the first bucket: one if the range begins before the buckets. */
  const before = from < (starts[0] ?? from) ? 1 : 0;
  const bounds = [from, ...starts.slice(1 - before), to].map((bound) => clip(bound, createdAt));
  const ends = [from, to].map((bound) => clip(bound, createdAt));
  const isEmpty = from >= to || where.includes(noRow);
  const path = isEmpty || isKnownToFigures(conditions) ? undefined : await choosePath(rows, conditions, bounds);

  // The sums by currency are those of the first grouping, added up.
  const groupings: readonly OrderGrouping[] =
    statusLists.length > 0 ? statusLists.map((list) => statusOfList[list]) : [null];
  const groups = isEmpty
    ? []
    : await (path
        ? rows.figures.orderGroups(groupings, path, bounds, where)
        : rows.figures.rolledUpOrderGroups(
            groupings,
            {
              ofBuckets: toSections(interval, buckets.length === 0 ? [] : bounds.slice(before)),
              ofWholeRange: toSections('MONTH', ends),
            },
            where,
          ));
  const sumUp = async (own: readonly BucketGroups[] = [], toPublic: PublicStatus) => {
    const sums = new Map<number, SumsByCurrency>();
    for (const [bucket, groupsOfBucket] of own) {
      await pauses.take(groupsOfBucket.length);
      sums.set(bucket, toSumsByCurrency(groupsOfBucket, toPublic));
    }
    return sums;
  };
  const sumUpStatuses = (status: OrderStatusName) => sumUp(groups[groupings.indexOf(status)], toPublicStatuses(status));
  const byCurrency = await sumUp(groups[0], () => null);
  const byFinancial = await sumUpStatuses('financialStatus');
  const byFulfillment = await sumUpStatuses('fulfillmentStatus');
  const toSums = (bucket: number): readonly OrderSums[] =>
    [...(byCurrency.get(bucket) ?? [])].map(([currency, [sums]]) => ({
      ...(sums as OrderStatusSums),
      currency,
      financialStatuses: byFinancial.get(bucket)?.get(currency) ?? [],
      fulfillmentStatuses: byFulfillment.get(bucket)?.get(currency) ?? [],
    }));
  return {
    buckets: buckets.map((bucket, index) => ({ ...bucket, currencies: toSums(path ? index + before : index) })),
    totals: toSums(wholeRange),
    async products(given) {
      if (given.first < 0 || given.first > maximumSales) {
        const expected = `expected an integer from 0 to ${maximumSales}`;
        throw new ApiError('BAD_USER_INPUT', `first: ${expected}, got ${given.first}.`);
      }
      if (isEmpty) return [];
      const sold = await rows.figures.sales(path ?? (await choosePath(rows, conditions, ends)), ends, where, given);
      return sold.map(([currency, ...texts]) => {
        const [externalId = null, sku = null, title = null] = texts
          .slice(0, 3)
          .map((text) => (text === null ? null : removeAddresses(String(text))));
        return {
          currency,
          externalId,
          sku,
          title,
          units: texts[3],
          revenue: texts[4],
        };
      });
    },
  };
}

/**
 * A path to few enough orders: those that the filter lists, otherwise those in the range, or in another range of the
 * filter.
 * @throws ApiError BAD_USER_INPUT when each leads to too many
 */
async function choosePath(rows: ShopRows, filter: OrderFilter, bounds: readonly string[]): Promise<RangePath> {
  const { listed, listedRanges = [], ranges = [] } = toOrderPath(filter, 'CREATED_AT');
  for (const path of [...(listed ? [listed] : listedRanges), toOrdersWithin(bounds), ...ranges]) {
    if ((await rows.figures.orderCount(path, maximumOrders)) <= maximumOrders) return path;
  }
  throw new ApiError(
    'BAD_USER_INPUT',
    `range: expected at most ${maximumOrders} orders for sales by product and for filters other than status, currency and createdAt, got more. Use a shorter range.`,
  );
}

/** The nearest timestamp that a range contains. Timestamps are written alike, so their order is that of their texts. */
function clip(moment: string, range: DateTimeRange | null | undefined): string {
  const notBefore = range?.from && moment < range.from ? range.from : moment;
  return range?.to && notBefore > range.to ? range.to : notBefore;
}

/** The bound of a range for a shop without orders. */
const noMoment = '0001-01-01T00:00:00.000Z';

const toNextMoment = (moment: string): string => new Date(Date.parse(moment) + 1).toISOString();
