import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../src/common/project-root';
import type { RestOperation } from './operation';
import { getProduct } from './operations/getProduct';
import { getShop } from './operations/getShop';
import { listCollections } from './operations/listCollections';
import { listOrders } from './operations/listOrders';
import { listProducts } from './operations/listProducts';

/** Reads the text of an operation's fixed document. */
export const readOperationDocument = (operationId: string): string =>
  readFileSync(join(projectRoot, 'rest', 'operations', `${operationId}.graphql`), 'utf8');

/** All REST operations, in the order of the specification. */
export const operations: readonly RestOperation[] = [getShop, listProducts, getProduct, listCollections, listOrders];

/** Reads the texts of the fixed documents of all operations, by operation ID. */
export const readOperationDocuments = (): Readonly<Record<string, string>> =>
  Object.fromEntries(operations.map(({ operationId }) => [operationId, readOperationDocument(operationId)]));
