import { readCollections } from '../collection/collection';
import { readOrders } from '../order/order';
import { readProducts } from '../product/product';
import type { ObjectType, TypedObject } from '../rows/object-type';
import { factsOf, withTypeName } from '../rows/object-type';
import type { ShopRows } from '../rows/shop-rows';
import { readVariants } from '../variant/variant';

type Row = TypedObject & { readonly id: string };

/**
 * The shop's objects among the ids, of any type, in no particular order. What the caller may not read is not looked
 * for: neither the result nor the work depends on whether it exists (D27).
 */
export async function readNodes(
  rows: ShopRows,
  ids: readonly string[],
  scopes: readonly string[],
): Promise<readonly Row[]> {
  const sought = (type: ObjectType): readonly string[] => (scopes.includes(factsOf[type].scope) ? ids : []);
  const [products, variants, collections, orders] = await Promise.all([
    readProducts(rows, sought('PRODUCT')),
    readVariants(rows, sought('VARIANT')),
    readCollections(rows, sought('COLLECTION')),
    readOrders(rows, sought('ORDER')),
  ]);
  return [
    ...products.map((row) => withTypeName('Product', row)),
    ...variants.map((row) => withTypeName('Variant', row)),
    ...collections.map((row) => withTypeName('Collection', row)),
    ...orders.map((row) => withTypeName('Order', row)),
  ];
}
