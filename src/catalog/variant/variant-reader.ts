import type { ShopRows } from '../shop-rows';
import type { VariantRow } from './variant-row';

/** The shop's variants among the ids, in no particular order. */
export function readVariants(rows: ShopRows, ids: readonly string[]): Promise<readonly VariantRow[]> {
  return rows.byIds<VariantRow>('variants', ids);
}

/** Every variant of the given products, by position, nulls last, then id (D9). */
export function readVariantsOfProducts(rows: ShopRows, productIds: readonly string[]): Promise<readonly VariantRow[]> {
  return rows.variantsOf<VariantRow>(productIds);
}
