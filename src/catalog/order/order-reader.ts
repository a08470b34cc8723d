import type { RowList, ShopRows } from '../rows/shop-rows';
import { toOrderConditions, toOrderPath } from './order-filter';
import type { OrderRow } from './order-row';
import type { OrderFilter, OrderSortKey } from '../schema-inputs';
import { sortKeys } from './order-sort-keys';

/** The orders of the shop that meet the filter, in the requested order. */
export function listOrders(
  rows: ShopRows,
  filter: OrderFilter,
  { sortKey, reverse }: { sortKey: OrderSortKey; reverse: boolean },
): RowList<OrderRow> {
  const path = toOrderPath(filter, sortKey);
  return rows.list('orders', { where: toOrderConditions(filter), sort: sortKeys[sortKey], reverse, path });
}

/** The shop's orders among the ids, in no particular order. */
export function readOrders(rows: ShopRows, ids: readonly string[]): Promise<readonly OrderRow[]> {
  return rows.byIds('orders', ids);
}
