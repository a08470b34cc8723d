import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { withAddresses } from '../src/common/public-url';

const source = join(__dirname, 'openapi.yaml');
/** The build's copy in dist/, which parses faster. */
const built = join(__dirname, 'openapi.json');

/** The installation-specific parts of the document. */
interface Installation {
  readonly publicUrl: string;
  readonly environment: 'development' | 'test' | 'production';
  /**
   * An example product, if all callers read the same shop; API consoles fill it in. Otherwise users must enter one,
   * because an unknown id returns 404.
   */
  readonly exampleProductId?: string | undefined;
}

const environments = { development: 'Development', test: 'Test', production: 'Production' };

/** openapi.yaml with the URLs of this installation (D17). */
export function readOpenApiDocument({ publicUrl, environment, exampleProductId }: Installation): object {
  const read = (file: string): string => withAddresses(readFileSync(file, 'utf8'), publicUrl);
  const document = (existsSync(built) ? JSON.parse(read(built)) : parse(read(source))) as OpenApiDocument;
  for (const server of document.servers) server.description = environments[environment];
  if (exampleProductId !== undefined) document.components.parameters.productId.example = exampleProductId;
  return document;
}

/** The parts that are changed here. */
interface OpenApiDocument {
  readonly servers: { description: string }[];
  readonly components: { readonly parameters: { readonly productId: { example?: string } } };
}
