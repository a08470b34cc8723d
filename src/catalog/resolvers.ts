import { changeResolvers } from './change/change-resolvers';
import { collectionResolvers } from './collection/collection-resolvers';
import { connectionResolvers } from './catalog';
import { figuresResolvers } from './figures/figures-resolvers';
import { nodeResolvers } from './node/node-resolvers';
import { orderResolvers } from './order/order-resolvers';
import { productResolvers } from './product/product-resolvers';
import type { Resolvers } from './schema-types';
import { shopResolvers } from './shop/shop-resolvers';
import { usageResolvers } from './usage/usage-resolvers';
import { variantResolvers } from './variant/variant-resolvers';

/**
 * Every resolver of schema.graphql that does more than return the row's own member. The types are generated from the
 * schema, so a resolver for an unknown field, or with other arguments or results, does not compile.
 */
export const resolvers: readonly Resolvers[] = [
  shopResolvers,
  productResolvers,
  variantResolvers,
  collectionResolvers,
  orderResolvers,
  connectionResolvers,
  nodeResolvers,
  changeResolvers,
  figuresResolvers,
  usageResolvers,
];
