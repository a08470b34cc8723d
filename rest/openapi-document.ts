import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { projectRoot } from '../src/project-root';

/** The origin that stands in openapi.yaml for the one of the installation. */
const documentedOrigin = 'https://api.catalog.example';

/** What the document says of one installation. */
export interface Installation {
  readonly publicUrl: string;
  readonly environment: 'development' | 'test' | 'production';
  /**
   * A product that exists, where all callers read the same shop: what tools that let people try the API fill in. Elsewhere they have
   * to name one, because an id that is nobody's would be answered with 404.
   */
  readonly exampleProductId?: string | undefined;
}

const environments = { development: 'Development', test: 'Test', production: 'Production' };

/** openapi.yaml with the addresses of this installation (D17). */
export function readOpenApiDocument({ publicUrl, environment, exampleProductId }: Installation): object {
  const text = readFileSync(join(projectRoot, 'rest', 'openapi.yaml'), 'utf8');
  const document = parse(text.replaceAll(documentedOrigin, publicUrl)) as OpenApiDocument;
  for (const server of document.servers) server.description = environments[environment];
  if (exampleProductId !== undefined) document.components.parameters.productId.example = exampleProductId;
  return document;
}

/** As far as it is changed here. */
interface OpenApiDocument {
  readonly servers: { description: string }[];
  readonly components: { readonly parameters: { readonly productId: { example?: string } } };
}
