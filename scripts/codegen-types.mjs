// Generates what is not in git: the members of a shop's objects and the types of schema.graphql, of the documents of
// the REST operations and of rest/openapi.yaml. `npm ci` and `npm run build` run it when an output is missing or older
// than its source; `npm run types` and `npm run codegen` always do.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codegen } from '@graphql-codegen/core';
import * as typescript from '@graphql-codegen/typescript';
import * as typescriptOperations from '@graphql-codegen/typescript-operations';
import * as typescriptResolvers from '@graphql-codegen/typescript-resolvers';
import { buildASTSchema, parse } from 'graphql';
import openapiTypeScript, { astToString } from 'openapi-typescript';
import { parse as parseYaml } from 'yaml';
import { writeSchemaMembers } from './schema-members.mjs';

const root = join(import.meta.dirname, '..');
const read = (...path) => readFileSync(join(root, ...path), 'utf8');

const common = {
  scalars: { ID: 'string', DateTime: 'string', Decimal: 'string', Long: 'number', URL: 'string' },
  enumsAsTypes: true,
  immutableTypes: true,
  useTypeImports: true,
  skipTypename: true,
};

/** The parent types of resolvers: rows and pages instead of the schema's own types. */
const mappers = {
  Node: './rows/shop-tables#TypedObject',
  Shop: '../auth/principal#ShopRecord',
  PageInfo: '../relay/connection#PageInfo as PageInformation',
};
for (const noun of ['Product', 'Variant', 'Collection', 'Order']) {
  const row = `${noun}Row`;
  mappers[noun] = `./${noun.toLowerCase()}/${noun.toLowerCase()}#${row}`;
  // Pages of rows may hold raw rows instead.
  const item = `${row} | RawRow`;
  mappers[`${noun}Connection`] = `../relay/connection#Connection<${item}>`;
  mappers[`${noun}Edge`] = `../relay/connection#Edge<${item}>`;
}

for (const part of ['Image', 'Membership', 'LineItem']) mappers[part] = `./model#Stored${part}`;
mappers.Change = './change/change-reader#ObjectChange';
mappers.ChangeConnection = './change/change-resolvers#ChangeConnectionPage';
mappers.OrderFigures = './figures/order-figures-reader#OrderFigures as FiguresOfOrders';
mappers.ProductSales = './figures/order-figures-reader#ProductSales as SalesOfProduct';
mappers.OrderSums = './figures/order-sums#OrderSums as OrdersOfCurrency';
mappers.ProductFigures = 'object';
mappers.ChangeEdge = '../relay/connection#Edge<ObjectChange>';

const schema = parse(read('schema.graphql'));
writeSchemaMembers(buildASTSchema(schema, { assumeValidSDL: true }));

const files = [
  {
    filename: 'src/catalog/schema-types.ts',
    head: `import type { RawJson } from './passthrough';
import type { RawRow } from './rows/shop-tables';
`,
    documents: [],
    plugins: [{ typescript: {} }, { typescriptResolvers: {} }],
    pluginMap: { typescript, typescriptResolvers },
    config: {
      ...common,
      contextType: './catalog#Catalog',
      // If the document was rewritten for it, a resolver returns JSON text (docs/decisions.md 30).
      resolverTypeWrapperSignature: 'T | RawJson | Promise<T | RawJson>',
      mappers,
      inputMaybeValue: 'T | null',
      noSchemaStitching: true,
    },
  },
  {
    // Separate, because the types above import readers that use these types.
    filename: 'src/catalog/schema-inputs.ts',
    head: '',
    documents: [],
    schema: { ...schema, definitions: schema.definitions.filter(({ kind }) => /^(Input|Enum|Scalar)/.test(kind)) },
    plugins: [{ typescript: {} }],
    pluginMap: { typescript },
    config: { ...common, inputMaybeValue: 'T | null', noSchemaStitching: true },
  },
  {
    filename: 'rest/operations/generated.ts',
    head: '',
    documents: readdirSync(join(root, 'rest/operations'))
      .filter((name) => name.endsWith('.graphql'))
      .sort()
      .map((name) => ({ location: name, document: parse(read('rest/operations', name)) })),
    plugins: [{ typescriptOperations: {} }],
    pluginMap: { typescriptOperations },
    config: common,
  },
];
for (const { filename, head, ...options } of files)
  writeFileSync(join(root, filename), head + (await codegen({ filename, schema, ...options })));

const openapi = await openapiTypeScript(parseYaml(read('rest/openapi.yaml')), { immutable: true });
writeFileSync(join(root, 'client/src/openapi.ts'), astToString(openapi));
