import type { RestOperation } from '../operation';
import { readChoice, readCursor, readLimit, readText, toPageBody } from '../operation';
import type { ListProductsQuery, ListProductsQueryVariables, ProductStatus } from './generated';

export const listProducts: RestOperation<ListProductsQueryVariables, ListProductsQuery> = {
  operationId: 'listProducts',
  path: '/products',
  readVariables: ({ query }) => ({
    first: readLimit(query),
    after: readCursor(query),
    filter: {
      query: readText(query, 'q'),
      status: readChoice<ProductStatus>(query, 'status', ['ACTIVE', 'DRAFT', 'ARCHIVED']),
      vendor: readText(query, 'vendor'),
      productType: readText(query, 'product_type'),
      tag: readText(query, 'tag'),
    },
  }),
  toBody: ({ products }) => toPageBody(products),
};
