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

/** Orders that have bucket, currency and statuses in common; the sums are decimals. */
export type OrderGroup = readonly [
  bucket: number,
  currency: string | null,
  financialStatus: string | null,
  fulfillmentStatus: string | null,
  count: number,
  totalPrice: string,
  totalTax: string,
  totalShipping: string,
];

/** The column of the statements here. */
export const figureColumns = ['figure'] as const;

/** Orders by bucket, currency and statuses. */
export const toOrderGroups = (shop: Prisma.Sql, { from, to, cuts, where }: OrderSection): Prisma.Sql => Prisma.sql`
  SELECT json_build_array(bucket, currency, financial_status, fulfillment_status, orders,
           coalesce(price, 0)::text, coalesce(tax, 0)::text, coalesce(shipping, 0)::text)::text AS figure
    FROM (SELECT width_bucket(t.sort_at, ${cuts}::timestamptz[]) AS bucket, t.currency, t.financial_status, t.fulfillment_status,
                 count(*) AS orders, sum(t.total_price_value) AS price, sum(t.total_tax::numeric) AS tax,
                 sum(t.total_shipping::numeric) AS shipping
            FROM orders AS t
           WHERE ${and([ofShop('orders', shop), Prisma.sql`t.sort_at >= ${from}::timestamptz AND t.sort_at < ${to}::timestamptz`, ...where])}
           GROUP BY 1, 2, 3, 4) AS grouped`;

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

/** Visible products by a text: the most frequent, and in a last row without a text the count of all and of those without one. */
export function toValueGroups(shop: Prisma.Sql, trait: ProductTrait, most: number): Prisma.Sql {
  const visible = and([ofShop('products', shop), ...isVisible('products', shop)]);
  const values =
    trait === 'tag'
      ? Prisma.sql`
          SELECT tag AS value, count(*) AS products FROM products AS t
           CROSS JOIN LATERAL (SELECT DISTINCT unnest(CASE WHEN t.tags = '{}' THEN ARRAY[NULL] ELSE t.tags END) AS tag) AS own
           WHERE ${visible} GROUP BY 1`
      : Prisma.sql`
          SELECT t.${Prisma.raw(trait)} AS value, count(*) AS products FROM products AS t WHERE ${visible} GROUP BY 1`;
  return Prisma.sql`
    WITH counts AS MATERIALIZED (${values})
    SELECT json_build_array(value, products, 0)::text AS figure
      FROM (SELECT * FROM counts WHERE value IS NOT NULL ORDER BY products DESC, value COLLATE "C" LIMIT ${most}::integer) AS top
     UNION ALL
    SELECT json_build_array(NULL, coalesce(sum(products) FILTER (WHERE value IS NOT NULL), 0),
             coalesce(sum(products) FILTER (WHERE value IS NULL), 0))::text FROM counts`;
}

/** Of a shop whose products are all visible each of these is counted along one index; of another, in the visible section of the list. */
const countProducts = (shop: Prisma.Sql, condition: Prisma.Sql): Prisma.Sql => {
  const count = (conditions: readonly Prisma.Sql[]) =>
    Prisma.sql`(SELECT count(*) FROM products AS t WHERE ${and([ofShop('products', shop), condition, ...conditions])})`;
  return Prisma.sql`
    CASE WHEN (SELECT s.visible_until_at = 'infinity' FROM shops AS s WHERE s.shop_id = ${shop})
         THEN ${count([])} ELSE ${count(isVisible('products', shop))} END`;
};

export const toOutOfStock = (shop: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`SELECT (${countProducts(shop, Prisma.sql`t.total_stock <= 0`)})::text`;

/** Visible products whose lowest price lies between two bounds; null and null for those without a price. */
export type PriceGroup = readonly [min: string | null, max: string | null, count: number];

/**
 * One section of the index of prices for each band. A product without a price has infinity in that column, and NaN is beyond it.
 * @param bounds of the bands between the first and the last, which are open
 */
export const toPriceGroups = (shop: Prisma.Sql, bounds: readonly string[]): Prisma.Sql => Prisma.sql`
  SELECT json_build_array(nullif(nullif(least_price, '-Infinity'), 'Infinity')::text, nullif(nullif(most_price, 'Infinity'), 'NaN')::text, products)::text AS figure
    FROM (SELECT least_price, most_price,
                 ${countProducts(shop, Prisma.sql`t.min_price_sort >= least_price AND t.min_price_sort < most_price`)} AS products
            FROM unnest(${['-Infinity', ...bounds, 'Infinity']}::numeric[], ${[...bounds, 'Infinity', 'NaN']}::numeric[]) AS bands (least_price, most_price)
          OFFSET 0) AS banded
   WHERE products > 0 ORDER BY least_price`;
