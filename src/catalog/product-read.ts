import { LRUCache } from 'lru-cache';
import { createCoalescedRead } from '../database/coalesced-read';
import type { Database, ShopVersion } from '../database/database';
import { Prisma } from '../database/generated/client';
import { and, dataVersionOf, isVisible, ofShop } from './page-statement';
import { restForm, toJsonObject } from './row-json';

/** Where a product's row is. */
export interface ProductAddress extends ShopVersion {
  readonly id: string;
}

/** A product as it was in one version of its shop's data. */
export interface ReadProduct {
  readonly dataVersion: string;
  /** With its variants in their order (D9), as the REST API shows it; null when the shop shows none with this id. */
  readonly json: string | null;
}

/** Reads a product with its variants. */
export type ProductRead = (address: ProductAddress) => Promise<ReadProduct>;

/** Shops whose requests share statements; what is forgotten of another is only that its next request could have shared one. */
const rememberedShops = 1_000;

/**
 * A product with its variants is one statement, and products of a shop that are asked for at the same time, by whichever requests,
 * share it: a few, because more are done sooner by several connections. No other shop's: its products would wait for these
 * (docs/decisions.md 40).
 */
export function createProductRead(database: Database): ProductRead {
  const readsOfShops = new LRUCache<string, ProductRead>({ max: rememberedShops });
  const createRead = (): ProductRead =>
    createCoalescedRead({
      readMany: (addresses) => selectProducts(database, addresses),
      maximumKeys: 4,
      maximumUnderWay: 8,
      patienceMilliseconds: 250,
    });
  return (address) => {
    const read = readsOfShops.get(address.shopId) ?? createRead();
    readsOfShops.set(address.shopId, read);
    return read(address);
  };
}

const [product, variant] = (['products', 'variants'] as const).map((table) =>
  Prisma.raw(toJsonObject(table, restForm(table))),
) as [Prisma.Sql, Prisma.Sql];

async function selectProducts(
  database: Database,
  addresses: readonly ProductAddress[],
): Promise<readonly ReadProduct[]> {
  const shop = Prisma.sql`asked.shop_id`;
  const [row] = await database.readRows(
    // Correlated subqueries, so that each row is found by its key whatever the planner thinks of the arrays. The sign between
    // products stands in no JSON text.
    Prisma.sql`
    SELECT string_agg(${dataVersionOf(shop)} || ' ' || coalesce((
             SELECT left(${product}, -1) || ',"variants":[' || coalesce((
                      SELECT string_agg(v.json, ',')
                        FROM (SELECT ${variant} AS json
                                FROM variants AS t
                               WHERE ${ofShop('variants', shop)} AND t.product_id = asked.id
                               ORDER BY t.position, t.id) AS v), '') || ']}'
               FROM products AS t
              WHERE ${and([ofShop('products', shop), ...isVisible('products', shop)])} AND t.id = asked.id
           ), ''), E'\\x1e' ORDER BY asked.place)
      FROM unnest(${addresses.map(({ shopId }) => shopId)}::uuid[], ${addresses.map(({ id }) => id)}::uuid[])
           WITH ORDINALITY AS asked (shop_id, id, place)`,
    undefined,
    addresses,
  );
  return (row?.[0] as string).split('\x1e').map((text) => {
    const end = text.indexOf(' ');
    const json = text.slice(end + 1);
    return { dataVersion: text.slice(0, end), json: json === '' ? null : json };
  });
}
