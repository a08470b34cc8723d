import type { RowList, ShopRows } from '../rows/shop-rows';
import { toCollectionConditions, toCollectionPath } from './collection-filter';
import type { CollectionRow } from './collection-row';
import type { CollectionFilter, CollectionSortKey } from '../schema-inputs';
import { sortKeys } from './collection-sort-keys';

/** The collections of the shop that meet the filter, in the requested order. */
export function listCollections(
  rows: ShopRows,
  filter: CollectionFilter,
  { sortKey, reverse }: { sortKey: CollectionSortKey; reverse: boolean },
): RowList<CollectionRow> {
  const path = toCollectionPath(filter, sortKey);
  return rows.list('collections', {
    where: toCollectionConditions(filter),
    sort: sortKeys[sortKey],
    reverse,
    path,
  });
}

/** The shop's collections among the ids, in no particular order. */
export function readCollections(rows: ShopRows, ids: readonly string[]): Promise<readonly CollectionRow[]> {
  return rows.byIds('collections', ids);
}
