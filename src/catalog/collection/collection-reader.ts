import type { KeysetList } from '../../relay/position';
import type { ShopRows, SortColumn } from '../shop-rows';
import type { CollectionFilter } from './collection-filter';
import { toCollectionConditions } from './collection-filter';
import type { CollectionRow } from './collection-row';

const oldestFirst: SortColumn = { name: 'sort_at', type: 'timestamptz', nullAs: 'infinity' };

/** The collections of the shop that meet the filter, oldest first, without a date last (D9). */
export function listCollections(rows: ShopRows, filter: CollectionFilter): KeysetList<CollectionRow> {
  return rows.list<CollectionRow>(
    'collections',
    { where: toCollectionConditions(filter), sort: oldestFirst },
    (row) => row.createdAt,
  );
}

/** The shop's collections among the ids, in no particular order. */
export function readCollections(rows: ShopRows, ids: readonly string[]): Promise<readonly CollectionRow[]> {
  return rows.byIds<CollectionRow>('collections', 'id', ids);
}
