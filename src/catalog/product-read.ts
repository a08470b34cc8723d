import { createCoalescedRead } from '../database/coalesced-read';
import type { Database, ShopVersion } from '../database/database';
import { Prisma } from '../database/generated/client';
import { readJson } from '../database/read-json';
import { and, isVisible, ofShop } from './page-statement';
import { shopTables, toJsonArray } from './shop-tables';

/** Where a product's row is. */
export interface ProductAddress extends ShopVersion {
  readonly id: string;
}

/** The columns of a product, and those of each of its variants in their order (D9): as `shopTables` lists them. */
export type ProductColumns = readonly [product: readonly unknown[], variants: readonly (readonly unknown[])[]];

/** Reads a product with its variants; null when the shop shows none with this id. */
export type ProductRead = (address: ProductAddress) => Promise<ProductColumns | null>;

/**
 * A product with its variants is one statement, and products that are asked for at the same time, by whichever requests,
 * share it. Each is looked up within the shop of the request that asked for it.
 */
export const createProductRead = (database: Database): ProductRead =>
  createCoalescedRead({
    readMany: (addresses) => selectProducts(database, addresses),
    maximumKeys: 100,
    maximumUnderWay: 4,
    patienceMilliseconds: 250,
  });

const arrayOf = (table: 'products' | 'variants') => Prisma.raw(toJsonArray(shopTables[table].columns));

async function selectProducts(
  database: Database,
  addresses: readonly ProductAddress[],
): Promise<readonly (ProductColumns | null)[]> {
  const shop = Prisma.sql`asked.shop_id`;
  const found = await readJson<(ProductColumns | null)[]>(
    database,
    // Correlated subqueries, so that each row is found by its key whatever the planner thinks of the arrays.
    Prisma.sql`
    SELECT json_agg((
             SELECT json_build_array(
                      ${arrayOf('products')},
                      (SELECT coalesce(json_agg(v.columns), '[]')
                         FROM (SELECT ${arrayOf('variants')} AS columns
                                 FROM variants AS t
                                WHERE ${ofShop('variants', shop)} AND t.product_id = asked.id
                                ORDER BY t.position, t.id) AS v))
               FROM products AS t
              WHERE ${and([ofShop('products', shop), ...isVisible('products', shop)])} AND t.id = asked.id
           ) ORDER BY asked.place)::text
      FROM unnest(${addresses.map(({ shopId }) => shopId)}::uuid[], ${addresses.map(({ id }) => id)}::uuid[])
           WITH ORDINALITY AS asked (shop_id, id, place)`,
    undefined,
    addresses,
  );
  return found ?? [];
}
