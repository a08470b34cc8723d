import type { RestOperation, ParameterOf } from '../operation';
import { toPageBody, page, text } from '../operation';
import type { ListOrdersQuery, ListOrdersQueryVariables } from './generated';

export const listOrders: RestOperation<ListOrdersQuery> = {
  operationId: 'listOrders',
  path: '/orders',
  parameters: [
    {
      name: 'financial_status',
      fills: ['filter', 'financialStatus'],
      rule: text,
      description: "Only orders with this payment status in the CMS's own words: exact, case-sensitive.",
      example: 'PAID',
    },
    {
      name: 'fulfillment_status',
      fills: ['filter', 'fulfillmentStatus'],
      rule: text,
      description: "Only orders with this shipment status in the CMS's own words: exact, case-sensitive.",
      example: 'FULFILLED',
    },
    ...page,
  ] satisfies readonly ParameterOf<ListOrdersQueryVariables>[],
  toBody: ({ orders }) => toPageBody(orders),
};
