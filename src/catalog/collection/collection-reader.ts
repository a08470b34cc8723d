import type { SortKey } from '../rows/shop-list';
import type { RowList, ShopRows } from '../rows/shop-rows';
import type { CollectionFilter } from './collection-filter';
import { toCollectionConditions, toCollectionPath } from './collection-filter';
import type { CollectionRow } from './collection-row';

/** Oldest first, without a date last (D9). */
const oldestFirst: SortKey = { column: 'sort_at', type: 'timestamptz', member: 'createdAt', nullAs: 'infinity' };

/** The collections of the shop that meet the filter, in the order asked for. */
export function listCollections(
  rows: ShopRows,
  filter: CollectionFilter,
  { reverse }: { reverse: boolean },
): RowList<CollectionRow> {
  const path = toCollectionPath(filter);
  return rows.list('collections', {
    where: toCollectionConditions(filter),
    sort: oldestFirst,
    reverse,
    path,
  });
}

/** The shop's collections among the ids, in no particular order. */
export function readCollections(rows: ShopRows, ids: readonly string[]): Promise<readonly CollectionRow[]> {
  return rows.byIds('collections', ids);
}
