import type { RestOperation } from './operation';
import { getProduct } from './operations/getProduct';
import { getShop } from './operations/getShop';
import { listCollections } from './operations/listCollections';
import { listOrders } from './operations/listOrders';
import { listProducts } from './operations/listProducts';

/** The whole REST API, in the order of the specification. */
export const operations: readonly RestOperation[] = [getShop, listProducts, getProduct, listCollections, listOrders];
