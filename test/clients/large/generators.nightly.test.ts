import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { RulesetDefinition } from '@stoplight/spectral-core';
import { Spectral } from '@stoplight/spectral-core';
import { oas } from '@stoplight/spectral-rulesets';
import ts from 'typescript';
import { projectRoot } from '../../../src/common/project-root';
import { exchange } from '../../support/rest-client';
import { largePackage } from '../large-packages';
import type { DemoService } from '../../support/demo-service';
import { startDemoService } from '../../support/demo-service';
import { findTypeErrors, linkPackages } from './find-type-errors';

const run = promisify(execFile);
const node = (...words: string[]) => run(process.execPath, words, { cwd: projectRoot });

let service: DemoService;
let directory: string;
let document: Record<string, unknown>;
beforeAll(async () => {
  service = await startDemoService();
  directory = mkdtempSync(join(tmpdir(), 'generated-'));
  linkPackages(directory);
  document = (await exchange(service.publicUrl, '/v1/openapi.json', {})).body as Record<string, unknown>;
  writeFileSync(join(directory, 'openapi.json'), JSON.stringify(document));
});
afterAll(() => service.close());

const write = (name: string, text: string): string => {
  const file = join(directory, name);
  writeFileSync(file, text);
  return file;
};

describe('the OpenAPI document', () => {
  it('has no findings of spectral:oas', async () => {
    const spectral = new Spectral();
    spectral.setRuleset({ extends: [oas as RulesetDefinition] });
    expect(await spectral.run(document)).toEqual([]);
  });

  it('calls every count and every stock a 64-bit integer (D22)', () => {
    const { schemas } = document['components'] as { schemas: Record<string, Schema> };
    const integers = Object.values(schemas).flatMap(({ properties = {} }) =>
      Object.entries(properties).filter(([, { type }]) => [type].flat().includes('integer')),
    );
    expect(new Set(integers.map(([name, { format }]) => `${name} ${format}`))).toEqual(
      new Set([
        'product_limit int64',
        'product_count int64',
        'variant_count int64',
        'total_stock int64',
        'inventory_quantity int64',
        'position undefined',
        'products_count int64',
        'items_count int64',
      ]),
    );
  });

  it('becomes clients of openapi-typescript and hey-api that compile under strict', async () => {
    await node('test/clients/large/generate-openapi.mjs', join(directory, 'openapi.json'), directory);
    const use = write(
      'use.ts',
      `import { listProducts } from './hey-api';
       import type { components, paths } from './openapi-typescript';
       type Page = paths['/products']['get']['responses'][200]['content']['application/json'];
       export const stock = (page: Page): number | undefined => page.data[0]?.total_stock;
       export const status: components['schemas']['ProductStatus'] = 'ACTIVE';
       export async function firstTitle(baseUrl: string, auth: string): Promise<string | undefined> {
         const { data } = await listProducts({ baseUrl, auth, query: { q: 'mug', status: 'ACTIVE', limit: 1 } });
         return data?.data[0]?.title;
       }
       // @ts-expect-error: there is no such parameter
       export const wrong = () => listProducts({ query: { colour: 'red' } });`,
    );
    expect(findTypeErrors([use])).toEqual([]);
  });

  it('is called by openapi-fetch with those types, compiled under strict', async () => {
    await node('test/clients/large/generate-openapi.mjs', join(directory, 'openapi.json'), directory);
    const text = `import createClient from 'openapi-fetch';
      import type { paths } from './openapi-typescript';
      export async function firstTitles(baseUrl: string, apiKey: string): Promise<readonly (string | undefined)[]> {
        const client = createClient<paths>({ baseUrl, headers: { Authorization: \`Bearer \${apiKey}\` } });
        const { data } = await client.GET('/products', { params: { query: { status: 'ACTIVE', limit: 1 } } });
        const { error, response } = await client.GET('/products/{productId}', { params: { path: { productId: 'nothing' } } });
        return [data?.data[0]?.title, response.status === 404 ? error?.error.code : undefined];
      }`;
    const use = write('use-openapi-fetch.ts', text);
    write('wrong-openapi-fetch.ts', text.replace('limit: 1', "limit: 'one'"));
    expect(findTypeErrors([use])).toEqual([]);
    expect(findTypeErrors([join(directory, 'wrong-openapi-fetch.ts')])).toHaveLength(1);
    const program = ts.transpileModule(text, {
      compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
    });
    const call = `firstTitles(${JSON.stringify(`${service.origin}/v1`)}, ${JSON.stringify(service.apiKey)})`;
    const file = write('use-openapi-fetch.mjs', `${program.outputText}\nconsole.log(JSON.stringify(await ${call}));`);
    const [title, code] = JSON.parse((await node(file)).stdout) as readonly string[];
    expect([typeof title, code]).toEqual(['string', 'NOT_FOUND']);
  });

  it('becomes a client of orval that compiles under strict', async () => {
    const target = join(directory, 'orval.ts');
    const settings = { input: join(directory, 'openapi.json'), output: { target, client: 'fetch' } };
    const config = write('orval.config.mjs', `export default { catalog: ${JSON.stringify(settings)} };`);
    await node(largePackage('orval', 'dist/bin/orval.mjs'), '--config', config);
    const use = write(
      'use-orval.ts',
      `import { listProducts } from './orval';
       export async function stock(): Promise<number | undefined> {
         const answer = await listProducts({ q: 'mug' });
         return answer.status === 200 ? answer.data.data[0]?.total_stock : undefined;
       }`,
    );
    expect(findTypeErrors([use])).toEqual([]);
  });
});

describe('the GraphQL schema', () => {
  it('becomes types of gql.tada, fetched from the service, that compile under strict', async () => {
    const headers = { Authorization: `Bearer ${service.apiKey}` };
    const plugin = {
      name: 'gql.tada/ts-plugin',
      schema: { url: `${service.publicUrl}/graphql`, headers },
      tadaOutputLocation: './graphql-env.d.ts',
    };
    const tsconfig = write('tsconfig.json', JSON.stringify({ compilerOptions: { strict: true, plugins: [plugin] } }));
    await node(largePackage('gql.tada', 'bin/cli.js'), 'generate-output', '--tsconfig', tsconfig);
    const use = write(
      'use-tada.ts',
      `import type { ResultOf, VariablesOf } from 'gql.tada';
       import { initGraphQLTada } from 'gql.tada';
       import type { introspection } from './graphql-env';
       const graphql = initGraphQLTada<{ introspection: introspection; scalars: { Long: number } }>();
       const query = graphql('query ($first: Int) { products(first: $first) { totalCount nodes { title totalStock } } }');
       export const stock = (result: ResultOf<typeof query>): number => result.products?.nodes[0]?.totalStock ?? 0;
       export const variables: VariablesOf<typeof query> = { first: 1 };
       // @ts-expect-error: the variable is a number
       export const wrong: VariablesOf<typeof query> = { first: 'one' };`,
    );
    expect(findTypeErrors([use])).toEqual([]);
  });

  it('compiles with Relay: a paginated fragment, refetched by node', async () => {
    write('schema.graphql', readFileSync(join(projectRoot, 'schema.graphql'), 'utf8'));
    write(
      'Products.ts',
      `import { graphql } from 'relay-runtime';
       export const query = graphql\`query ProductsQuery { ...Products_list }\`;
       export const list = graphql\`
         fragment Products_list on Query
         @argumentDefinitions(count: { type: "Int", defaultValue: 10 }, cursor: { type: "String" })
         @refetchable(queryName: "ProductsPaginationQuery") {
           products(first: $count, after: $cursor) @connection(key: "Products_products") { edges { node { id ...Products_item } } }
         }\`;
       export const item = graphql\`
         fragment Products_item on Product @refetchable(queryName: "ProductRefetchQuery") { title totalStock }\`;`,
    );
    write(
      'relay.config.json',
      JSON.stringify({
        src: '.',
        schema: './schema.graphql',
        language: 'typescript',
        excludes: ['**/node_modules/**'],
      }),
    );
    await run(process.execPath, [largePackage('relay-compiler', 'cli.js'), 'relay.config.json'], { cwd: directory });
    for (const name of ['ProductsQuery', 'ProductsPaginationQuery', 'ProductRefetchQuery']) {
      expect(existsSync(join(directory, '__generated__', `${name}.graphql.ts`))).toBe(true);
    }
    const refetch = readFileSync(join(directory, '__generated__/ProductsPaginationQuery.graphql.ts'), 'utf8');
    const text = JSON.parse(/"text": ("(?:[^"\\]|\\.)*")/.exec(refetch)?.[1] ?? '""') as string;
    const answer = await exchange(service.publicUrl, '/graphql', {
      method: 'POST',
      headers: { Authorization: `Bearer ${service.apiKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ query: text, variables: { count: 1 } }),
    });
    expect(answer.body).toMatchObject({ data: { products: { edges: [{ node: { __typename: 'Product' } }] } } });
  });
});

interface Schema {
  readonly properties?: Readonly<Record<string, { readonly type?: string | string[]; readonly format?: string }>>;
}
