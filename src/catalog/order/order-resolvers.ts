import type { Catalog } from '../catalog';
import { listResolver } from '../catalog';
import { listOrders } from './order';

const orders = listResolver('orders', listOrders);

export const orderResolvers = {
  Query: {
    order: (_: unknown, { id }: { id: string }, catalog: Catalog) => catalog.orders.load(id),
    orders,
  },
  Shop: { orders },
};
