import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../src/common/project-root';
import type { RestOperation } from './operation';
import { getProduct } from './operations/getProduct';
import { getShop } from './operations/getShop';
import { listCollections } from './operations/listCollections';
import { listOrders } from './operations/listOrders';
import { listProducts } from './operations/listProducts';

/** Reads the fixed document of an operation, as text. */
export const readOperationDocument = (operationId: string): string =>
  readFileSync(join(projectRoot, 'rest', 'operations', `${operationId}.graphql`), 'utf8');

/** The whole REST API, in the order of the specification. */
export const operations: readonly RestOperation[] = [getShop, listProducts, getProduct, listCollections, listOrders];

/** Reads the fixed documents of all operations, as text, by their ids. */
export const readOperationDocuments = (): Readonly<Record<string, string>> =>
  Object.fromEntries(operations.map(({ operationId }) => [operationId, readOperationDocument(operationId)]));
