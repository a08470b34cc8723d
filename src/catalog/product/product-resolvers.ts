import type { Catalog } from '../catalog';
import type { RowConnectionArguments } from '../connect-rows';
import { connectRows } from '../connect-rows';
import { toBinding } from '../filter-binding';
import type { ProductFilter } from './product-filter';
import type { ProductSortKey } from './product-reader';
import { listProducts } from './product-reader';
import type { ProductRow } from './product-row';

interface ProductsArguments extends RowConnectionArguments {
  readonly filter?: ProductFilter | null;
  readonly sortKey: ProductSortKey;
  readonly reverse: boolean;
}

function products(_: unknown, given: ProductsArguments, catalog: Catalog) {
  const filter = given.filter ?? {};
  const binding = toBinding(catalog.principal.shop.id, 'products', filter, [given.sortKey, given.reverse]);
  return connectRows(listProducts(catalog.rows, filter, given), given, catalog.cursors, binding);
}

export const productResolvers = {
  Query: {
    product: (_: unknown, { id }: { id: string }, catalog: Catalog) => catalog.products.load(id),
    products,
  },
  Shop: { products },
  Product: {
    variants: (product: ProductRow, _: unknown, catalog: Catalog) => catalog.variantsOfProduct.load(product.id),
  },
};
