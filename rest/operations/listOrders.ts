import type { RestOperation } from '../operation';
import { toPageBody } from '../page-body';
import { readCursor, readLimit, readText } from '../parameter-readers';

export const listOrders: RestOperation = {
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
