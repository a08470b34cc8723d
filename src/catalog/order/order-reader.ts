import type { KeysetList } from '../../relay/position';
import type { ShopRows, SortColumn } from '../shop-rows';
import type { OrderFilter } from './order-filter';
import { toOrderConditions } from './order-filter';
import type { OrderRow } from './order-row';

const oldestFirst: SortColumn = { name: 'sort_at', type: 'timestamptz', nullAs: 'infinity' };

/** The orders of the shop that meet the filter, oldest first, without a date last (D9). */
export function listOrders(rows: ShopRows, filter: OrderFilter): KeysetList<OrderRow> {
  return rows.list<OrderRow>('orders', { where: toOrderConditions(filter), sort: oldestFirst }, (row) => row.createdAt);
}

/** The shop's orders among the ids, in no particular order. */
export function readOrders(rows: ShopRows, ids: readonly string[]): Promise<readonly OrderRow[]> {
  return rows.byIds<OrderRow>('orders', 'id', ids);
}
