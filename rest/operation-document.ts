import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../src/common/project-root';

/** Reads the fixed document of an operation, as text. */
export const readOperationDocument = (operationId: string): string =>
  readFileSync(join(projectRoot, 'rest', 'operations', `${operationId}.graphql`), 'utf8');
