import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import ts from 'typescript';
import { projectRoot } from '../../src/common/project-root';
import type { DemoService } from '../support/demo-service';
import { startDemoService } from '../support/demo-service';
import { isChromiumInstalled, launchChromium } from '../support/chromium';

const run = promisify(execFile);
const clientDirectory = join(projectRoot, 'client');

/** Node versions to test in addition to the one that runs the tests, as paths. */
const otherNodes = (process.env['CLIENT_NODES'] ?? '').split(':').filter((path) => path !== '');
if (otherNodes.length === 0) {
  console.warn(`Run on ${process.version} only: .ci/run names other versions of Node in CLIENT_NODES.`);
}

/** What each of them runs: lists, a product, a 304, a token, GraphQL, a typed error, a mirror. */
const program = `
export async function useEverything({ createCatalogClient, isCatalogError }, origin, apiKey) {
  const client = createCatalogClient({ origin, credentials: { apiKey } });
  const walk = async () => {
    const ids = [];
    for await (const { id } of client.products.list({ status: 'ACTIVE', limit: 25 })) ids.push(id);
    return ids;
  };
  const ids = await walk();
  const unchanged = [];
  for await (const page of client.products.list({ status: 'ACTIVE', limit: 25 }).pages()) unchanged.push(page.isUnchanged);
  const product = await client.products.get(ids[0]);
  const [clientId, clientSecret] = apiKey.split('.');
  const withToken = createCatalogClient({ origin, credentials: { clientId, clientSecret, scopes: ['account:read'] } });
  const shop = await withToken.shop.get();
  const { products } = await client.graphql('query ($first: Int) { products(first: $first) { totalCount } }', { first: 1 });
  const error = await client.products.get('nothing').catch((reason) => reason);
  const copy = new Map();
  let cursor;
  const mirror = await client.mirror({
    apply: (objects) => objects.forEach(({ type, object }) => copy.set(type + object.id, object)),
    remove: () => undefined,
    saveCursor: (given) => void (cursor = given),
  });
  return {
    isDistinct: new Set(ids).size === ids.length && ids.length > 0,
    isUnchanged: unchanged.length > 0 && unchanged.every((is) => is),
    hasVariants: product.variants.length > 0,
    scopes: shop.granted_scopes,
    hasCount: products.totalCount > 0,
    error: isCatalogError(error, 'NOT_FOUND'),
    isMirrored: copy.size === mirror.applied && cursor === mirror.cursor && copy.has('product' + ids[0]),
  };
}
`;
const expected = {
  isDistinct: true,
  isUnchanged: true,
  hasVariants: true,
  scopes: ['account:read'],
  hasCount: true,
  error: true,
  isMirrored: true,
};

let service: DemoService;
let project: string;
let packed: readonly string[];

beforeAll(async () => {
  service = await startDemoService();
  project = mkdtempSync(join(tmpdir(), 'client-project-'));
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'empty', private: true }));
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', project], { cwd: clientDirectory });
  const [{ filename, files }] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
  packed = files.map(({ path }) => path);
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(project, filename)], { cwd: project });
});
afterAll(() => service.close());

const installed = (...path: string[]): string => join(project, 'node_modules/catalog-read-api-client', ...path);

describe('the package', () => {
  it('has code, types, README and license, and nothing else', () => {
    const others = packed.filter((path) => !/^dist\/(esm|cjs)\/([\w-]+\.(js|d\.ts)|package\.json)$/.test(path));
    expect(others.sort()).toEqual(['LICENSE', 'README.md', 'package.json']);
    expect(readFileSync(installed('LICENSE'), 'utf8')).toBe(readFileSync(join(projectRoot, 'LICENSE'), 'utf8'));
  });

  it('depends on nothing', () => {
    const manifest = JSON.parse(readFileSync(installed('package.json'), 'utf8')) as Record<string, unknown>;
    expect(Object.keys(manifest).filter((name) => /dependencies/i.test(name))).toEqual([]);
    expect(readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
      'catalog-read-api-client',
    ]);
  });

  it.each(['esm', 'cjs'])('is at most 10 kB gzip as %s', (format) => {
    const files = readdirSync(installed('dist', format)).filter((name) => name.endsWith('.js'));
    const code = files.map((name) => readFileSync(installed('dist', format, name), 'utf8')).join('\n');
    const bytes = gzipSync(code).length;
    process.stdout.write(`${format}: ${bytes} bytes gzip, ${code.length} bytes\n`);
    expect(bytes).toBeLessThanOrEqual(10_000);
  });

  it.each<[string, ts.ModuleKind, ts.ModuleResolutionKind, string]>([
    ['Node as an ES module', ts.ModuleKind.Node16, ts.ModuleResolutionKind.Node16, 'use.mts'],
    ['Node as CommonJS', ts.ModuleKind.Node16, ts.ModuleResolutionKind.Node16, 'use.cts'],
    ['a bundler', ts.ModuleKind.ESNext, ts.ModuleResolutionKind.Bundler, 'use.ts'],
  ])('compiles under strict, its own types included, for %s', (_, module, moduleResolution, name) => {
    const file = join(project, name);
    writeFileSync(
      file,
      `import { createCatalogClient, isCatalogError } from 'catalog-read-api-client';
       import type { CallOptions, CatalogClientOptions, CollectionFilters, CredentialOptions } from 'catalog-read-api-client';
       import type { ListOptions, MirrorOptions, OrderFilters, Product, ProductFilters } from 'catalog-read-api-client';
       const client = createCatalogClient({ origin: 'https://api.catalog.example', credentials: { apiKey: 'a.b' } });
       export async function use(): Promise<readonly (string | null | undefined)[]> {
         const prices: (string | null | undefined)[] = [];
         for await (const product of client.products.list({ q: 'mug', status: 'ACTIVE' })) {
           const typed: Product = product;
           const stock: number | undefined = typed.total_stock;
           const at: string = typed.created_at;
           prices.push(product.min_price, stock?.toFixed(), at);
         }
         try {
           await client.products.get('an id', { signal: AbortSignal.timeout(1000) });
         } catch (error) {
           if (isCatalogError(error, 'NOT_FOUND')) prices.push(error.requestId);
         }
         await client.mirror({
           apply(objects) {
             for (const change of objects) {
               if (change.type === 'variant') prices.push(change.object.price, change.object.product_id);
               else if (change.type === 'order') prices.push(change.object.total_price);
             }
           },
           remove: (objects) => void objects.map(({ id }) => id),
           saveCursor: (cursor) => void prices.push(cursor),
         });
         return prices;
       }
       type AllUndefined<Options> = { [Name in keyof Options as {} extends Pick<Options, Name> ? Name : never]: undefined };
       type Lists = ListOptions & ProductFilters & CollectionFilters & OrderFilters;
       declare const none: {
         client: AllUndefined<CatalogClientOptions>;
         credentials: AllUndefined<CredentialOptions>;
         lists: AllUndefined<Lists>;
         mirror: AllUndefined<MirrorOptions>;
         call: AllUndefined<CallOptions>;
       };
       // Every option that may be left out may be undefined.
       export const options: {
         client: Partial<CatalogClientOptions>;
         credentials: Partial<CredentialOptions>;
         lists: Partial<Lists>;
         mirror: Partial<MirrorOptions>;
         call: CallOptions;
       } = none;
       // @ts-expect-error: there is no such filter
       client.products.list({ colour: 'red' });
       // @ts-expect-error: there is no such status
       client.products.list({ status: 'SOLD' });
       // @ts-expect-error: decimals are texts
       export const price = async (): Promise<number | null | undefined> => (await client.products.get('an id')).min_price;`,
    );
    const compiled = ts.createProgram([file], {
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: false,
      noEmit: true,
      target: ts.ScriptTarget.ES2022,
      lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
      module,
      moduleResolution,
      types: [],
    });
    const problems = ts.getPreEmitDiagnostics(compiled).map(({ file: where, messageText }) => {
      return `${where?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
    });
    expect(problems).toEqual([]);
  });
});

describe.each([process.execPath, ...otherNodes])('on %s', (node) => {
  it.each([
    ['an ES module', 'run.mjs', "import * as client from 'catalog-read-api-client';"],
    ['CommonJS', 'run.cjs', "const client = require('catalog-read-api-client');"],
  ])('runs against the service as %s', async (_, name, load) => {
    const text = `${load}\n${program.replace('export ', '')}
      useEverything(client, process.argv[2], process.argv[3]).then((result) => console.log(JSON.stringify({ node: process.version, result })));`;
    writeFileSync(join(project, name), text);
    const { stdout } = await run(node, [join(project, name), service.origin, service.apiKey]);
    const { node: version, result } = JSON.parse(stdout) as { node: string; result: unknown };
    expect(result).toEqual(expected);
    process.stdout.write(`${name}: ${version}\n`);
  });
});

(isChromiumInstalled ? it : it.skip)('runs in Chromium, from another origin, without a bundler', async () => {
  const pages = createServer((request, response) => {
    const path = request.url ?? '/';
    if (path === '/') {
      response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>client</title>');
      return;
    }
    if (path !== '/program.js' && !path.startsWith('/client/')) {
      response.writeHead(404).end();
      return;
    }
    response.setHeader('Content-Type', 'text/javascript');
    response.end(path === '/program.js' ? program : readFileSync(installed('dist/esm', path.slice('/client/'.length))));
  });
  await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(pages.address() as AddressInfo).port}/`);
    const result: unknown = await page.evaluate(
      `Promise.all([import('/client/index.js'), import('/program.js')]).then(([client, { useEverything }]) =>
        useEverything(client, ${JSON.stringify(service.origin)}, ${JSON.stringify(service.apiKey)}))`,
    );
    expect(result).toEqual(expected);
  } finally {
    await browser.close();
    pages.closeAllConnections();
    await new Promise((resolve) => pages.close(resolve));
  }
});
