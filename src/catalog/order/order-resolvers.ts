import type { Catalog } from '../catalog';
import type { RowConnectionArguments } from '../connect-rows';
import { connectRows } from '../connect-rows';
import { toBinding } from '../filter-binding';
import { scrubCustomerName, scrubTags } from './customer-privacy';
import type { OrderFilter } from './order-filter';
import type { OrderSortKey } from './order-reader';
import { listOrders } from './order-reader';
import type { OrderRow } from './order-row';

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
  // Import removes addresses already; other writers may not have (D25).
  Order: {
    customerName: (order: OrderRow) => scrubCustomerName(order.customerName),
    tags: (order: OrderRow) => scrubTags(order.tags),
  },
};
