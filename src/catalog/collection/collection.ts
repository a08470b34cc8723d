import type { Sql } from '../../database/sql';
import { sql } from '../../database/sql';
import type { ConditionsOf, ListPath } from '../rows/shop-list';
import {
  equals,
  sortKeysByDate,
  toConditions,
  updatedSort,
  whereAnyOf,
  whereBetween,
  whereAmong,
  whereSortedBetween,
  splitFilter,
  toListed,
  toRange,
} from '../rows/shop-list';
import type { KeysetList } from '../../relay/connection';
import type { MemberRow, RowList, ShopRows } from '../rows/shop-rows';
import type { RowOf } from '../rows/shop-tables';
import type { CollectionFilter, CollectionSortKey } from '../schema-inputs';
import type { Pages } from '../variant/variant';

/** A collection as returned by ShopRows. */
export type CollectionRow = RowOf<'collections'>;

/**
 * The path to the collections that a filter selects: in order of creation through the index of published or unpublished
 * ones.
 */
function toCollectionPath(filter: CollectionFilter, sortKey: CollectionSortKey): ListPath {
  const [{ createdAt, updatedAt, ...indexed }, others] = splitFilter(
    filter,
    sortKey === 'CREATED_AT' ? ['published', 'createdAt'] : ['updatedAt'],
  );
  return {
    indexConditions: [
      ...toCollectionConditions(indexed),
      ...whereSortedBetween('sort_at', createdAt),
      ...whereSortedBetween(updatedSort, updatedAt),
    ],
    filters: toCollectionConditions(others),
    ranges: [
      ...toRange(whereSortedBetween(updatedSort, filter.updatedAt), [updatedSort, 'id']),
      ...toRange(whereSortedBetween('sort_at', filter.createdAt), ['sort_at', 'id']),
    ],
    listed: toListed(filter),
  };
}

const conditions: ConditionsOf<CollectionFilter> = {
  published: (published) => (typeof published === 'boolean' ? [sql`item.published = ${published}::boolean`] : []),
  collectionType: (type) => equals('collection_type', type),
  ids: whereAmong('id'),
  externalIds: (ids) => whereAnyOf('external_id', ids),
  createdAt: (range) => whereBetween('created_at', range),
  updatedAt: (range) => whereBetween('updated_at', range),
};

/** The conditions that a collection must meet. */
const toCollectionConditions = (filter: CollectionFilter): readonly Sql[] => toConditions(conditions, filter);

/** The collections of the shop that meet the filter, in the requested order. */
export function listCollections(
  rows: ShopRows,
  filter: CollectionFilter,
  { sortKey, reverse }: { sortKey: CollectionSortKey; reverse: boolean },
): RowList<CollectionRow> {
  const path = toCollectionPath(filter, sortKey);
  return rows.list('collections', {
    where: toCollectionConditions(filter),
    sort: sortKeysByDate[sortKey],
    reverse,
    path,
  });
}

/** The visible products of a collection, in its order. */
export const listMembers = (rows: ShopRows, pages: Pages<MemberRow>, id: string): KeysetList<MemberRow> => ({
  positionOf: ({ place, id: product }) => [String(place), product],
  count: () => rows.countMembers(id),
  read: (range) => pages.load({ ownerId: id, range }),
  hasAny: (range) => rows.hasMembers(id, range),
});
