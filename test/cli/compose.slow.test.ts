import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync, readlinkSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'graphql';
import { createReviewsSubgraph } from '../federation/reviews/reviews-subgraph';
import type { ReviewsProcess } from '../federation/support/reviews-process';
import { startReviews } from '../federation/support/reviews-process';
import { supergraphGraphs } from '../../src/federation/supergraph/supergraph-graphs';
import { buildCatalog, createCatalog, toDocument } from './run-catalog';

// Neither command opens a database.
const catalog = createCatalog('postgresql://nobody@127.0.0.1:1/none', { NODE_ENV: 'production' });
let directory: string;
let reviews: ReviewsProcess;
beforeAll(async () => {
  buildCatalog();
  reviews = await startReviews();
});
beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'catalog-compose-'))));
afterEach(() => reviews.control({ sdl: 'normal' }));
afterAll(() => reviews.stop());

const link =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.7", import: ["@key", "@shareable", "@override"])';
const out = () => join(directory, 'supergraph.graphql');
const fileOf = (name: string, sdl: string): string => {
  const file = join(directory, name);
  writeFileSync(file, sdl);
  return file;
};
const graphsIn = (file: string) =>
  supergraphGraphs(parse(readFileSync(file, 'utf8'))).map(({ name, url }) => [name, url]);

/** SDL that never composes with the catalog, and the problem that is reported. */
const wrong: readonly (readonly [what: string, sdl: string, problem: RegExp])[] = [
  ['a syntax error', 'type {', /^\[other\] Syntax Error/m],
  ['a missing type', `${link} type Query { a: Nowhere }`, /^INVALID_GRAPHQL: \[other\] Unknown type Nowhere$/m],
  ['a field set that is too deep', `${link} type A @key(fields: "${'a { '.repeat(20_000)}") { a: Int }`, /^\[other\] the SDL has more than 16 levels/m],
  ['a field of the catalog', `${link} type Product @key(fields: "id") { id: ID! title: String! @override(from: "catalog") }`, /^the catalog's part of the graph would change: Product\.title would be/m],
  ['a field in REST, of another type', `${link} type Product @key(fields: "id") { id: ID! title: Int @shareable }`, /^(?:\w+: .*title|operations of the REST API would break: )/m],
]; // prettier-ignore

describe('catalog compose', () => {
  it('writes the supergraph of the catalog, a URL and a file', async () => {
    const stock = fileOf('stock.graphql', `${link} type Product @key(fields: "id") { id: ID! stock: Int }`);
    const composed = await catalog(
      'compose',
      ...['--subgraph', `reviews=${reviews.url}`, '--subgraph', `stock=${stock}`],
      ...['--routing-url', 'stock=https://stock.example/graphql', '--out', out(), '--json'],
    );
    const graphs = [
      ['catalog', 'http://127.0.0.1:4000/subgraph'],
      ['reviews', reviews.url],
      ['stock', 'https://stock.example/graphql'],
    ];
    expect(toDocument(composed)).toEqual({ file: out(), subgraphs: graphs.map(([name, url]) => ({ name, url })) });
    expect(graphsIn(out())).toEqual(graphs);
    expect(readdirSync(directory).sort()).toEqual(['stock.graphql', 'supergraph.graphql']);
  });

  it('leaves the catalog out, or sets its URL', async () => {
    const stock = fileOf('stock.graphql', `${link} type Query { stock: Int }`);
    const words = ['--subgraph', `stock=${stock}`, '--routing-url', 'stock=http://stock.test/', '--out', out()];
    expect((await catalog('compose', ...words, '--no-catalog')).exitCode).toBe(0);
    expect(graphsIn(out())).toEqual([['stock', 'http://stock.test/']]);
    const address = 'https://catalog.example/subgraph';
    expect((await catalog('compose', ...words, '--routing-url', `catalog=${address}`)).exitCode).toBe(0);
    expect(graphsIn(out())[0]).toEqual(['catalog', address]);
  });

  it('writes no supergraph that the gateway refuses: with arguments from the context', async () => {
    const sdl = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.8", import: ["@key", "@context", "@fromContext"])
      type Query { box: Box }
      type Box @key(fields: "id") @context(name: "box") { id: ID! width: Int! item: Item }
      type Item @key(fields: "id") { id: ID! share(width: Int @fromContext(field: "$box { width }")): Int }`;
    const words = ['--subgraph', `box=${fileOf('box.graphql', sdl)}`, '--routing-url', 'box=http://box.test/'];
    for (const more of [[], ['--no-catalog']]) {
      const { exitCode, stderr } = await catalog('compose', ...words, '--out', out(), ...more);
      expect({ exitCode, stderr }).toEqual({
        exitCode: 1,
        stderr: expect.stringContaining('@context and @fromContext are not supported') as string,
      });
      expect(existsSync(out())).toBe(false);
    }
  });

  it.each(wrong)('prints a line per problem and writes nothing: %s', async (_, sdl, problem) => {
    writeFileSync(out(), 'as it was');
    const file = fileOf('other.graphql', sdl);
    const words = ['--subgraph', `other=${file}`, '--routing-url', 'other=http://other.test/', '--out', out()];
    const { exitCode, stdout, stderr } = await catalog('compose', ...words);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toMatch(problem);
    expect(stderr).not.toMatch(/went wrong|\n\s+at /);
    expect(readFileSync(out(), 'utf8')).toBe('as it was');
    expect(readdirSync(directory).sort()).toEqual(['other.graphql', 'supergraph.graphql']);
  });

  it('is one JSON document on stderr with --json', async () => {
    const file = fileOf('other.graphql', `${link} type Query { a: Nowhere b: Nowhere2 }`);
    const words = [
      '--subgraph',
      `other=${file}`,
      '--routing-url',
      'other=http://other.test/',
      '--out',
      out(),
      '--json',
    ];
    const { exitCode, stdout, stderr } = await catalog('compose', ...words);
    expect({ exitCode, stdout, document: JSON.parse(stderr) as unknown }).toEqual({
      exitCode: 1,
      stdout: '',
      document: {
        error: {
          code: 'COMPOSITION_FAILED',
          message:
            'The subgraphs do not compose:\nINVALID_GRAPHQL: [other] Unknown type Nowhere\nINVALID_GRAPHQL: [other] Unknown type Nowhere2',
        },
      },
    });
    expect(existsSync(out())).toBe(false);
  });

  it('reports every source without SDL', async () => {
    const { exitCode, stderr } = await catalog(
      'compose',
      ...['--subgraph', 'a=http://u@127.0.0.1:1/?q', '--subgraph', 'b=nowhere.graphql', '--subgraph', `c=${directory}`],
      ...['--routing-url', 'b=http://b.test/', '--routing-url', 'c=http://c.test/', '--out', out()],
    );
    expect(exitCode).toBe(1);
    expect(stderr.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^\[a\] http:\/\/127\.0\.0\.1:1\/: /),
      '[b] nowhere.graphql: no such file; URLs start with http:// or https://',
      `[c] ${directory}: expected a file, got a directory`,
    ]);
  });

  it('reports why the file cannot be written', async () => {
    const stock = fileOf('stock.graphql', `${link} type Query { stock: Int }`);
    const { exitCode, stderr } = await catalog(
      'compose',
      ...[
        '--subgraph',
        `stock=${stock}`,
        '--routing-url',
        'stock=http://stock.test/',
        '--out',
        join(directory, 'no/where'),
      ],
    );
    expect(exitCode).toBe(1);
    expect(stderr).toContain('no/where: cannot write the file (ENOENT); nothing was changed');
  });

  it('writes through a link, and to a device, instead of replacing it', async () => {
    const stock = fileOf('stock.graphql', `${link} type Query { stock: Int }`);
    const [file, at] = [join(directory, 'linked.graphql'), join(directory, 'at.graphql')];
    writeFileSync(file, 'old');
    symlinkSync(file, at);
    const words = ['--subgraph', `stock=${stock}`, '--routing-url', 'stock=http://stock.test/', '--out', at];
    expect(await catalog('compose', ...words)).toMatchObject({ exitCode: 0 });
    expect(readlinkSync(at)).toBe(file);
    expect(readFileSync(file, 'utf8')).toContain('stock');
  });
});

describe('catalog subgraph check', () => {
  const operations = ['getShop', 'listProducts', 'getProduct', 'listCollections', 'listOrders'];

  it('accepts an SDL that composes with those of the setting or of the command line', async () => {
    const file = fileOf('new.graphql', createReviewsSubgraph().sdl);
    const stock = fileOf('stock.graphql', `${link} type Product @key(fields: "id") { id: ID! stock: Int }`);
    const withSetting = createCatalog('', {
      SUBGRAPHS: `reviews=http://127.0.0.1:1/,more=${reviews.url.replace('reviews', 'more')}`,
    });
    const { exitCode, stdout, stderr } = await catalog(
      'subgraph',
      'check',
      `reviews=${file}`,
      '--subgraph',
      `stock=${stock}`,
    );
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(
      /^reviews passed the check: it composes with catalog, stock\. All 5 REST operations are still valid/,
    );
    const document = toDocument<{ with: string[]; operations: string[] }>(
      await catalog('subgraph', 'check', `reviews=${reviews.url}`, '--subgraph', `stock=${stock}`, '--json'),
    );
    expect({ ...document, operations: [...document.operations].sort() }).toEqual({
      subgraph: 'reviews',
      fits: true,
      with: ['catalog', 'stock'],
      operations: [...operations].sort(),
    });
    // The checked subgraph replaces the running one; two with the same fields do not compose.
    const twice = await withSetting('subgraph', 'check', `reviews=${file}`);
    expect(twice.exitCode).toBe(1);
    expect(twice.stderr).toMatch(/INVALID_FIELD_SHARING: .*(?:reviews|more)/);
  });

  it.each(wrong)('reports each problem on a line: %s', async (_, sdl, problem) => {
    const { exitCode, stdout, stderr } = await catalog('subgraph', 'check', `other=${fileOf('other.graphql', sdl)}`);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toMatch(problem);
    expect(stderr).toMatch(/^other failed the check:\n/);
    const { error } = JSON.parse(
      (await catalog('subgraph', 'check', `other=${join(directory, 'other.graphql')}`, '--json')).stderr,
    ) as { error: { code: string; message: string } };
    expect(error).toEqual({ code: 'COMPOSITION_FAILED', message: stderr.trimEnd() });
  });

  it('reports that the others do not compose on their own', async () => {
    const good = fileOf('good.graphql', `${link} type Query { good: Int }`);
    const bad = fileOf('bad.graphql', `${link} type Query { bad: Nowhere }`);
    const { exitCode, stderr } = await catalog('subgraph', 'check', `good=${good}`, '--subgraph', `bad=${bad}`);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('The other subgraphs do not compose even without good.');
  });
});
