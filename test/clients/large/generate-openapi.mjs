// Writes the clients that two generators create from an OpenAPI document: node generate-openapi.mjs DOCUMENT DIRECTORY.
// A separate process, because both packages are ES modules that import others dynamically.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';
import openapiTypeScript, { astToString } from 'openapi-typescript';

const [file, directory] = process.argv.slice(2);
const document = JSON.parse(await readFile(file, 'utf8'));

await writeFile(join(directory, 'openapi-typescript.ts'), astToString(await openapiTypeScript(document)));

await createClient({
  input: file,
  output: join(directory, 'hey-api'),
  logs: { level: 'silent' },
  plugins: ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch'],
});
