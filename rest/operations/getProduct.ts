import { ApiError } from '../../src/errors/api-error';
import type { RestOperation } from '../operation';
import type { GetProductQuery, GetProductQueryVariables } from './generated';

export const getProduct: RestOperation<GetProductQueryVariables, GetProductQuery> = {
  operationId: 'getProduct',
  path: '/products/{productId}',
  // A text that is not a UUID is no product's id: the graph finds nothing, and that is a 404 (D3).
  readVariables: ({ path }) => ({ id: path['productId'] ?? '' }),
  toBody({ product }) {
    if (product === null) throw new ApiError('NOT_FOUND', 'There is no product with this id.');
    return { data: product };
  },
};
