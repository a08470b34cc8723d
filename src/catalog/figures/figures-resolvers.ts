import type { FragmentDefinitionNode, GraphQLResolveInfo, SelectionNode } from 'graphql';
import { Kind } from 'graphql';
import { ApiError } from '../../errors/api-error';
import type { Catalog } from '../catalog';
import type { PriceGroup, ProductTrait } from '../rows/figure-statement';
import type { ShopRows } from '../rows/shop-rows';
import type { Resolvers } from '../schema-types';
import { readOrderFigures } from './order-figures-reader';
import { statusLists } from './order-sums';

/** The resolver of a field that counts products by one attribute. */
const byValue =
  (trait: ProductTrait) =>
  (_: unknown, { first }: { first: number }, { rows }: Catalog) => {
    if (first < 0 || first > maximumValues) {
      throw new ApiError('BAD_USER_INPUT', `first: expected an integer from 0 to ${maximumValues}, got ${first}.`);
    }
    return readValueCounts(rows, trait, first);
  };

/** The maximum of `first`, as for all lists. */
const maximumValues = 200;

/** Fields of both Query and Shop. Those of Shop also require the scope of the shop. */
const figures = {
  orderFigures: (
    _: unknown,
    given: Parameters<typeof readOrderFigures>[1],
    { rows, pauses }: Catalog,
    info: GraphQLResolveInfo,
  ) =>
    readOrderFigures(
      rows,
      given,
      pauses,
      statusLists.filter((list) => selects(info, list)),
      selects(info, 'buckets'),
    ),
  // The fields of `ProductFigures` need only the catalog in the context.
  productFigures: (): object => ({}),
};

export const figuresResolvers: Resolvers = {
  Query: figures,
  Shop: figures,
  ProductFigures: {
    count: (_, _arguments, { readShop }) => readShop().productCount,
    statuses: async (_, _arguments, { rows }) => {
      const { top } = await readValueCounts(rows, 'status', maximumValues);
      return top.map(({ value, count }) => ({ status: value as 'ACTIVE' | 'DRAFT' | 'ARCHIVED', count })); // a CHECK limits it to the enum
    },
    vendors: byValue('vendor'),
    productTypes: byValue('product_type'),
    tags: byValue('tag'),
    outOfStock: async (_, _arguments, { rows }) => (await rows.figures.productsOutOfStock()).outOfStock,
    stockUnknown: async (_, _arguments, { rows }) => (await rows.figures.productsOutOfStock()).stockUnknown,
    priceBands: (_, _arguments, { rows }) => readPriceBands(rows),
  },
};

/**
 * Whether a field of this name is selected at any depth below the resolved field. Includes fields that `@skip` or
 * `@include` excludes.
 */
function selects({ fieldNodes, fragments }: GraphQLResolveInfo, name: string): boolean {
  const seen = new Set<FragmentDefinitionNode>();
  const isIn = (selections: readonly SelectionNode[] = []): boolean =>
    selections.some((selection) => {
      if (selection.kind === Kind.FIELD)
        return selection.name.value === name || isIn(selection.selectionSet?.selections);
      if (selection.kind === Kind.INLINE_FRAGMENT) return isIn(selection.selectionSet.selections);
      const fragment = fragments[selection.name.value];
      if (fragment === undefined || seen.has(fragment)) return false;
      seen.add(fragment);
      return isIn(fragment.selectionSet.selections);
    });
  return fieldNodes.some(({ selectionSet }) => isIn(selectionSet?.selections));
}

/** Visible products, counted by one attribute such as the vendor. */
interface ProductValueCounts {
  /** The most frequent values. */
  readonly top: readonly { readonly value: string; readonly count: number }[];
  /** The sum of the counts of all other values. */
  readonly rest: number;
  /** Products without a value. */
  readonly none: number;
}

/** @param most The maximum number of values in `top`. */
export async function readValueCounts(rows: ShopRows, trait: ProductTrait, most: number): Promise<ProductValueCounts> {
  const groups = await rows.figures.productValues(trait, most);
  const top = groups.slice(0, -1).map(([value, count]) => ({ value: value as string, count }));
  // The last group is not a value: it contains the totals.
  const [, all = 0, none = 0] = groups.at(-1) ?? [];
  return { top, rest: all - top.reduce((sum, { count }) => sum + count, 0), none };
}

/** The same for all shops, so that shops can be compared. */
const priceBounds: readonly string[] = [
  ...[1, 10, 100, 1_000, 10_000, 100_000].flatMap((decade) => [decade, 2 * decade, 5 * decade]),
  1_000_000,
].map(String);

/** Counts visible products by price band of their lowest price; products without one come last. */
export async function readPriceBands(
  rows: ShopRows,
): Promise<readonly { min: string | null; max: string | null; count: number }[]> {
  const groups: readonly PriceGroup[] = await rows.figures.productPrices(priceBounds);
  return groups.map(([min, max, count]) => ({ min, max, count }));
}
