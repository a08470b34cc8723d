import type { GraphQLResolveInfo } from 'graphql';
import { Kind } from 'graphql';
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
    product: ({ productId: id }: VariantRow, _: unknown, catalog: Catalog, info: GraphQLResolveInfo) =>
      selectsIdAlone(info) ? ({ id } as ProductRow) : catalog.products.load(id),
  },
};

/** Then nothing has to be read: the product of a visible variant is visible (D8). */
const selectsIdAlone = ({ fieldNodes }: GraphQLResolveInfo): boolean =>
  fieldNodes.every(({ selectionSet }) =>
    selectionSet?.selections.every((it) => it.kind === Kind.FIELD && ['id', '__typename'].includes(it.name.value)),
  );
