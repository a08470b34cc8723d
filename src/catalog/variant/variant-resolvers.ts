import { connect } from '../../relay/connection';
import type { ConnectionArguments } from '../../relay/connection-arguments';
import type { KeysetList } from '../../relay/position';
import type { Catalog } from '../catalog';
import { listResolver } from '../connect-rows';
import { toBinding } from '../filter-binding';
import type { ProductRow } from '../product/product-row';
import { listVariants } from './variant-reader';
import type { VariantRow } from './variant-row';

/** A list that is in memory already, in its order: a product has few variants, and all of them are read at once. */
const listOf = (variants: readonly VariantRow[]): KeysetList<VariantRow> => ({
  positionOf: ({ position, id }) => [position === null ? null : String(position), id],
  count: () => Promise.resolve(variants.length),
  read: ({ after, before, limit, backwards }) => {
    const section = variants.filter(
      (variant) => (!after || isBefore(after, variant)) && (!before || isBehind(before, variant)),
    );
    return Promise.resolve(backwards ? section.slice(Math.max(0, section.length - limit)) : section.slice(0, limit));
  },
});

/** Order of variants: position, nulls last, then id (D9). Negative when the first precedes the second. */
function compare([a, aId]: readonly [unknown, string], [b, bId]: readonly [unknown, string]): number {
  const [x, y] = [a, b].map((value) => (value === null ? Infinity : Number(value))) as [number, number];
  return x === y ? (aId < bId ? -1 : Number(aId > bId)) : x - y;
}

const isBefore = (at: readonly [unknown, string], { position, id }: VariantRow) => compare(at, [position, id]) < 0;
const isBehind = (at: readonly [unknown, string], { position, id }: VariantRow) => compare(at, [position, id]) > 0;

const variants = listResolver('all variants', listVariants);

export const variantResolvers = {
  Query: {
    variant: (_: unknown, { id }: { id: string }, catalog: Catalog) => catalog.variants.load(id),
    variants,
  },
  Shop: { variants },
  Product: {
    variantConnection: async (product: ProductRow, given: ConnectionArguments, catalog: Catalog) => {
      const binding = toBinding(catalog.principal.shop.id, 'variants', { product: product.id }, []);
      return connect(listOf(await catalog.variantsOfProduct.load(product.id)), given, catalog.cursors, binding);
    },
  },
  Variant: {
    product: (variant: VariantRow, _: unknown, catalog: Catalog) => catalog.products.load(variant.productId),
  },
};
