import type { RestOperation, ParameterOf } from '../operation';
import { toPageBody, choice, page, text } from '../operation';
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
        'Case-insensitive substring of title or handle, for all of Unicode (`É` = `é`). `%`, `_` and `\\` are ordinary characters. Empty text matches everything.',
      example: 'mug',
    },
    {
      name: 'status',
      fills: ['filter', 'status'],
      rule: status,
      description: 'Only products in this status. Case-sensitive.',
      example: 'ACTIVE',
    },
    {
      name: 'vendor',
      fills: ['filter', 'vendor'],
      rule: text,
      description: 'Only products of this vendor, for instance `Atelier Émail`: exact, case-sensitive.',
    },
    {
      name: 'product_type',
      fills: ['filter', 'productType'],
      rule: text,
      description: 'Only products of this type, for instance `Mug`: exact, case-sensitive.',
    },
    {
      name: 'tag',
      fills: ['filter', 'tag'],
      rule: text,
      description: 'Only products that carry this tag, for instance `handmade`: exact, case-sensitive.',
    },
    ...page,
  ] satisfies readonly ParameterOf<ListProductsQueryVariables>[],
  toBody: ({ products }) => toPageBody(products),
};
