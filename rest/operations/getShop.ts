import type { RestOperation } from '../operation';
import type { GetShopQuery } from './generated';

export const getShop: RestOperation<GetShopQuery> = {
  operationId: 'getShop',
  path: '/shop',
  parameters: [],
  toBody: ({ shop }) => ({ data: shop }),
};
