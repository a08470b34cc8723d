import type { RowList, ShopRows, SortKey } from '../shop-rows';
import type { VariantRow } from '../variant/variant-row';
import type { ProductFilter } from './product-filter';
import { toProductConditions } from './product-filter';
import type { ProductRow } from './product-row';

/** The orders a list of products can have, by their names in the schema (D9 for the first). */
const sortKeys = {
  CREATED_AT: { column: 'created_at', type: 'timestamptz', member: 'createdAt' },
  UPDATED_AT: { column: 'updated_at', type: 'timestamptz', member: 'updatedAt' },
  TITLE: { column: 'title_sort', type: 'text', member: 'titleSort', isExtra: true },
  PRICE: { column: 'min_price_sort', type: 'numeric', member: 'minPrice', nullAs: 'infinity' },
  STOCK: { column: 'total_stock', type: 'bigint', member: 'totalStock' },
} as const satisfies Record<string, SortKey>;

export type ProductSortKey = keyof typeof sortKeys;

/** The products of the shop that meet the filter, in the order asked for. */
export function listProducts(
  rows: ShopRows,
  filter: ProductFilter,
  { sortKey, reverse }: { sortKey: ProductSortKey; reverse: boolean },
): RowList<ProductRow> {
  return rows.list<ProductRow>('products', { where: toProductConditions(filter), sort: sortKeys[sortKey], reverse });
}

/** The shop's products among the ids, in no particular order. */
export function readProducts(rows: ShopRows, ids: readonly string[]): Promise<readonly ProductRow[]> {
  return rows.byIds<ProductRow>('products', 'id', ids);
}

/** One product with its variants in their order (D9), or null. */
export function readProductWithVariants(rows: ShopRows, id: string) {
  return rows.productWithVariants<ProductRow, VariantRow>(id);
}
