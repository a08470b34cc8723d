import type { Sql } from '../../database/sql';
import { sql } from '../../database/sql';
import type { DateTimeRange } from '../rows/condition';
import {
  equals,
  whereIdAmong,
  whereAnyOf,
  whereBetween,
  whereCreatedBetween,
  whereUpdatedBetween,
  updatedSort,
} from '../rows/condition';
import type { ListPath } from '../rows/shop-list';
import { splitFilter, toLookUp, toRange } from '../rows/shop-list';
import type { CollectionSortKey } from './collection-sort-keys';

/** The argument `filter` of `collections`, as the schema describes it. */
export interface CollectionFilter {
  readonly published?: boolean | null;
  readonly collectionType?: string | null;
  readonly ids?: readonly string[] | null;
  readonly externalIds?: readonly string[] | null;
  readonly createdAt?: DateTimeRange | null;
  readonly updatedAt?: DateTimeRange | null;
}

/**
 * The path to the collections that a filter selects: in order of creation through the index of published or unpublished
 * ones.
 */
export function toCollectionPath(filter: CollectionFilter, sortKey: CollectionSortKey): ListPath {
  const [{ createdAt, updatedAt, ...along }, rest] = splitFilter(
    filter,
    sortKey === 'CREATED_AT' ? ['published', 'createdAt'] : ['updatedAt'],
  );
  return {
    along: [...toCollectionConditions(along), ...whereCreatedBetween(createdAt), ...whereUpdatedBetween(updatedAt)],
    rest: toCollectionConditions(rest),
    ranges: [
      ...toRange(whereUpdatedBetween(filter.updatedAt), [updatedSort, 'id']),
      ...toRange(whereCreatedBetween(filter.createdAt), ['sort_at', 'id']),
    ],
    lookUp: toLookUp(filter),
  };
}

/** The conditions that a collection must meet. */
export function toCollectionConditions(filter: CollectionFilter): readonly Sql[] {
  const { published } = filter;
  return [
    ...(typeof published === 'boolean' ? [sql`item.published = ${published}::boolean`] : []),
    ...equals('collection_type', filter.collectionType),
    ...whereIdAmong(filter.ids),
    ...whereAnyOf('external_id', filter.externalIds),
    ...whereBetween('created_at', filter.createdAt),
    ...whereBetween('updated_at', filter.updatedAt),
  ];
}
