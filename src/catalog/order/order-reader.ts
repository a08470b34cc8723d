import type { SortKey } from '../rows/shop-list';
import type { RowList, ShopRows } from '../rows/shop-rows';
import type { OrderFilter } from './order-filter';
import { toOrderConditions, toOrderPath } from './order-filter';
import type { OrderRow } from './order-row';

/** The orders a list of orders can have, by their names in the schema (D9 for the first). */
const sortKeys = {
  CREATED_AT: { column: 'sort_at', type: 'timestamptz', member: 'createdAt', nullAs: 'infinity' },
  TOTAL_PRICE: { column: 'total_price_sort', type: 'numeric', member: 'totalPrice', nullAs: 'infinity' },
} as const satisfies Record<string, SortKey>;

export type OrderSortKey = keyof typeof sortKeys;

/** The orders of the shop that meet the filter, in the order asked for. */
export function listOrders(
  rows: ShopRows,
  filter: OrderFilter,
  { sortKey, reverse }: { sortKey: OrderSortKey; reverse: boolean },
): RowList<OrderRow> {
  const path = toOrderPath(filter, sortKey === 'CREATED_AT');
  return rows.list('orders', { where: toOrderConditions(filter), sort: sortKeys[sortKey], reverse, path });
}

/** The shop's orders among the ids, in no particular order. */
export function readOrders(rows: ShopRows, ids: readonly string[]): Promise<readonly OrderRow[]> {
  return rows.byIds('orders', ids);
}
