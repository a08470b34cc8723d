import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { projectRoot } from '../src/project-root';

/** The origin that stands in openapi.yaml for the one of the installation. */
const documentedOrigin = 'https://api.catalog.example';

/** openapi.yaml with the addresses of this installation (D17). */
export function readOpenApiDocument(publicUrl: string): object {
  const text = readFileSync(join(projectRoot, 'rest', 'openapi.yaml'), 'utf8');
  return parse(text.replaceAll(documentedOrigin, publicUrl)) as object;
}
