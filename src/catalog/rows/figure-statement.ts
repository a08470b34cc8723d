import { Prisma } from '../../database/generated/client';
import { and, isVisible, ofShop } from './page-statement';

/** A section of time cut into buckets, and which orders of it. */
export interface OrderSection {
  readonly from: string;
  /** Not included. */
  readonly to: string;
  /** Where each bucket but the first begins. */
  readonly cuts: readonly string[];
  readonly where: readonly Prisma.Sql[];
}

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

/** What distinguishes orders beside bucket and currency, if anything. */
export type OrderStatusName = 'financialStatus' | 'fulfillmentStatus' | undefined;

/** Orders that have bucket, currency, status and decimal places in common; the sums are decimals. */
export type OrderGroup = readonly [
  bucket: number,
  currency: string | null,
  status: string | null,
  count: number,
  /** How many the longest of its amounts has. */
  places: number,
  totalPrice: string,
  totalTax: string,
  totalShipping: string,
];

/** The column of the statements here. */
export const figureColumns = ['figure'] as const;

/** Orders by bucket, currency and a status, read one by one. */
export const toOrderGroups = (
  shop: Prisma.Sql,
  status: OrderStatusName,
  { from, to, cuts, where }: OrderSection,
): Prisma.Sql =>
  toGroups(Prisma.sql`
    SELECT width_bucket(t.sort_at, ${cuts}::timestamptz[]) AS bucket, t.currency, ${statusColumn(status)} AS status, places,
           count(*) AS orders, sum(${ofOrder.price}) AS price, sum(${ofOrder.tax}) AS tax, sum(${ofOrder.shipping}) AS shipping
      FROM orders AS t ${withPlaces}
     WHERE ${and([ofShop('orders', shop), Prisma.sql`t.sort_at >= ${from}::timestamptz AND t.sort_at < ${to}::timestamptz`, ...where])}
     GROUP BY 1, 2, 3, 4`);

/**
 * The same, from rollups wherever they fit: one scan of the wholes, and one of each piece at a bound.
 * @param where conditions on columns that `order_figures` has too
 */
export function toRolledUpGroups(
  shop: Prisma.Sql,
  status: OrderStatusName,
  { wholes, atBounds }: OrderPieces,
  where: readonly Prisma.Sql[],
): Prisma.Sql {
  const sums = Prisma.sql`sum(t.orders) AS orders, sum(t.total_price) AS price, sum(t.total_tax) AS tax, sum(t.total_shipping) AS shipping`;
  const ofWholes = Prisma.sql`
    SELECT (${membersOf(wholes, 'gains')}::integer[])[1 + width_bucket(t.from_at, ${membersOf(wholes.slice(1), 'from')}::timestamptz[])] AS bucket,
           t.currency, ${statusColumn(status)} AS status, t.places, ${sums}
      FROM order_figures AS t
     WHERE ${and([
       Prisma.sql`t.shop_id = ${shop} AND t.hours = ${wholes[0]?.hours ?? null}::smallint`,
       Prisma.sql`t.from_at >= ${wholes[0]?.from ?? null}::timestamptz AND t.from_at < ${wholes.at(-1)?.to ?? null}::timestamptz`,
       ...where,
     ])}
     GROUP BY 1, 2, 3, 4`;
  const signed = (amount: string) => Prisma.raw(`CASE WHEN side.is_gained THEN t.${amount} ELSE -t.${amount} END`);
  const ofBounds = Prisma.sql`
    SELECT side.bucket, t.currency, t.status, t.places, ${signed('orders')} AS orders, ${signed('price')} AS price,
           ${signed('tax')} AS tax, ${signed('shipping')} AS shipping
      FROM unnest(${membersOf(atBounds, 'hours')}::smallint[], ${membersOf(atBounds, 'from')}::timestamptz[], ${membersOf(atBounds, 'to')}::timestamptz[],
                  ${membersOf(atBounds, 'gains')}::integer[], ${membersOf(atBounds, 'loses')}::integer[]) AS piece (hours, from_at, to_at, gains, loses)
     CROSS JOIN LATERAL (
           SELECT t.currency, ${statusColumn(status)} AS status, t.places, ${sums}
             FROM order_figures AS t
            WHERE ${and([Prisma.sql`t.shop_id = ${shop} AND t.hours = piece.hours AND t.from_at >= piece.from_at AND t.from_at < piece.to_at`, ...where])}
            GROUP BY 1, 2, 3
            UNION ALL
           SELECT t.currency, ${statusColumn(status)}, own.places, 1, ${ofOrder.price}, ${ofOrder.tax}, ${ofOrder.shipping}
             FROM orders AS t ${withPlaces}
            WHERE ${and([ofShop('orders', shop), Prisma.sql`piece.hours = 0 AND t.sort_at >= piece.from_at AND t.sort_at < piece.to_at`, ...where])}
           ) AS t
     CROSS JOIN LATERAL (VALUES (piece.gains, true), (piece.loses, false)) AS side (bucket, is_gained)
     WHERE side.bucket IS NOT NULL`;
  return toGroups(Prisma.sql`
    SELECT t.bucket, t.currency, t.status, t.places, sum(t.orders) AS orders, sum(t.price) AS price, sum(t.tax) AS tax, sum(t.shipping) AS shipping
      FROM (${ofWholes} UNION ALL ${ofBounds}) AS t
     GROUP BY 1, 2, 3, 4 HAVING sum(t.orders) <> 0`);
}

const membersOf = (pieces: readonly OrderPiece[], name: keyof OrderPiece) => pieces.map((piece) => piece[name]);

const statusColumn = (status: OrderStatusName): Prisma.Sql =>
  status === undefined
    ? Prisma.sql`NULL::text`
    : status === 'financialStatus'
      ? Prisma.sql`t.financial_status`
      : Prisma.sql`t.fulfillment_status`;

const ofOrder = {
  price: Prisma.sql`t.total_price_value`,
  tax: Prisma.sql`t.total_tax::numeric`,
  shipping: Prisma.sql`t.total_shipping::numeric`,
};

/** The decimal places of the longest amount of an order, as in order_figures. */
const withPlaces = Prisma.sql`
  CROSS JOIN LATERAL (SELECT greatest(0, scale(${ofOrder.price}), scale(${ofOrder.tax}), scale(${ofOrder.shipping})) AS places) AS own`;

const toGroups = (groups: Prisma.Sql): Prisma.Sql => Prisma.sql`
  SELECT json_build_array(bucket, currency, status, orders, places, coalesce(price, 0)::text, coalesce(tax, 0)::text,
           coalesce(shipping, 0)::text)::text AS figure
    FROM (${groups}) AS grouped`;

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
