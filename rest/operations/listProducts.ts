import type { RestOperation, ParameterOf } from '../operation';
import { toPageBody, choice, pageParameters, text } from '../operation';
import type { ListProductsQuery, ListProductsQueryVariables, ProductStatus } from './generated';

const status = choice<ProductStatus>(['ACTIVE', 'DRAFT', 'ARCHIVED'], { $ref: '#/components/schemas/ProductStatus' });

export const listProducts: RestOperation<ListProductsQuery> = {
  operationId: 'listProducts',
  path: '/products',
  parameters: [
    {
      name: 'q',
      fills: ['filter', 'query'],
      rule: text,
      description:
        'Substring of title or handle. Case-insensitive, including non-ASCII letters (`É` = `é`). `%`, `_` and `\\` match literally. An empty string matches everything.',
      example: 'mug',
    },
    {
      name: 'status',
      fills: ['filter', 'status'],
      rule: status,
      description: 'Filter by status. Case-sensitive.',
      example: 'ACTIVE',
    },
    {
      name: 'vendor',
      fills: ['filter', 'vendor'],
      rule: text,
      description: 'Filter by vendor, such as `Atelier Émail`. Exact match, case-sensitive.',
    },
    {
      name: 'product_type',
      fills: ['filter', 'productType'],
      rule: text,
      description: 'Filter by product type, such as `Mug`. Exact match, case-sensitive.',
    },
    {
      name: 'tag',
      fills: ['filter', 'tag'],
      rule: text,
      description: 'Filter by tag, such as `handmade`. Exact match, case-sensitive.',
    },
    ...pageParameters,
  ] satisfies readonly ParameterOf<ListProductsQueryVariables>[],
  toBody: ({ products }) => toPageBody(products),
};
