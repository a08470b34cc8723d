import { Prisma } from '../../database/generated/client';
import type { DateTimeRange } from '../rows/condition';
import { equals, hasIdAmong, isAnyOf, isBetween, isCreatedBetween } from '../rows/condition';
import type { ListPath } from '../rows/shop-list';
import { toLookUp, toRange } from '../rows/shop-list';
import { splitFilter } from '../rows/split-filter';

/** The argument `filter` of `collections`, as the schema describes it. */
export interface CollectionFilter {
  readonly published?: boolean | null;
  readonly collectionType?: string | null;
  readonly ids?: readonly string[] | null;
  readonly externalIds?: readonly string[] | null;
  readonly createdAt?: DateTimeRange | null;
  readonly updatedAt?: DateTimeRange | null;
}

/** The way to the collections that a filter leaves: along the index of those that are published, or not. */
export function toCollectionPath(filter: CollectionFilter): ListPath {
  const [{ createdAt, ...along }, rest] = splitFilter(filter, ['published', 'createdAt']);
  return {
    along: [...toCollectionConditions(along), ...isCreatedBetween(createdAt)],
    rest: toCollectionConditions(rest),
    ranges: toRange(isCreatedBetween(createdAt), ['sort_at', 'id']),
    lookUp: toLookUp(filter),
  };
}

/** The conditions a collection must meet. */
export function toCollectionConditions(filter: CollectionFilter): readonly Prisma.Sql[] {
  const { published } = filter;
  return [
    ...(typeof published === 'boolean' ? [Prisma.sql`t.published = ${published}::boolean`] : []),
    ...equals('collection_type', filter.collectionType),
    ...hasIdAmong(filter.ids),
    ...isAnyOf('external_id', filter.externalIds),
    ...isBetween('created_at', filter.createdAt),
    ...isBetween('updated_at', filter.updatedAt),
  ];
}
