import { updatedSort } from '../rows/condition';
import type { SortKey } from '../rows/shop-list';
import type { CollectionSortKey } from '../schema-inputs';

/** The orders of a list of collections, by their names in the schema: those without a date last (D9). */
export const sortKeys = {
  CREATED_AT: { column: 'sort_at', type: 'timestamptz', member: 'createdAt', nullAs: 'infinity' },
  UPDATED_AT: { column: updatedSort, type: 'timestamptz', member: 'updatedAt', nullAs: 'infinity' },
} as const satisfies Record<CollectionSortKey, SortKey>;
