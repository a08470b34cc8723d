import { ImportError } from '../values/import-error';
import type { Query } from './import-transaction';

interface LockedShop {
  readonly shopId: string;
  /** How many products the shop has. */
  readonly liveProducts: number;
}

/**
 * Locks the shop against other writers until the import is done: they would wait in the first trigger anyway.
 * @throws ImportError when there is no such shop, also because it was deleted during the wait
 */
export async function lockShop(query: Query, domain: string): Promise<LockedShop> {
  const { rows } = await query<{ shopId: string; liveProducts: string }>(
    `SELECT shop_id AS "shopId", live_product_count AS "liveProducts" FROM shops WHERE domain = $1 FOR NO KEY UPDATE`,
    [domain],
  );
  const [shop] = rows;
  if (shop === undefined) {
    throw new ImportError(`there is no shop ${JSON.stringify(domain)}; \`catalog shop create --domain …\` makes one`);
  }
  return { shopId: shop.shopId, liveProducts: Number(shop.liveProducts) };
}
