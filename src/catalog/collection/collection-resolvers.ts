import { connect } from '../../relay/connection';
import type { ConnectionArguments } from '../../relay/connection-arguments';
import type { Catalog } from '../catalog';
import { toBinding } from '../filter-binding';
import type { CollectionFilter } from './collection-filter';
import { listCollections } from './collection-reader';

interface CollectionsArguments extends ConnectionArguments {
  readonly filter?: CollectionFilter | null;
  readonly reverse: boolean;
}

function collections(_: unknown, given: CollectionsArguments, catalog: Catalog) {
  const filter = given.filter ?? {};
  const binding = toBinding(catalog.principal.shop.id, 'collections', filter, [given.reverse]);
  return connect(listCollections(catalog.rows, filter, given), given, catalog.cursors, binding);
}

export const collectionResolvers = {
  Query: {
    collection: (_: unknown, { id }: { id: string }, catalog: Catalog) => catalog.collections.load(id),
    collections,
  },
  Shop: { collections },
};
