import { connect } from '../../relay/connection';
import type { ConnectionArguments } from '../../relay/connection-arguments';
import type { Catalog } from '../catalog';
import { toBinding } from '../filter-binding';
import type { CollectionFilter } from './collection-filter';
import { listCollections } from './collection-reader';

export const collectionResolvers = {
  Query: {
    collection: (_: unknown, { id }: { id: string }, catalog: Catalog) => catalog.collections.load(id),

    collections: (_: unknown, given: ConnectionArguments & { filter?: CollectionFilter | null }, catalog: Catalog) => {
      const filter = given.filter ?? {};
      const binding = toBinding(catalog.principal.shop.id, 'collections', filter);
      return connect(listCollections(catalog.rows, filter), given, catalog.cursors, binding);
    },
  },
};
