import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../../../src/common/project-root';
import { largePackage } from '../large-packages';
import { findTypeErrors, linkPackages } from './find-type-errors';

it('our client takes its types from documents of gql.tada and graphql-codegen, under strict', () => {
  const directory = mkdtempSync(join(tmpdir(), 'typed-documents-'));
  linkPackages(directory);
  execFileSync(process.execPath, [join(projectRoot, 'client/build.mjs'), join(directory, 'client')]);
  const plugin = { name: 'gql.tada/ts-plugin', schema: join(projectRoot, 'schema.graphql') };
  const plugins = [{ ...plugin, tadaOutputLocation: './graphql-env.d.ts' }];
  const tsconfig = join(directory, 'tsconfig.json');
  writeFileSync(tsconfig, JSON.stringify({ compilerOptions: { strict: true, plugins } }));
  execFileSync(process.execPath, [largePackage('gql.tada', 'bin/cli.js'), 'generate-output', '--tsconfig', tsconfig], {
    cwd: projectRoot,
    stdio: 'pipe',
  });
  const use = join(directory, 'use.ts');
  writeFileSync(
    use,
    `import { initGraphQLTada } from 'gql.tada';
     import { print } from 'graphql';
     import { createCatalogClient } from './client/esm/index.js';
     import type { introspection } from './graphql-env';
     const graphql = initGraphQLTada<{ introspection: introspection; scalars: { Long: number; Decimal: string } }>();
     const client = createCatalogClient({ origin: 'https://api.catalog.example', credentials: { apiKey: 'a.b' }, print });
     const product = graphql('query ($id: ID!) { product(id: $id) { title minPrice totalStock } }');
     const shop = graphql('{ shop { name } }');
     export async function use(): Promise<[string | null | undefined, number | undefined, string | null | undefined]> {
       const found = await client.graphql(product, { id: 'some id' });
       const { shop: own } = await client.graphql(shop);
       return [found.product?.minPrice, found.product?.totalStock, own?.name];
     }
     // @ts-expect-error: the variable is missing
     export const without = () => client.graphql(product);
     // @ts-expect-error: the variable is a text
     export const wrong = () => client.graphql(product, { id: 1 });
     class TypedDocumentString<Result, Variables> extends String {
       readonly __apiType?: (variables: Variables) => Result;
     }
     const count = new TypedDocumentString<{ products: { totalCount: number } }, { first: number }>('{ … }');
     export const counted: Promise<{ products: { totalCount: number } }> = client.graphql(count, { first: 1 });
     // @ts-expect-error: the variable is missing
     export const uncounted = () => client.graphql(count, {});`,
  );
  expect(findTypeErrors([use])).toEqual([]);
});
