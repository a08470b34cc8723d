import type { Sql } from '../../database/sql';
import { sql, rawSql, joinSql } from '../../database/sql';
import { and, isVisible, ofShop } from './page-statement';
import { toRangeRows } from './range-scan';
import type { RangePath } from './shop-list';

/** A section of time that is read as rows of `order_figures`, or order by order, and counts to a bucket. */
export interface OrderPiece {
  /** How many hours each row of `order_figures` holds; 0 for the orders themselves. */
  readonly hours: number;
  readonly from: string;
  /** Not included. */
  readonly to: string;
  /** -1 takes its orders away, because another piece of the bucket contains them. */
  readonly sign: 1 | -1;
}

/** What may distinguish orders beside bucket and currency. */
export type OrderStatusName = 'financialStatus' | 'fulfillmentStatus';

/** By what orders are grouped beside bucket and currency: by a status, or by nothing else. */
export type OrderGrouping = OrderStatusName | null;

/**
 * Orders that have bucket, currency and, with a grouping, a status in common; the sums are decimals with as many places as the longest of
 * their amounts. Orders of another group may have the same in common.
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

/** The most orders that are read one by one: reading as many takes a quarter of the time limit of a statement. */
export const maximumOrders = 100_000;

/** The column of the statements here. */
export const figureColumns = ['figure'] as const;

const isWithin = (bounds: readonly string[]): Sql =>
  sql`t.sort_at >= ${bounds[0] ?? null}::timestamptz AND t.sort_at < ${bounds.at(-1) ?? null}::timestamptz`;

/** The orders between the first and the last of some timestamps. */
export const toOrdersWithin = (bounds: readonly string[]): RangePath => [
  { where: [isWithin(bounds)], order: ['sort_at', 'id'] },
];

const ordersOf = (shop: Sql) => ({ table: rawSql('orders'), shop, ofShop: ofShop('orders', shop) });

/** How many orders a path leads to, as text, counted no further than one more than `most`. */
export const toOrderCount = (shop: Sql, path: RangePath, most: number): Sql =>
  sql`SELECT count(*)::text FROM (${toRangeRows(ordersOf(shop), path, sql`${most + 1}::integer`)}) AS t`;

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
      FROM (SELECT width_bucket(t.sort_at, ${bounds.slice(1, -1)}::timestamptz[]) AS bucket, t.currency, ${statusOf(grouping)} AS status,
                   count(*) AS orders, coalesce(sum(${ofOrder.price}), 0) AS price, coalesce(sum(${ofOrder.tax}), 0) AS tax,
                   coalesce(sum(${ofOrder.shipping}), 0) AS shipping
              FROM (${toRangeRows(ordersOf(shop), path)}) AS t
             WHERE ${and([isWithin(bounds), ...where])}
             GROUP BY 1, 2, 3) AS summed)
  SELECT ${toFigure(sql`bucket`)} FROM cell GROUP BY bucket
   UNION ALL
  SELECT ${toFigure(noBucket)}
    FROM (SELECT currency, status, sum(orders) AS orders, sum(price) AS price, sum(tax) AS tax, sum(shipping) AS shipping, max(places) AS places
            FROM cell GROUP BY 1, 2) AS cell`;

/** A grouping of orders that are read from rollups. */
export interface RolledUpGrouping {
  readonly grouping: OrderGrouping;
  /** The statuses of the grouping and of the conditions. */
  readonly distinguished: ReadonlySet<OrderStatusName>;
  /** The pieces of each bucket, and last those of the whole range. */
  readonly buckets: readonly (readonly OrderPiece[])[];
}

/**
 * The same, from rollups wherever they fit. Each bucket is added up on its own, because one table of the groups of all buckets would not fit
 * in the processor's cache.
 * @param where conditions on columns that `order_figures` has too
 */
export function toRolledUpGroups(
  shop: Sql,
  { grouping, distinguished, buckets }: RolledUpGrouping,
  where: readonly Sql[],
): Sql {
  const pieces = buckets.flat();
  const ofBucket = (name: keyof OrderPiece, type: string) =>
    sql`(${pieces.map((piece) => piece[name])}::${rawSql(type)}[])[bucket.first:bucket.last]`;
  let last = 0;
  const ends = buckets.map(({ length }) => (last += length));
  const firsts = buckets.map(({ length }, index) => (ends[index] as number) - length + 1);
  const statuses = [...distinguished].reduce((bits, status) => bits + columnsOfStatus[status].bit, 0);
  const signed = (amount: string) =>
    rawSql(`sum(CASE piece.sign WHEN 1 THEN t.${amount} ELSE -t.${amount} END) AS ${amount}`);
  return sql`
    SELECT own.figure
      FROM unnest(${firsts}::integer[], ${ends}::integer[])
           WITH ORDINALITY AS bucket (first, last, number)
     CROSS JOIN LATERAL (
           SELECT ${toFigure(sql`CASE WHEN bucket.number < ${buckets.length}::integer THEN bucket.number - 1 ELSE ${noBucket} END`)}
             FROM (
                  SELECT t.currency, t.status, t.places, sum(piece.sign * t.orders) AS orders, ${signed('price')}, ${signed('tax')}, ${signed('shipping')}
                    FROM unnest(${ofBucket('sign', 'integer')}, ${ofBucket('hours', 'smallint')}, ${ofBucket('from', 'timestamptz')},
                                ${ofBucket('to', 'timestamptz')}) AS piece (sign, hours, from_at, to_at)
                   CROSS JOIN LATERAL (
                         SELECT t.currency, ${statusOf(grouping)} AS status, t.places, t.orders, t.total_price AS price, t.total_tax AS tax,
                                t.total_shipping AS shipping
                           FROM order_figures AS t
                          WHERE ${and([
                            sql`t.shop_id = ${shop} AND t.statuses = ${statuses}::smallint AND t.hours = piece.hours`,
                            sql`t.from_at >= piece.from_at AND t.from_at < piece.to_at`,
                            ...where,
                          ])}
                          UNION ALL
                         SELECT t.currency, ${statusOf(grouping)}, own.places, 1, coalesce(${ofOrder.price}, 0), coalesce(${ofOrder.tax}, 0),
                                coalesce(${ofOrder.shipping}, 0)
                           FROM orders AS t ${withPlaces}
                          WHERE ${and([
                            ofShop('orders', shop),
                            sql`piece.hours = 0 AND t.sort_at >= piece.from_at AND t.sort_at < piece.to_at`,
                            ...where,
                          ])}) AS t
                   GROUP BY 1, 2, 3 HAVING sum(piece.sign * t.orders) <> 0) AS cell) AS own`;
}

const noBucket = rawSql(String(wholeRange));

/** All groups of a bucket as one text, because a row for each of them would take three times as long. */
const toFigure = (bucket: Sql): Sql => sql`
  concat('[', ${bucket}, ',[', string_agg(
    concat('[', coalesce(to_json(currency)::text, 'null'), ',', coalesce(to_json(status)::text, 'null'), ',', orders, ',"',
           round(price, places), '","', round(tax, places), '","', round(shipping, places), '"]'), ','), ']]') AS figure`;

/** As order_figures names and numbers them. */
const columnsOfStatus = {
  financialStatus: { bit: 1, column: 'financial_status' },
  fulfillmentStatus: { bit: 2, column: 'fulfillment_status' },
} as const;

const statusOf = (grouping: OrderGrouping): Sql =>
  rawSql(grouping === null ? 'NULL::text' : `t.${columnsOfStatus[grouping].column}`);

const ofOrder = {
  price: sql`t.total_price_value`,
  tax: sql`t.total_tax::numeric`,
  shipping: sql`t.total_shipping::numeric`,
};

/** The decimal places of the longest amount of an order, as in order_figures. */
const withPlaces = sql`
  CROSS JOIN LATERAL (SELECT greatest(0, scale(${ofOrder.price}), scale(${ofOrder.tax}), scale(${ofOrder.shipping})) AS places) AS own`;

/** Figures of several statements, each with the index of its own in front. */
export const toOneStatement = (statements: readonly Sql[]): Sql =>
  joinSql(
    statements.map(
      (statement, index) =>
        sql`SELECT concat('[', ${rawSql(String(index))}, ',', own.figure, ']') AS figure FROM (${statement}) AS own`,
    ),
    ' UNION ALL ',
  );

/** The timestamp of the shop's last change: versions follow the clock, in microseconds. A version of no such time is that of the last year. */
const lastChange = (shop: Sql): Sql => sql`
  (SELECT '1970-01-01Z'::timestamptz + least(s.data_version, 253402300799000000) * interval '1 microsecond' FROM shops AS s
    WHERE s.shop_id = ${shop})`;

/** When the first and the last order with a date were placed up to the shop's last change, as a JSON array; nulls when there is none. */
export const toOrderExtent = (shop: Sql): Sql => {
  const end = (direction: string) => sql`
    (SELECT to_char(t.sort_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') FROM orders AS t
      WHERE ${ofShop('orders', shop)} AND t.sort_at <= ${lastChange(shop)} ORDER BY t.sort_at ${rawSql(direction)}, t.id ${rawSql(direction)} LIMIT 1)`;
  return sql`SELECT json_build_array(${end('ASC')}, ${end('DESC')})::text`;
};

/** What visible products are counted by. */
export type ProductTrait = 'status' | 'vendor' | 'product_type' | 'tag';

/** Products with one text; null for those without. The last row, with neither, has the counts of all texts and of none. */
export type ValueGroup = readonly [value: string | null, count: number, none: number];

/** As product_figures has them. */
const figureKinds = { status: 1, vendor: 2, product_type: 3, tag: 4, priceBand: 5, outOfStock: 6 } as const;

/** Whether the shop's limit hides nothing: then product_figures, which counts live products, counts the visible ones. */
const showsEverything = (shop: Sql): Sql =>
  sql`(SELECT s.visible_until_at = 'infinity' FROM shops AS s WHERE s.shop_id = ${shop})`;

const rolledUpProducts = (shop: Sql, kind: keyof typeof figureKinds): Sql =>
  sql`product_figures AS f WHERE f.shop_id = ${shop} AND f.kind = ${rawSql(String(figureKinds[kind]))}`;

/** Visible products by a text: the most frequent, and in a last row without a text the count of all and of those without one. */
export function toValueGroups(shop: Sql, trait: ProductTrait, most: number): Sql {
  const visible = and([ofShop('products', shop), sql`NOT ${showsEverything(shop)}`, ...isVisible('products', shop)]);
  const values =
    trait === 'tag'
      ? sql`
          SELECT tag AS value, count(*) AS products FROM products AS t
           CROSS JOIN LATERAL (SELECT DISTINCT unnest(CASE WHEN t.tags = '{}' THEN ARRAY[NULL] ELSE t.tags END) AS tag) AS own
           WHERE ${visible} GROUP BY 1`
      : sql`
          SELECT t.${rawSql(trait)} AS value, count(*) AS products FROM products AS t WHERE ${visible} GROUP BY 1`;
  return sql`
    WITH counts AS MATERIALIZED (
      SELECT f.value, f.products FROM ${rolledUpProducts(shop, trait)} AND ${showsEverything(shop)} UNION ALL ${values})
    SELECT json_build_array(value, products, 0)::text AS figure
      FROM (SELECT * FROM counts WHERE value IS NOT NULL ORDER BY products DESC, value COLLATE "C" LIMIT ${most}::integer) AS top
     UNION ALL
    SELECT json_build_array(NULL, coalesce(sum(products) FILTER (WHERE value IS NOT NULL), 0),
             coalesce(sum(products) FILTER (WHERE value IS NULL), 0))::text FROM counts`;
}

/** @param whole the count for a shop whose products are all visible */
const countProducts = (shop: Sql, condition: Sql, whole: Sql): Sql => sql`
    CASE WHEN ${showsEverything(shop)} THEN coalesce((SELECT f.products FROM ${whole}), 0)
         ELSE (SELECT count(*) FROM products AS t WHERE ${and([ofShop('products', shop), condition, ...isVisible('products', shop)])}) END`;

export const toOutOfStock = (shop: Sql): Sql =>
  sql`SELECT (${countProducts(shop, sql`t.total_stock <= 0`, rolledUpProducts(shop, 'outOfStock'))})::text`;

/** Visible products whose lowest price lies between two bounds; null and null for those without a price. */
export type PriceGroup = readonly [min: string | null, max: string | null, count: number];

/**
 * A product without a price has infinity in the column that sorts by price, and NaN is beyond it.
 * @param bounds of the bands between the first and the last, which are open: those of catalog_price_band
 */
export const toPriceGroups = (shop: Sql, bounds: readonly string[]): Sql => sql`
  SELECT json_build_array(nullif(nullif(least_price, '-Infinity'), 'Infinity')::text, nullif(nullif(most_price, 'Infinity'), 'NaN')::text, products)::text AS figure
    FROM (SELECT least_price, most_price,
                 ${countProducts(
                   shop,
                   sql`t.min_price_sort >= least_price AND t.min_price_sort < most_price`,
                   sql`${rolledUpProducts(shop, 'priceBand')}
                     AND f.value IS NOT DISTINCT FROM CASE WHEN least_price < 'Infinity' THEN (number - 1)::text END`,
                 )} AS products
            FROM unnest(${['-Infinity', ...bounds, 'Infinity']}::numeric[], ${[...bounds, 'Infinity', 'NaN']}::numeric[])
                 WITH ORDINALITY AS bands (least_price, most_price, number)
          OFFSET 0) AS banded
   WHERE products > 0 ORDER BY least_price`;
