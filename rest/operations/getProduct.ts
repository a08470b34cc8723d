import { ApiError } from '../../src/errors/api-error';
import type { RestOperation, ParameterOf, Rule } from '../operation';
import { text } from '../operation';
import type { GetProductQuery, GetProductQueryVariables } from './generated';

/** Text that is not a UUID matches no product, so it returns 404 (D3). */
const id: Rule<string> = { ...text, schema: { format: 'uuid' }, absent: '', parse: (given) => given };

export const getProduct: RestOperation<GetProductQuery> = {
  operationId: 'getProduct',
  path: '/products/{productId}',
  parameters: [
    {
      name: 'productId',
      in: 'path',
      fills: ['id'],
      rule: id,
      description: '`id` of the product, case-insensitive. A value that is not a UUID returns 404.',
    },
  ] satisfies readonly ParameterOf<GetProductQueryVariables>[],
  toBody({ product }) {
    if (product === null) throw new ApiError('NOT_FOUND', 'No product has this ID.');
    return { data: product };
  },
};
