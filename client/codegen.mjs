// Writes src/openapi.ts, the types of the OpenAPI document: `npm run codegen`.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import openapiTypeScript, { astToString } from 'openapi-typescript';
import { format, resolveConfig } from 'prettier';
import { parse } from 'yaml';

const target = join(import.meta.dirname, 'src/openapi.ts');
const document = parse(await readFile(join(import.meta.dirname, '../rest/openapi.yaml'), 'utf8'));
const types = astToString(await openapiTypeScript(document, { immutable: true }));
const text = `// Written by codegen.mjs from rest/openapi.yaml; a test compares them.\n${types}`;
const formatted = await format(text, { ...(await resolveConfig(target)), parser: 'typescript' });
if (process.argv.includes('--print')) process.stdout.write(formatted);
else await writeFile(target, formatted);
