import type { RestOperation } from '../operation';
import { readBoolean, readCursor, readLimit, toPageBody } from '../operation';
import type { ListCollectionsQuery, ListCollectionsQueryVariables } from './generated';

export const listCollections: RestOperation<ListCollectionsQueryVariables, ListCollectionsQuery> = {
  operationId: 'listCollections',
  path: '/collections',
  readVariables: ({ query }) => ({
    first: readLimit(query),
    after: readCursor(query),
    filter: { published: readBoolean(query, 'published') },
  }),
  toBody: ({ collections }) => toPageBody(collections),
};
