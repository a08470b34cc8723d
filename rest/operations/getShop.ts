import type { RestOperation } from '../operation';

export const getShop: RestOperation = {
  operationId: 'getShop',
  path: '/shop',
  readVariables: () => ({}),
  toBody: ({ shop }) => ({ data: shop }),
};
