import type { Catalog } from '../catalog';
import { listResolver } from '../catalog';
import { listCollections } from './collection';

/** Cursors of the order that used to be the only one stay valid. */
const collections = listResolver('collections', listCollections, ({ sortKey, reverse }) =>
  sortKey === 'CREATED_AT' ? [reverse] : [sortKey, reverse],
);

export const collectionResolvers = {
  Query: {
    collection: (_: unknown, { id }: { id: string }, catalog: Catalog) => catalog.collections.load(id),
    collections,
  },
  Shop: { collections },
};
