import type { Sql } from '../../database/sql';
import { sql, rawSql, joinSql } from '../../database/sql';
import { keptCharacters } from '../../database/sql-constants';
import { and, isSeen, ofShop, whereVisible } from './page-statement';
import type { RangePath } from './shop-list';
import { toRangeRows } from './shop-list';

/** A section of time next to a bound of buckets, read as rows of `order_figures` or order by order. */
export interface OrderSegment {
  /** The hours that each row of `order_figures` covers; 0 for the orders themselves. */
  readonly hours: number;
  readonly from: string;
  /** Not included. */
  readonly to: string;
  /** -1 subtracts its orders from the bucket that ends at the bound, and adds them to the next one. */
  readonly sign: 1 | -1;
}

/**
 * How consecutive buckets are read: each as the rows of one length between the marks of its bounds, plus the segments
 * of its end and minus those of its start.
 */
export interface BucketSections {
  readonly hours: number;
  /** For each bound, the nearest start of such a row. */
  readonly marks: readonly string[];
  /** For each bound, what lies between its mark and the bound. */
  readonly segments: readonly (readonly OrderSegment[])[];
}

export interface OrderSections {
  readonly ofBuckets: BucketSections;
  /** One bucket. */
  readonly ofWholeRange: BucketSections;
}

/** The statuses by which orders can be grouped, in addition to bucket and currency. */
export type OrderStatusName = 'financialStatus' | 'fulfillmentStatus';

/** How orders are grouped in addition to bucket and currency: by a status, or not. */
export type OrderGrouping = OrderStatusName | null;

/**
 * Orders with the same bucket, currency and, with a grouping, status; the sums are decimals with as many places as the
 * longest of their amounts. Several groups may have the same values.
 */
export type OrderGroup = readonly [
  currency: string | null,
  status: string | null,
  count: number,
  totalPrice: string,
  totalTax: string,
  totalShipping: string,
];

/** The groups of a bucket, by its index, or of the whole range. */
export type BucketGroups = readonly [bucket: number, groups: readonly OrderGroup[]];

/** The number of the bucket that is the whole range. */
export const wholeRange = -1;

/** The most orders that are read one by one: reading this many takes a quarter of the statement timeout. */
export const maximumOrders = 100_000;

/** The column of the statements here. */
export const figureColumns = ['figure'] as const;

const isWithin = (bounds: readonly string[]): Sql =>
  sql`item.sort_at >= ${bounds[0] ?? null}::timestamptz AND item.sort_at < ${bounds.at(-1) ?? null}::timestamptz`;

/** The orders between the first and the last of some timestamps. */
export const toOrdersWithin = (bounds: readonly string[]): RangePath => [
  { where: [isWithin(bounds)], order: ['sort_at', 'id'] },
];

const ordersOf = (shop: Sql) => ({ table: rawSql('orders'), shop, ofShop: ofShop('orders', shop) });

/** The number of orders on a path, as text; counting stops at `most` + 1. */
export const toOrderCount = (shop: Sql, path: RangePath, most: number): Sql =>
  sql`SELECT count(*)::text FROM (${toRangeRows(ordersOf(shop), path, sql`${most + 1}::integer`)}) AS item`;

/**
 * Orders by bucket, currency and grouping, read one by one.
 * @param path leads to all of them, and perhaps to others
 * @param bounds where the buckets begin, and where the last one ends
 */
export const toOrderGroups = (
  shop: Sql,
  grouping: OrderGrouping,
  path: RangePath,
  bounds: readonly string[],
  where: readonly Sql[],
): Sql => sql`
  WITH cell AS MATERIALIZED (
    SELECT *, greatest(scale(price), scale(tax), scale(shipping)) AS places
      FROM (SELECT width_bucket(item.sort_at, ${bounds.slice(1, -1)}::timestamptz[]) AS bucket, item.currency, ${statusOf(grouping)} AS status,
                   count(*) AS orders, coalesce(sum(${ofOrder.price}), 0) AS price, coalesce(sum(${ofOrder.tax}), 0) AS tax,
                   coalesce(sum(${ofOrder.shipping}), 0) AS shipping
              FROM (${toRangeRows(ordersOf(shop), path)}) AS item
             WHERE ${and([isWithin(bounds), ...where])}
             GROUP BY 1, 2, 3) AS summed)
  SELECT ${toFigure(sql`bucket`)} FROM cell GROUP BY bucket
   UNION ALL
  SELECT ${toFigure(noBucket)}
    FROM (SELECT currency, status, sum(orders) AS orders, sum(price) AS price, sum(tax) AS tax, sum(shipping) AS shipping, max(places) AS places
            FROM cell GROUP BY 1, 2) AS cell`;

/** Lines of orders by currency and product, units and revenue; amounts as text. */
export type SalesGroup = readonly [
  currency: string | null,
  externalId: string | null,
  sku: string | null,
  title: string | null,
  units: number,
  revenue: string,
];

/** The best-selling products among the orders on a path, read one by one. */
export const toSales = (
  shop: Sql,
  path: RangePath,
  bounds: readonly string[],
  where: readonly Sql[],
  { first, sortKey }: { readonly first: number; readonly sortKey: 'UNITS' | 'REVENUE' },
): Sql => sql`
  SELECT json_build_array(currency, external_id, sku, title, units, revenue::text)::text AS figure
    FROM (SELECT item.currency, line.external_id, min(line.sku) AS sku, min(line.title) AS title,
                 sum(line.quantity) AS units, coalesce(sum(line.total::numeric), 0) AS revenue
            FROM (${toRangeRows(ordersOf(shop), path)}) AS item
           CROSS JOIN LATERAL (
                 SELECT title, quantity, total, nullif(sku, '') AS sku, nullif(product_external_id, '') AS external_id
                   FROM jsonb_to_recordset(item.line_items)
                     AS given (title text, sku text, quantity numeric, total text, product_external_id text)) AS line
           WHERE ${and([isWithin(bounds), ...where])}
           GROUP BY item.currency, line.external_id, CASE WHEN line.external_id IS NULL THEN line.sku END,
                    CASE WHEN coalesce(line.external_id, line.sku) IS NULL THEN line.title END) AS sold
   ORDER BY ${rawSql(sortKey.toLowerCase())} DESC, currency, external_id, sku, title LIMIT ${first}::integer`;

/**
 * The same, from rollups wherever they fit. Segments are added up once for each bound. Each bucket is summed
 * separately, because a hash table of the groups of all buckets would not fit in the processor's cache.
 * @param where conditions on columns that `order_figures` has too
 */
export function toRolledUpGroups(
  shop: Sql,
  grouping: OrderGrouping,
  { ofBuckets, ofWholeRange }: OrderSections,
  where: readonly Sql[],
): Sql {
  const bounds = [...toBounds(ofBuckets, (index) => index), ...toBounds(ofWholeRange, () => wholeRange)];
  const ofBound = (name: keyof Bound, type: string) => sql`${bounds.map((bound) => bound[name])}::${rawSql(type)}[]`;
  const segments = bounds.flatMap((bound) => bound.segments);
  const ofSegments = (name: keyof OrderSegment, type: string) =>
    sql`(${segments.map((segment) => segment[name])}::${rawSql(type)}[])[bound.first:bound.last]`;
  let last = 0;
  const lasts = bounds.map((bound) => (last += bound.segments.length));
  const firsts = bounds.map((bound, index) => (lasts[index] as number) - bound.segments.length + 1);
  const signed = (amount: string) =>
    rawSql(`sum(CASE segment.sign WHEN 1 THEN item.${amount} ELSE -item.${amount} END) AS ${amount}`);
  const rolledUp = (section: Sql) => sql`
    SELECT item.currency, ${statusOf(grouping)} AS status, item.places, item.orders, item.total_price AS price, item.total_tax AS tax, item.total_shipping AS shipping
      FROM order_figures AS item WHERE ${and([sql`item.shop_id = ${shop}`, section, ...where])}`;
  return sql`
    WITH bound AS MATERIALIZED (
      SELECT bound.bucket, bound.hours, bound.mark, bound.next_mark, bound.number, (
             SELECT array_agg(ROW(currency, status, places, orders, price, tax, shipping))
               FROM (
                    SELECT item.currency, item.status, item.places, sum(segment.sign * item.orders) AS orders, ${signed('price')}, ${signed('tax')}, ${signed('shipping')}
                      FROM unnest(${ofSegments('sign', 'integer')}, ${ofSegments('hours', 'smallint')}, ${ofSegments('from', 'timestamptz')},
                                  ${ofSegments('to', 'timestamptz')}) AS segment (sign, hours, from_at, to_at)
                     CROSS JOIN LATERAL (
                           ${rolledUp(sql`item.hours = segment.hours AND item.from_at >= segment.from_at AND item.from_at < segment.to_at`)}
                            UNION ALL
                           SELECT item.currency, ${statusOf(grouping)}, own.places, 1, coalesce(${ofOrder.price}, 0), coalesce(${ofOrder.tax}, 0),
                                  coalesce(${ofOrder.shipping}, 0)
                             FROM orders AS item ${withPlaces}
                            WHERE ${and([
                              ofShop('orders', shop),
                              sql`segment.hours = 0 AND item.sort_at >= segment.from_at AND item.sort_at < segment.to_at`,
                              ...where,
                            ])}) AS item
                     GROUP BY 1, 2, 3) AS cell) AS groups
        FROM unnest(${ofBound('bucket', 'integer')}, ${ofBound('hours', 'smallint')}, ${ofBound('mark', 'timestamptz')},
                    ${ofBound('nextMark', 'timestamptz')}, ${firsts}::integer[], ${lasts}::integer[])
             WITH ORDINALITY AS bound (bucket, hours, mark, next_mark, first, last, number))
    SELECT own.figure
      FROM (SELECT *, lead(groups) OVER (ORDER BY number) AS added FROM bound) AS bucket
     CROSS JOIN LATERAL (
           SELECT ${toFigure(sql`bucket.bucket`)}
             FROM (SELECT currency, status, places, sum(orders) AS orders, sum(price) AS price, sum(tax) AS tax, sum(shipping) AS shipping
                     FROM (${rolledUp(sql`item.hours = bucket.hours AND item.from_at >= bucket.mark AND item.from_at < bucket.next_mark`)}
                            UNION ALL
                           SELECT * FROM unnest(bucket.added) AS item ${groupColumns}
                            UNION ALL
                           SELECT currency, status, places, -orders, -price, -tax, -shipping FROM unnest(bucket.groups) AS item ${groupColumns}) AS item
                    GROUP BY 1, 2, 3 HAVING sum(orders) <> 0) AS cell) AS own
     WHERE bucket.bucket IS NOT NULL`;
}

const groupColumns = rawSql(
  '(currency text, status text, places integer, orders numeric, price numeric, tax numeric, shipping numeric)',
);

/** The start of a bucket, or the end of the last one, which has no bucket and no next mark. */
interface Bound {
  readonly bucket: number | null;
  readonly hours: number;
  readonly mark: string;
  readonly nextMark: string | null;
  readonly segments: readonly OrderSegment[];
}

const toBounds = ({ hours, marks, segments }: BucketSections, toBucket: (index: number) => number): Bound[] =>
  marks.map((mark, index) => ({
    bucket: index < marks.length - 1 ? toBucket(index) : null,
    hours,
    mark,
    nextMark: marks[index + 1] ?? null,
    segments: segments[index] as readonly OrderSegment[],
  }));

const noBucket = rawSql(String(wholeRange));

/** All groups of a bucket as one text, because a row for each of them would take three times as long. */
const toFigure = (bucket: Sql): Sql => sql`
  concat('[', ${bucket}, ',[', string_agg(
    concat('[', coalesce(to_json(currency)::text, 'null'), ',', coalesce(to_json(status)::text, 'null'), ',', orders, ',"',
           round(price, places), '","', round(tax, places), '","', round(shipping, places), '"]'), ','), ']]') AS figure`;

const columnsOfStatus = { financialStatus: 'financial_status', fulfillmentStatus: 'fulfillment_status' } as const;

const statusOf = (grouping: OrderGrouping): Sql =>
  rawSql(grouping === null ? 'NULL::text' : `item.${columnsOfStatus[grouping]}`);

const ofOrder = {
  price: sql`item.total_price_value`,
  tax: sql`item.total_tax::numeric`,
  shipping: sql`item.total_shipping::numeric`,
};

/** The decimal places of the longest amount of an order, as in order_figures. */
const withPlaces = sql`
  CROSS JOIN LATERAL (SELECT greatest(0, scale(${ofOrder.price}), scale(${ofOrder.tax}), scale(${ofOrder.shipping})) AS places) AS own`;

/** Combines several statements into one; each figure is preceded by the index of its statement. */
export const toOneStatement = (statements: readonly Sql[]): Sql =>
  joinSql(
    statements.map(
      (statement, index) =>
        sql`SELECT concat('[', ${rawSql(String(index))}, ',', own.figure, ']') AS figure FROM (${statement}) AS own`,
    ),
    ' UNION ALL ',
  );

/**
 * The timestamp of the shop's last change: versions follow the clock, in microseconds. A version outside that range
 * counts as the last year.
 */
const lastChange = (shop: Sql): Sql => sql`
  (SELECT '1970-01-01Z'::timestamptz + least(s.data_version, 253402300799000000) * interval '1 microsecond' FROM shops AS s
    WHERE s.shop_id = ${shop})`;

/**
 * When the first and the last order with a date were placed up to the shop's last change, as a JSON array; nulls when
 * there is none.
 */
export const toOrderExtent = (shop: Sql): Sql => {
  const end = (direction: string) => sql`
    (SELECT to_char(item.sort_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') FROM orders AS item
      WHERE ${ofShop('orders', shop)} AND item.sort_at <= ${lastChange(shop)} ORDER BY item.sort_at ${rawSql(direction)}, item.id ${rawSql(direction)} LIMIT 1)`;
  return sql`SELECT json_build_array(${end('ASC')}, ${end('DESC')})::text`;
};

/** A text by which visible products are counted. */
export type ProductTrait = 'status' | 'vendor' | 'product_type' | 'tag';

/** Products with one text. The last row has null, the count of all products, and the count of those without a text. */
export type ValueGroup = readonly [value: string | null, count: number, none: number];

/**
 * Visible products by a text: the most frequent, and in a last row without a text the count of all and of those without
 * one. Each is read from an index without other columns of the product (docs/decisions.md 139).
 */
export function toValueGroups(shop: Sql, trait: ProductTrait, most: number): Sql {
  const counts =
    trait === 'tag'
      ? toTagCounts(shop)
      : sql`SELECT item.${rawSql(trait)} AS value, count(*) AS products FROM products AS item WHERE ${isSeen('products', shop)} GROUP BY 1`;
  return sql`
    WITH counts AS MATERIALIZED (${counts})
    SELECT json_build_array(value, products, 0)::text AS figure
      FROM (SELECT * FROM counts WHERE value IS NOT NULL ORDER BY products DESC, value COLLATE "C" LIMIT ${most}::integer) AS top
     UNION ALL
    SELECT json_build_array(NULL, coalesce(sum(products) FILTER (WHERE value IS NOT NULL), 0),
             coalesce(sum(products) FILTER (WHERE value IS NULL), 0))::text FROM counts`;
}

/** From product_tags, which truncates tags: for tags that may be truncated, the products themselves are read. */
function toTagCounts(shop: Sql): Sql {
  const cut = rawSql(String(keptCharacters));
  const ofTags = and([
    sql`item.shop_id = ${shop}`,
    ...whereVisible('products', shop, 'item.created_at, item.product_id'),
  ]);
  return sql`
    WITH short AS MATERIALIZED (SELECT item.tag, count(*) AS products FROM product_tags AS item WHERE ${ofTags} GROUP BY 1)
    SELECT tag COLLATE "C" AS value, products FROM short WHERE length(tag) < ${cut}
     UNION ALL
    SELECT own.tag COLLATE "C", count(*)
      FROM short JOIN product_tags AS item ON item.tag = short.tag AND ${ofTags}
      JOIN products AS p ON p.shop_id = item.shop_id AND p.id = item.product_id
     CROSS JOIN LATERAL (SELECT DISTINCT whole.tag FROM unnest(p.tags) AS whole (tag) WHERE left(whole.tag, ${cut}) = item.tag) AS own
     WHERE length(short.tag) >= ${cut} GROUP BY 1
     UNION ALL
    SELECT NULL, count(*) FROM products AS item WHERE ${isSeen('products', shop)} AND item.tags = '{}'`;
}

/**
 * Visible products without stock, and how many of them may have some. A join, because hashed subqueries use unbounded
 * memory.
 */
export const toOutOfStock = (shop: Sql): Sql => sql`
  SELECT json_build_array(count(*), count(*) FILTER (WHERE item.variant_count = 0 OR uncounted.product_id IS NOT NULL))::text
    FROM products AS item
    LEFT JOIN (SELECT DISTINCT v.product_id FROM variants AS v
                WHERE v.shop_id = ${shop} AND coalesce(v.inventory_quantity, 9223372036854775807) = 9223372036854775807) AS uncounted
           ON uncounted.product_id = item.id
   WHERE ${isSeen('products', shop)} AND item.total_stock <= 0`;

/** Visible products whose lowest price lies between two bounds; null and null for those without a price. */
export type PriceGroup = readonly [min: string | null, max: string | null, count: number];

/**
 * A product without a price has infinity in the sort column, and NaN is greater still.
 * @param bounds of the bands; the first and the last band are open
 */
export const toPriceGroups = (shop: Sql, bounds: readonly string[]): Sql => sql`
  SELECT json_build_array(nullif(nullif(least_price, '-Infinity'), 'Infinity')::text, nullif(nullif(most_price, 'Infinity'), 'NaN')::text, products)::text AS figure
    FROM unnest(${['-Infinity', ...bounds, 'Infinity']}::numeric[], ${[...bounds, 'Infinity', 'NaN']}::numeric[]) AS bands (least_price, most_price)
   CROSS JOIN LATERAL (
         SELECT count(*) AS products FROM products AS item
          WHERE ${isSeen('products', shop)} AND item.min_price_sort >= least_price AND item.min_price_sort < most_price) AS banded
   WHERE products > 0 ORDER BY least_price`;
