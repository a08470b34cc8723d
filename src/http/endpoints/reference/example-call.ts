import { join } from 'node:path';
import type { OperationReference } from './operation-reference';

// A browser script without exports.
// eslint-disable-next-line @typescript-eslint/no-require-imports
const snippets = require(join(__dirname, '../shell/assets/snippets.js')) as {
  readonly write: (language: string, call: ReturnType<typeof callOf>) => string;
};

/** A call in a language of the tabs. */
export const writeCall = snippets.write;

/** The method of the typed client (client/) that makes the call. */
const clientCalls: Readonly<Record<string, string>> = {
  getShop: 'shop.get',
  listProducts: 'products.list',
  getProduct: 'products.get',
  listCollections: 'collections.list',
  listOrders: 'orders.list',
};

/** The example call, which readers without JavaScript see in every language. */
export function callOf({ operationId, path, parameters, exampleValues }: OperationReference, origin: string) {
  const isIn = (location: string) => parameters.filter((each) => each.in === location).map(({ name }) => name);
  const [name] = isIn('path');
  return {
    origin,
    address: `${origin}${path.replace(`{${name}}`, '$PRODUCT_ID')}`,
    query: Object.entries(exampleValues).filter(([each]) => isIn('query').includes(each)),
    headers: [] as const,
    id: name && '$PRODUCT_ID',
    clientCall: clientCalls[operationId] ?? 'shop.get',
  };
} // prettier-ignore
