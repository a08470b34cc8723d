import type { ShopSummary } from '../catalog/shop/shop-store';
import { textTable } from './text-table';

/** Shops as a table for people. */
export function shopText(shops: readonly ShopSummary[]): string {
  if (shops.length === 0) return 'No shop yet. `catalog shop create --domain shop.example` connects one.';
  return textTable(
    ['DOMAIN', 'NAME', 'PLATFORM', 'CURRENCY', 'PLAN', 'LIMIT', 'PRODUCTS', 'ID'],
    shops.map((shop) => [
      shop.domain,
      shop.name ?? '–',
      shop.platform ?? '–',
      shop.currency ?? '–',
      shop.plan,
      shop.product_limit === null ? 'none' : String(shop.product_limit),
      String(shop.product_count),
      shop.id,
    ]),
  );
}
