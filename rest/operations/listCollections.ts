import type { RestOperation, ParameterOf } from '../operation';
import { toPageBody, flag, page } from '../operation';
import type { ListCollectionsQuery, ListCollectionsQueryVariables } from './generated';

export const listCollections: RestOperation<ListCollectionsQuery> = {
  operationId: 'listCollections',
  path: '/collections',
  parameters: [
    {
      name: 'published',
      fills: ['filter', 'published'],
      rule: flag,
      description: '`true`: only published collections; `false`: only unpublished ones.',
      example: true,
    },
    ...page,
  ] satisfies readonly ParameterOf<ListCollectionsQueryVariables>[],
  toBody: ({ collections }) => toPageBody(collections),
};
