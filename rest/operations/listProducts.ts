import type { RestOperation } from '../operation';
import { toPageBody } from '../page-body';
import { readChoice, readCursor, readLimit, readText } from '../parameter-readers';

export const listProducts: RestOperation = {
  operationId: 'listProducts',
  path: '/products',
  readVariables: ({ query }) => ({
    first: readLimit(query),
    after: readCursor(query),
    filter: {
      query: readText(query, 'q'),
      status: readChoice(query, 'status', ['ACTIVE', 'DRAFT', 'ARCHIVED']),
      vendor: readText(query, 'vendor'),
      productType: readText(query, 'product_type'),
      tag: readText(query, 'tag'),
    },
  }),
  toBody: ({ products }) => toPageBody(products),
};
