import type { Sql } from '../../database/sql';
import { sql } from '../../database/sql';
import type { ConditionsOf } from '../rows/condition';
import {
  equals,
  toConditions,
  whereIdAmong,
  whereAnyOf,
  whereBetween,
  whereCreatedBetween,
  whereUpdatedBetween,
  updatedSort,
} from '../rows/condition';
import type { ListPath } from '../rows/shop-list';
import { splitFilter, toLookUp, toRange } from '../rows/shop-list';
import type { CollectionFilter, CollectionSortKey } from '../schema-inputs';

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

const conditions: ConditionsOf<CollectionFilter> = {
  published: (published) => (typeof published === 'boolean' ? [sql`item.published = ${published}::boolean`] : []),
  collectionType: (type) => equals('collection_type', type),
  ids: whereIdAmong,
  externalIds: (ids) => whereAnyOf('external_id', ids),
  createdAt: (range) => whereBetween('created_at', range),
  updatedAt: (range) => whereBetween('updated_at', range),
};

/** The conditions that a collection must meet. */
export const toCollectionConditions = (filter: CollectionFilter): readonly Sql[] => toConditions(conditions, filter);
