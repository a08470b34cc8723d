import { updatedSort } from '../rows/condition';
import type { SortKey } from '../rows/shop-list';
import type { OrderSortKey } from '../schema-inputs';

/** The orders of a list of orders, by their names in the schema (D9 for the first). */
export const sortKeys = {
  CREATED_AT: { column: 'sort_at', type: 'timestamptz', member: 'createdAt', nullAs: 'infinity' },
  UPDATED_AT: { column: updatedSort, type: 'timestamptz', member: 'updatedAt', nullAs: 'infinity' },
  TOTAL_PRICE: { column: 'total_price_sort', type: 'numeric', member: 'totalPrice', nullAs: 'infinity' },
} as const satisfies Record<OrderSortKey, SortKey>;
