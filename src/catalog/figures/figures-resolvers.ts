import type { FragmentDefinitionNode, GraphQLResolveInfo, SelectionNode } from 'graphql';
import { Kind } from 'graphql';
import { ApiError } from '../../errors/api-error';
import type { Catalog } from '../catalog';
import type { PriceGroup, ProductTrait } from '../rows/figure-statement';
import type { ShopRows } from '../rows/shop-rows';
import { readOrderFigures } from './order-figures-reader';
import { statusLists } from './order-sums';

/** Its fields count the products. */
export type ProductFiguresParent = object;

const byValue =
  (trait: ProductTrait) =>
  (_: unknown, { first }: { first: number }, { rows }: Catalog) => {
    if (first < 0 || first > maximumValues) {
      throw new ApiError('BAD_USER_INPUT', `first: expected an integer from 0 to ${maximumValues}, got ${first}.`);
    }
    return readValueCounts(rows, trait, first);
  };

/** The maximum page size. */
const maximumValues = 200;

/** As fields of the shop they need its scope, too. */
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
  productFigures: (): ProductFiguresParent => ({}),
};

export const figuresResolvers = {
  Query: figures,
  Shop: figures,
  ProductFigures: {
    count: (_: unknown, _arguments: unknown, { readShop }: Catalog) => readShop().productCount,
    statuses: async (_: unknown, _arguments: unknown, { rows }: Catalog) => {
      const { top } = await readValueCounts(rows, 'status', maximumValues);
      return top.map(({ value, count }) => ({ status: value as 'ACTIVE' | 'DRAFT' | 'ARCHIVED', count })); // a CHECK limits it to the enum
    },
    vendors: byValue('vendor'),
    productTypes: byValue('product_type'),
    tags: byValue('tag'),
    outOfStock: async (_: unknown, _arguments: unknown, { rows }: Catalog) =>
      (await rows.figures.productsOutOfStock()).outOfStock,
    stockUnknown: async (_: unknown, _arguments: unknown, { rows }: Catalog) =>
      (await rows.figures.productsOutOfStock()).stockUnknown,
    priceBands: (_: unknown, _arguments: unknown, { rows }: Catalog) => readPriceBands(rows),
  },
};

/**
 * Whether a field of this name is selected at any depth below the field that is resolved, even under a condition that
 * does not hold.
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

/** Products by a text such as the vendor. */
export interface ProductValueCounts {
  readonly top: readonly { readonly value: string; readonly count: number }[];
  readonly rest: number;
  readonly none: number;
}

/** Counts visible products by a text: the most frequent ones, all others together, and none. */
export async function readValueCounts(rows: ShopRows, trait: ProductTrait, most: number): Promise<ProductValueCounts> {
  const groups = await rows.figures.productValues(trait, most);
  const top = groups.slice(0, -1).map(([value, count]) => ({ value: value as string, count }));
  const [, all = 0, none = 0] = groups.at(-1) ?? [];
  return { top, rest: all - top.reduce((sum, { count }) => sum + count, 0), none };
}

/** Round prices, so that the bands of all shops are the same. */
const priceBounds: readonly string[] = [
  ...[1, 10, 100, 1_000, 10_000, 100_000].flatMap((decade) => [decade, 2 * decade, 5 * decade]),
  1_000_000,
].map(String);

/** Counts visible products by their lowest price; those without one last. */
export async function readPriceBands(
  rows: ShopRows,
): Promise<readonly { min: string | null; max: string | null; count: number }[]> {
  const groups: readonly PriceGroup[] = await rows.figures.productPrices(priceBounds);
  return groups.map(([min, max, count]) => ({ min, max, count }));
}
