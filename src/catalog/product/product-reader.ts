import type { KeysetList } from '../../relay/position';
import type { ShopRows, SortColumn } from '../shop-rows';
import type { ProductFilter } from './product-filter';
import { toProductConditions } from './product-filter';
import type { ProductRow } from './product-row';

const oldestFirst: SortColumn = { name: 'created_at', type: 'timestamptz' };

/** The products of the shop that meet the filter, oldest first (D9). */
export function listProducts(rows: ShopRows, filter: ProductFilter): KeysetList<ProductRow> {
  return rows.list<ProductRow>(
    'products',
    { where: toProductConditions(filter), sort: oldestFirst },
    (row) => row.createdAt,
  );
}

/** The shop's products among the ids, in no particular order. */
export function readProducts(rows: ShopRows, ids: readonly string[]): Promise<readonly ProductRow[]> {
  return rows.byIds<ProductRow>('products', 'id', ids);
}
