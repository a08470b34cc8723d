import type { SortKey } from '../rows/shop-list';
import type { ProductSortKey } from '../schema-inputs';

/** The orders of a list of products, by their names in the schema (D9 for the first). */
export const sortKeys = {
  CREATED_AT: { column: 'created_at', type: 'timestamptz', member: 'createdAt' },
  UPDATED_AT: { column: 'updated_at', type: 'timestamptz', member: 'updatedAt' },
  TITLE: { column: 'title_sort', type: 'text', member: 'titleSort', isExtra: true },
  PRICE: { column: 'min_price_sort', type: 'numeric', member: 'minPrice', nullAs: 'infinity' },
  STOCK: { column: 'total_stock', type: 'bigint', member: 'totalStock' },
} as const satisfies Record<ProductSortKey, SortKey>;
