import type { RestOperation } from '../operation';
import { toPageBody } from '../operation';
import { readBoolean, readCursor, readLimit } from '../parameters';
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
