import type { Catalog } from '../catalog';
import type { VariantRow } from './variant-row';

export const variantResolvers = {
  Variant: {
    product: (variant: VariantRow, _: unknown, catalog: Catalog) => catalog.products.load(variant.productId),
  },
};
