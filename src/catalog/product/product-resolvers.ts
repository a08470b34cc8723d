import { connect } from '../../relay/connection';
import type { ConnectionArguments } from '../../relay/connection-arguments';
import type { Catalog } from '../catalog';
import { toBinding } from '../filter-binding';
import type { ProductFilter } from './product-filter';
import { toCanonicalProductFilter } from './product-filter';
import { listProducts } from './product-reader';
import type { ProductRow } from './product-row';

export const productResolvers = {
  Query: {
    product: (_: unknown, { id }: { id: string }, catalog: Catalog) => catalog.products.load(id),

    products: (_: unknown, given: ConnectionArguments & { filter?: ProductFilter | null }, catalog: Catalog) => {
      const filter = toCanonicalProductFilter(given.filter ?? {});
      const binding = toBinding(catalog.principal.shop.id, 'products', filter);
      return connect(listProducts(catalog.rows, filter), given, catalog.cursors, binding);
    },
  },
  Product: {
    variants: (product: ProductRow, _: unknown, catalog: Catalog) => catalog.variantsOfProduct.load(product.id),
  },
};
