import type { RestOperation } from '../operation';
import { readCursor, readLimit, readText, toPageBody } from '../operation';
import type { ListOrdersQuery, ListOrdersQueryVariables } from './generated';

export const listOrders: RestOperation<ListOrdersQueryVariables, ListOrdersQuery> = {
  operationId: 'listOrders',
  path: '/orders',
  readVariables: ({ query }) => ({
    first: readLimit(query),
    after: readCursor(query),
    filter: {
      financialStatus: readText(query, 'financial_status'),
      fulfillmentStatus: readText(query, 'fulfillment_status'),
    },
  }),
  toBody: ({ orders }) => toPageBody(orders),
};
