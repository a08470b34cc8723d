import { Prisma } from '../../database/generated/client';
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
  /** The bucket that gains its orders; null for none. */
  readonly gains: number | null;
  /** The bucket that loses them, because another piece of it contains them. */
  readonly loses: number | null;
}

/** The pieces that a range is read in. */
export interface OrderPieces {
  /** Contiguous, in the order of time, with rows of the same length; each counts to one bucket. */
  readonly wholes: readonly OrderPiece[];
  /** What moves between neighbouring buckets, because the wholes do not end where the buckets do. */
  readonly atBounds: readonly OrderPiece[];
}

/** What may distinguish orders beside bucket and currency. */
export type OrderStatusName = 'financialStatus' | 'fulfillmentStatus';

/** By what orders are grouped beside bucket and currency: by a status, or by nothing else. */
export type OrderGrouping = OrderStatusName | null;

/** Orders that have bucket, currency and perhaps one status in common; the sums are decimals with as many places as the longest of their amounts. */
export type OrderGroup = readonly [
  /** Null for those of all buckets. */
  bucket: number | null,
  currency: string | null,
  /** Which of the requested groupings it belongs to. */
  grouping: number,
  status: string | null,
  count: number,
  totalPrice: string,
  totalTax: string,
  totalShipping: string,
];

/** The most orders that are read one by one: reading as many takes a quarter of the time limit of a statement. */
export const maximumOrders = 100_000;

/** The column of the statements here. */
export const figureColumns = ['figure'] as const;

const isWithin = (bounds: readonly string[]): Prisma.Sql =>
  Prisma.sql`t.sort_at >= ${bounds[0] ?? null}::timestamptz AND t.sort_at < ${bounds.at(-1) ?? null}::timestamptz`;

/** The orders between the first and the last of some timestamps. */
export const toOrdersWithin = (bounds: readonly string[]): RangePath => [
  { where: [isWithin(bounds)], order: ['sort_at', 'id'] },
];

const ordersOf = (shop: Prisma.Sql) => ({ table: Prisma.raw('orders'), shop, ofShop: ofShop('orders', shop) });

/** How many orders a path leads to, as text, counted no further than one more than `most`. */
export const toOrderCount = (shop: Prisma.Sql, path: RangePath, most: number): Prisma.Sql =>
  Prisma.sql`SELECT count(*)::text FROM (${toRangeRows(ordersOf(shop), path, Prisma.sql`${most + 1}::integer`)}) AS t`;

/**
 * Orders by bucket and currency in some groupings, read one by one.
 * @param path leads to all of them, and perhaps to others
 * @param bounds where the buckets begin, and where the last one ends
 */
export const toOrderGroups = (
  shop: Prisma.Sql,
  groupings: readonly OrderGrouping[],
  path: RangePath,
  bounds: readonly string[],
  where: readonly Prisma.Sql[],
): Prisma.Sql =>
  toGroups(
    groupings,
    // A sum has as many places as the longest of its amounts.
    Prisma.sql`
    SELECT *, greatest(scale(price), scale(tax), scale(shipping)) AS places
      FROM (SELECT width_bucket(t.sort_at, ${bounds.slice(1, -1)}::timestamptz[]) AS bucket, t.currency, ${statusColumns(groupings)},
                   count(*) AS orders, coalesce(sum(${ofOrder.price}), 0) AS price, coalesce(sum(${ofOrder.tax}), 0) AS tax,
                   coalesce(sum(${ofOrder.shipping}), 0) AS shipping
              FROM (${toRangeRows(ordersOf(shop), path)}) AS t
             WHERE ${and([isWithin(bounds), ...where])}
             GROUP BY 1, 2, 3, 4) AS summed`,
  );

/**
 * The same, from rollups wherever they fit: one scan of the wholes, and one of each piece at a bound.
 * @param where conditions on columns that `order_figures` has too
 */
export function toRolledUpGroups(
  shop: Prisma.Sql,
  groupings: readonly OrderGrouping[],
  { wholes, atBounds }: OrderPieces,
  where: readonly Prisma.Sql[],
): Prisma.Sql {
  const ofWholes = Prisma.sql`
    SELECT (${membersOf(wholes, 'gains')}::integer[])[1 + width_bucket(t.from_at, ${membersOf(wholes.slice(1), 'from')}::timestamptz[])] AS bucket,
           t.currency, ${statusColumns(groupings)}, t.places, t.orders, t.total_price AS price, t.total_tax AS tax, t.total_shipping AS shipping
      FROM order_figures AS t
     WHERE ${and([
       Prisma.sql`t.shop_id = ${shop} AND t.hours = ${wholes[0]?.hours ?? null}::smallint`,
       Prisma.sql`t.from_at >= ${wholes[0]?.from ?? null}::timestamptz AND t.from_at < ${wholes.at(-1)?.to ?? null}::timestamptz`,
       ...where,
     ])}`;
  const signed = (amount: string) => Prisma.raw(`CASE WHEN side.is_gained THEN t.${amount} ELSE -t.${amount} END`);
  const ofBounds = Prisma.sql`
    SELECT side.bucket, t.currency, t.financial, t.fulfillment, t.places, ${signed('orders')}, ${signed('price')}, ${signed('tax')}, ${signed('shipping')}
      FROM (
           SELECT piece.gains, piece.loses, t.currency, t.financial, t.fulfillment, t.places, sum(t.orders) AS orders, sum(t.price) AS price,
                  sum(t.tax) AS tax, sum(t.shipping) AS shipping
             FROM unnest(${membersOf(atBounds, 'hours')}::smallint[], ${membersOf(atBounds, 'from')}::timestamptz[], ${membersOf(atBounds, 'to')}::timestamptz[],
                         ${membersOf(atBounds, 'gains')}::integer[], ${membersOf(atBounds, 'loses')}::integer[]) AS piece (hours, from_at, to_at, gains, loses)
            CROSS JOIN LATERAL (
                  SELECT t.currency, ${statusColumns(groupings)}, t.places, t.orders, t.total_price AS price, t.total_tax AS tax, t.total_shipping AS shipping
                    FROM order_figures AS t
                   WHERE ${and([Prisma.sql`t.shop_id = ${shop} AND t.hours = piece.hours AND t.from_at >= piece.from_at AND t.from_at < piece.to_at`, ...where])}
                   UNION ALL
                  SELECT t.currency, ${statusColumns(groupings)}, own.places, 1, coalesce(${ofOrder.price}, 0), coalesce(${ofOrder.tax}, 0),
                         coalesce(${ofOrder.shipping}, 0)
                    FROM orders AS t ${withPlaces}
                   WHERE ${and([ofShop('orders', shop), Prisma.sql`piece.hours = 0 AND t.sort_at >= piece.from_at AND t.sort_at < piece.to_at`, ...where])}
                  ) AS t
            GROUP BY 1, 2, 3, 4, 5, 6
           ) AS t
     CROSS JOIN LATERAL (VALUES (t.gains, true), (t.loses, false)) AS side (bucket, is_gained)
     WHERE side.bucket IS NOT NULL`;
  return toGroups(groupings, Prisma.sql`${ofWholes} UNION ALL ${ofBounds}`);
}

const membersOf = (pieces: readonly OrderPiece[], name: keyof OrderPiece) => pieces.map((piece) => piece[name]);

const nameOfStatus = { financialStatus: 'financial', fulfillmentStatus: 'fulfillment' } as const;

/** Both, so that statements are alike; a status that is not requested distinguishes nothing. */
const statusColumns = (groupings: readonly OrderGrouping[]): Prisma.Sql =>
  Prisma.raw(
    Object.entries(nameOfStatus)
      .map(
        ([status, name]) =>
          `${groupings.some((grouping) => grouping === status) ? `t.${name}_status` : 'NULL::text'} AS ${name}`,
      )
      .join(', '),
  );

const ofOrder = {
  price: Prisma.sql`t.total_price_value`,
  tax: Prisma.sql`t.total_tax::numeric`,
  shipping: Prisma.sql`t.total_shipping::numeric`,
};

/** The decimal places of the longest amount of an order, as in order_figures. */
const withPlaces = Prisma.sql`
  CROSS JOIN LATERAL (SELECT greatest(0, scale(${ofOrder.price}), scale(${ofOrder.tax}), scale(${ofOrder.shipping})) AS places) AS own`;

/** Every order is in one group of each grouping, and again in one of all buckets. */
function toGroups(groupings: readonly OrderGrouping[], parts: Prisma.Sql): Prisma.Sql {
  const names = groupings.map((grouping) => (grouping === null ? 'NULL::text' : nameOfStatus[grouping]));
  const toSum = (amount: string) => `round(sum(${amount}), max(places))::text`;
  // Not GROUPING SETS: for those the planner sorts.
  const sets = names.flatMap((name, index) =>
    ['bucket', 'NULL::integer'].map((bucket) =>
      Prisma.raw(`
    SELECT json_build_array(${bucket}, currency, ${index}, ${name}, sum(orders), ${['price', 'tax', 'shipping'].map(toSum).join(', ')})::text AS figure
      FROM cell GROUP BY ${bucket}, currency, ${name}`),
    ),
  );
  return Prisma.sql`
    WITH cell AS MATERIALIZED (
      SELECT bucket, currency, financial, fulfillment, places, sum(orders) AS orders, sum(price) AS price, sum(tax) AS tax, sum(shipping) AS shipping
        FROM (${parts}) AS part GROUP BY bucket, currency, financial, fulfillment, places HAVING sum(orders) <> 0)
    ${Prisma.join(sets, ' UNION ALL ')}`;
}

/** When the first and the last order with a date were placed, as a JSON array; nulls when there is none. */
export const toOrderExtent = (shop: Prisma.Sql): Prisma.Sql => {
  const end = (direction: string) => Prisma.sql`
    (SELECT to_char(t.sort_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') FROM orders AS t
      WHERE ${ofShop('orders', shop)} AND t.sort_at < 'infinity' ORDER BY t.sort_at ${Prisma.raw(direction)}, t.id ${Prisma.raw(direction)} LIMIT 1)`;
  return Prisma.sql`SELECT json_build_array(${end('ASC')}, ${end('DESC')})::text`;
};

/** What visible products are counted by. */
export type ProductTrait = 'status' | 'vendor' | 'product_type' | 'tag';

/** Products with one text; null for those without. The last row, with neither, has the counts of all texts and of none. */
export type ValueGroup = readonly [value: string | null, count: number, none: number];

/** As product_figures has them. */
const figureKinds = { status: 1, vendor: 2, product_type: 3, tag: 4, priceBand: 5, outOfStock: 6 } as const;

/** Whether the shop's limit hides nothing: then product_figures, which counts live products, counts the visible ones. */
const showsEverything = (shop: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`(SELECT s.visible_until_at = 'infinity' FROM shops AS s WHERE s.shop_id = ${shop})`;

const rolledUpProducts = (shop: Prisma.Sql, kind: keyof typeof figureKinds): Prisma.Sql =>
  Prisma.sql`product_figures AS f WHERE f.shop_id = ${shop} AND f.kind = ${Prisma.raw(String(figureKinds[kind]))}`;

/** Visible products by a text: the most frequent, and in a last row without a text the count of all and of those without one. */
export function toValueGroups(shop: Prisma.Sql, trait: ProductTrait, most: number): Prisma.Sql {
  const visible = and([
    ofShop('products', shop),
    Prisma.sql`NOT ${showsEverything(shop)}`,
    ...isVisible('products', shop),
  ]);
  const values =
    trait === 'tag'
      ? Prisma.sql`
          SELECT tag AS value, count(*) AS products FROM products AS t
           CROSS JOIN LATERAL (SELECT DISTINCT unnest(CASE WHEN t.tags = '{}' THEN ARRAY[NULL] ELSE t.tags END) AS tag) AS own
           WHERE ${visible} GROUP BY 1`
      : Prisma.sql`
          SELECT t.${Prisma.raw(trait)} AS value, count(*) AS products FROM products AS t WHERE ${visible} GROUP BY 1`;
  return Prisma.sql`
    WITH counts AS MATERIALIZED (
      SELECT f.value, f.products FROM ${rolledUpProducts(shop, trait)} AND ${showsEverything(shop)} UNION ALL ${values})
    SELECT json_build_array(value, products, 0)::text AS figure
      FROM (SELECT * FROM counts WHERE value IS NOT NULL ORDER BY products DESC, value COLLATE "C" LIMIT ${most}::integer) AS top
     UNION ALL
    SELECT json_build_array(NULL, coalesce(sum(products) FILTER (WHERE value IS NOT NULL), 0),
             coalesce(sum(products) FILTER (WHERE value IS NULL), 0))::text FROM counts`;
}

/** @param whole the count for a shop whose products are all visible */
const countProducts = (shop: Prisma.Sql, condition: Prisma.Sql, whole: Prisma.Sql): Prisma.Sql => Prisma.sql`
    CASE WHEN ${showsEverything(shop)} THEN coalesce((SELECT f.products FROM ${whole}), 0)
         ELSE (SELECT count(*) FROM products AS t WHERE ${and([ofShop('products', shop), condition, ...isVisible('products', shop)])}) END`;

export const toOutOfStock = (shop: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`SELECT (${countProducts(shop, Prisma.sql`t.total_stock <= 0`, rolledUpProducts(shop, 'outOfStock'))})::text`;

/** Visible products whose lowest price lies between two bounds; null and null for those without a price. */
export type PriceGroup = readonly [min: string | null, max: string | null, count: number];

/**
 * A product without a price has infinity in the column that sorts by price, and NaN is beyond it.
 * @param bounds of the bands between the first and the last, which are open: those of catalog_price_band
 */
export const toPriceGroups = (shop: Prisma.Sql, bounds: readonly string[]): Prisma.Sql => Prisma.sql`
  SELECT json_build_array(nullif(nullif(least_price, '-Infinity'), 'Infinity')::text, nullif(nullif(most_price, 'Infinity'), 'NaN')::text, products)::text AS figure
    FROM (SELECT least_price, most_price,
                 ${countProducts(
                   shop,
                   Prisma.sql`t.min_price_sort >= least_price AND t.min_price_sort < most_price`,
                   Prisma.sql`${rolledUpProducts(shop, 'priceBand')}
                     AND f.value IS NOT DISTINCT FROM CASE WHEN least_price < 'Infinity' THEN (number - 1)::text END`,
                 )} AS products
            FROM unnest(${['-Infinity', ...bounds, 'Infinity']}::numeric[], ${[...bounds, 'Infinity', 'NaN']}::numeric[])
                 WITH ORDINALITY AS bands (least_price, most_price, number)
          OFFSET 0) AS banded
   WHERE products > 0 ORDER BY least_price`;
