import type { ByIdLoader } from '../by-id-loader';
import type { ProductRow } from '../product/product-row';
import type { ShopRows } from '../rows/shop-rows';
import type { VariantRow } from './variant-row';

/**
 * The visible variants among the ids, in no particular order. A variant is there when its product is: the product may be hidden or
 * deleted (D8).
 * @param products Loads the products of the variants, which an operation often needs as well.
 */
export async function readVisibleVariants(
  rows: ShopRows,
  products: ByIdLoader<ProductRow>,
  ids: readonly string[],
): Promise<readonly VariantRow[]> {
  const variants = await readVariants(rows, ids);
  const found = await Promise.all(variants.map(({ productId }) => products.load(productId)));
  return variants.filter((_, index) => found[index] !== null);
}

/** The shop's variants among the ids, in no particular order, whether their products are visible or not. */
export function readVariants(rows: ShopRows, ids: readonly string[]): Promise<readonly VariantRow[]> {
  return rows.byIds('variants', ids);
}

/** Every variant of the given products, by position, nulls last, then id (D9). */
export function readVariantsOfProducts(rows: ShopRows, productIds: readonly string[]): Promise<readonly VariantRow[]> {
  return rows.variantsOf(productIds);
}
