import type { Catalog } from '../catalog';
import type { RowConnectionArguments } from '../connect-rows';
import { connectRows } from '../connect-rows';
import { toBinding } from '../filter-binding';
import type { OrderFilter } from './order-filter';
import { listOrders } from './order-reader';
import type { OrderSortKey } from './order-sort-keys';

interface OrdersArguments extends RowConnectionArguments {
  readonly filter?: OrderFilter | null;
  readonly sortKey: OrderSortKey;
  readonly reverse: boolean;
}

function orders(_: unknown, given: OrdersArguments, catalog: Catalog) {
  const filter = given.filter ?? {};
  const binding = toBinding(catalog.principal.shop.id, 'orders', filter, [given.sortKey, given.reverse]);
  return connectRows(listOrders(catalog.rows, filter, given), given, catalog.cursors, binding);
}

export const orderResolvers = {
  Query: {
    order: (_: unknown, { id }: { id: string }, catalog: Catalog) => catalog.orders.load(id),
    orders,
  },
  Shop: { orders },
};
