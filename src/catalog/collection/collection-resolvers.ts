import type { Catalog } from '../catalog';
import type { RowConnectionArguments } from '../connect-rows';
import { connectRows } from '../connect-rows';
import { toBinding } from '../filter-binding';
import type { CollectionFilter } from './collection-filter';
import { listCollections } from './collection-reader';
import type { CollectionSortKey } from './collection-sort-keys';

interface CollectionsArguments extends RowConnectionArguments {
  readonly filter?: CollectionFilter | null;
  readonly sortKey: CollectionSortKey;
  readonly reverse: boolean;
}

/** Cursors of the order that used to be the only one stay valid. */
const toOrder = ({ sortKey, reverse }: CollectionsArguments): readonly unknown[] =>
  sortKey === 'CREATED_AT' ? [reverse] : [sortKey, reverse];

function collections(_: unknown, given: CollectionsArguments, catalog: Catalog) {
  const filter = given.filter ?? {};
  const binding = toBinding(catalog.principal.shop.id, 'collections', filter, toOrder(given));
  return connectRows(listCollections(catalog.rows, filter, given), given, catalog.cursors, binding);
}

export const collectionResolvers = {
  Query: {
    collection: (_: unknown, { id }: { id: string }, catalog: Catalog) => catalog.collections.load(id),
    collections,
  },
  Shop: { collections },
};
