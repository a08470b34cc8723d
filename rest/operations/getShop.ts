import type { RestOperation } from '../operation';
import type { GetShopQuery, GetShopQueryVariables } from './generated';

export const getShop: RestOperation<GetShopQueryVariables, GetShopQuery> = {
  operationId: 'getShop',
  path: '/shop',
  readVariables: () => ({}),
  toBody: ({ shop }) => ({ data: shop }),
};
