import type { RestOperation, ParameterOf } from '../operation';
import { toPageBody, flag, pageParameters } from '../operation';
import type { ListCollectionsQuery, ListCollectionsQueryVariables } from './generated';

export const listCollections: RestOperation<ListCollectionsQuery> = {
  operationId: 'listCollections',
  path: '/collections',
  parameters: [
    {
      name: 'published',
      fills: ['filter', 'published'],
      rule: flag,
      description: 'Published (`true`) or unpublished (`false`) collections.',
      example: true,
    },
    ...pageParameters,
  ] satisfies readonly ParameterOf<ListCollectionsQueryVariables>[],
  toBody: ({ collections }) => toPageBody(collections),
};
