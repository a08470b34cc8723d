import { connect } from '../../relay/connection';
import type { ConnectionArguments } from '../../relay/connection-arguments';
import type { Catalog } from '../catalog';
import { toBinding } from '../filter-binding';
import type { ProductFilter } from './product-filter';
import type { ProductSortKey } from './product-reader';
import { listProducts } from './product-reader';
import type { ProductRow } from './product-row';

interface ProductsArguments extends ConnectionArguments {
  readonly filter?: ProductFilter | null;
  readonly sortKey: ProductSortKey;
  readonly reverse: boolean;
}

function products(_: unknown, given: ProductsArguments, catalog: Catalog) {
  const filter = given.filter ?? {};
  const binding = toBinding(catalog.principal.shop.id, 'products', filter, [given.sortKey, given.reverse]);
  return connect(listProducts(catalog.rows, filter, given), given, catalog.cursors, binding);
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
