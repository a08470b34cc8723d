import type { RestOperation, ParameterOf } from '../operation';
import { toPageBody, pageParameters, text } from '../operation';
import type { ListOrdersQuery, ListOrdersQueryVariables } from './generated';

export const listOrders: RestOperation<ListOrdersQuery> = {
  operationId: 'listOrders',
  path: '/orders',
  parameters: [
    {
      name: 'financial_status',
      fills: ['filter', 'financialStatus'],
      rule: text,
      description: 'Filter by payment status, as the platform reports it. Exact match, case-sensitive.',
      example: 'PAID',
    },
    {
      name: 'fulfillment_status',
      fills: ['filter', 'fulfillmentStatus'],
      rule: text,
      description: 'Filter by fulfillment status, as the platform reports it. Exact match, case-sensitive.',
      example: 'FULFILLED',
    },
    ...pageParameters,
  ] satisfies readonly ParameterOf<ListOrdersQueryVariables>[],
  toBody: ({ orders }) => toPageBody(orders),
};
