import { readOperationDocument } from './operation-document';
import { operations } from './operations';

/** Reads the fixed documents of all operations, as text, by their ids. */
export const readOperationDocuments = (): Readonly<Record<string, string>> =>
  Object.fromEntries(operations.map(({ operationId }) => [operationId, readOperationDocument(operationId)]));
