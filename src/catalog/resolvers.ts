import { collectionResolvers } from './collection/collection-resolvers';
import { connectionResolvers } from './connection-resolvers';
import { nodeResolvers } from './node/node-resolvers';
import { orderResolvers } from './order/order-resolvers';
import { productResolvers } from './product/product-resolvers';
import { shopResolvers } from './shop/shop-resolvers';
import { variantResolvers } from './variant/variant-resolvers';

/** Everything that answers a field of schema.graphql with more than the row's own member. */
export const resolvers = [
  shopResolvers,
  productResolvers,
  variantResolvers,
  collectionResolvers,
  orderResolvers,
  connectionResolvers,
  nodeResolvers,
];
