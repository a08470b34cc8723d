import { readCollections } from '../collection/collection-reader';
import { readOrders } from '../order/order-reader';
import { readProducts } from '../product/product-reader';
import type { ShopRows } from '../rows/shop-rows';
import { readVariants } from '../variant/variant-reader';
import type { TypedObject } from './typed-object';
import { withTypeName } from './typed-object';

type Row = TypedObject & { readonly id: string };

/** The shop's objects among the ids, of any type, in no particular order. */
export async function readNodes(rows: ShopRows, ids: readonly string[]): Promise<readonly Row[]> {
  const [products, variants, collections, orders] = await Promise.all([
    readProducts(rows, ids),
    readVariants(rows, ids),
    readCollections(rows, ids),
    readOrders(rows, ids),
  ]);
  return [
    ...products.map((row) => withTypeName('Product', row)),
    ...variants.map((row) => withTypeName('Variant', row)),
    ...collections.map((row) => withTypeName('Collection', row)),
    ...orders.map((row) => withTypeName('Order', row)),
  ];
}
