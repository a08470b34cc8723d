import type { GraphQLResolveInfo } from 'graphql';
import { ApiError } from '../../errors/api-error';
import type { Catalog } from '../catalog';
import type { ProductTrait } from '../rows/figure-statement';
import { selects } from '../selects';
import { readOrderFigures } from './order-figures-reader';
import { statusLists } from './order-sums';
import { readPriceBands, readValueCounts } from './product-figures-reader';

/** Products are counted by the fields below it. */
export type ProductFiguresParent = object;

const byValue =
  (trait: ProductTrait) =>
  (_: unknown, { first }: { first: number }, { rows }: Catalog) => {
    if (first < 0 || first > maximumValues) {
      throw new ApiError('BAD_USER_INPUT', `first: expected a whole number from 0 to ${maximumValues}, got ${first}.`);
    }
    return readValueCounts(rows, trait, first);
  };

/** As many as a page has items at most. */
const maximumValues = 200;

/** Below the shop they need its scope, too. */
const figures = {
  orderFigures: (
    _: unknown,
    given: Parameters<typeof readOrderFigures>[1],
    { rows, turns }: Catalog,
    info: GraphQLResolveInfo,
  ) =>
    readOrderFigures(
      rows,
      given,
      turns,
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
      return top.map(({ value, count }) => ({ status: value as 'ACTIVE' | 'DRAFT' | 'ARCHIVED', count })); // a CHECK holds it to the enum
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
