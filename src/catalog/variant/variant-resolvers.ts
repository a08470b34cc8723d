import type { ConnectionArguments } from '../../relay/connection';
import { connect } from '../../relay/connection';
import type { Catalog } from '../catalog';
import { listResolver, toBinding } from '../catalog';
import type { ProductRow } from '../product/product';
import { listVariants, listVariantsOfProduct } from './variant';
import type { VariantRow } from './variant';

const variants = listResolver('all variants', listVariants);

export const variantResolvers = {
  Query: {
    variant: (_: unknown, { id }: { id: string }, catalog: Catalog) => catalog.variants.load(id),
    variants,
  },
  Shop: { variants },
  Product: {
    variantConnection: ({ id, variantCount }: ProductRow, given: ConnectionArguments, catalog: Catalog) => {
      const binding = toBinding(catalog.principal.shop.id, 'variants', { product: id }, []);
      const list = listVariantsOfProduct(catalog.rows, catalog.variantPages, id, variantCount);
      return connect(list, given, catalog.cursors, binding);
    },
  },
  Variant: {
    product: (variant: VariantRow, _: unknown, catalog: Catalog) => catalog.products.load(variant.productId),
  },
};
