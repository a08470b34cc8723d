import type { RestOperation } from '../operation';
import { toPageBody } from '../operation';
import type { ParameterOf } from '../parameters';
import { flag, page } from '../parameters';
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
