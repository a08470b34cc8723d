import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { composeSubgraphs } from '../../src/federation/supergraph/compose-subgraphs';
import { buildCatalog } from '../cli/run-catalog';
import { createReviewsSubgraph } from '../federation/reviews/reviews-subgraph';
import { json, startStubServer } from '../federation/support/stub-server';
import { startReviews } from '../federation/support/reviews-process';
import { childrenOf } from '../support/processes';
import { compiledBefore } from '../support/compiled-before';

const root = join(__dirname, '../..');
const file = join(mkdtempSync(join(tmpdir(), 'catalog-gateway-')), 'supergraph.graphql');

function start(options: readonly string[], settings: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [join(root, 'dist/src/cli/main.js'), 'gateway', ...options], {
    env: {
      ...compiledBefore,
      PATH: process.env['PATH'] ?? '',
      NODE_ENV: 'production',
      SHUTDOWN_DELAY_MS: '0',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => said.push(line));
  const firstLine = once(createInterface({ input: child.stdout }), 'line') as Promise<[string]>;
  const exited = once(child, 'exit');
  return {
    child,
    said,
    exited,
    /** Sends an operation to the URL that the command prints. */
    async ask(query: string) {
      const url = /http:[^\s"]+\/graphql/.exec((await firstLine)[0])?.[0] ?? '';
      const headers = { 'content-type': 'application/json', connection: 'close' };
      return fetch(url, { method: 'POST', headers, body: JSON.stringify({ query }) });
    },
    async end() {
      child.kill('SIGTERM');
      expect((await exited)[0]).toBe(0);
    },
  };
}

beforeAll(buildCatalog);

describe('catalog gateway', () => {
  it('serves a supergraph from a file without settings or database, and ends with 0 on SIGTERM', async () => {
    const reviews = await startReviews();
    const { sdl } = createReviewsSubgraph();
    const products = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key"])
      type Product @key(fields: "id") { id: ID! title: String! vendor: String }`;
    writeFileSync(
      file,
      composeSubgraphs([
        { name: 'reviews', url: reviews.url, sdl: sdl.replace('@requiresScopes(scopes: [["catalog:read"]])', '') },
        { name: 'products', url: 'http://127.0.0.1:9/graphql', sdl: products },
      ]),
    );
    const { ask, end } = start(['--supergraph', file, '--port', '0']);
    const response = await ask(
      'mutation { addReview(productId: "p1", rating: 4, body: "Fine") { rating product { id } } }',
    );

    expect(await response.json()).toEqual({ data: { addReview: { rating: 4, product: { id: 'p1' } } } });
    await end();
    await reviews.stop();
  });

  it('composes the subgraphs whose URLs it is given, and follows their changes', async () => {
    const [reviews, stub] = [await startReviews(), await startStubServer()];
    let sdl = 'type Query { stock: Int }';
    stub.answer = (response, { body }) =>
      json(response, { data: body.query.includes('_service') ? { _service: { sdl } } : { stock: 3, more: 4 } });
    const words = ['--subgraph', `reviews=${reviews.url}`, '--subgraph', `stock=${stub.url}`, '--port', '0'];
    const { ask: send, end } = start(words, { SUBGRAPH_POLL_SECONDS: '1' });
    const ask = async (query: string) => (await (await send(query)).json()) as { data?: unknown; errors?: unknown };
    expect(await ask('{ stock __typename }')).toEqual({ data: { stock: 3, __typename: 'Query' } });
    sdl = 'type Query { stock: Int more: Int }';
    // Refused until the change has been polled.
    let answer = await ask('{ more }');
    while (answer.errors !== undefined) answer = await ask('{ more }');
    expect(answer).toEqual({ data: { more: 4 } });
    await end();
    await reviews.stop();
    await stub.close();
  });

  it('serves with several processes, and replaces one that dies', async () => {
    const stub = await startStubServer();
    stub.answer = (response, { body }) =>
      json(response, {
        data: body.query.includes('_service') ? { _service: { sdl: 'type Query { stock: Int }' } } : { stock: 3 },
      });
    const words = ['--subgraph', `stock=${stub.url}`, '--port', '0', '--workers', '2', '--rate-limit', '1000'];
    const { child, ask, end } = start(words);
    const [first, second] = [await ask('{ stock }'), await ask('{ stock }')];
    expect([await first.json(), await second.json()]).toEqual([{ data: { stock: 3 } }, { data: { stock: 3 } }]);
    // The processes count together.
    expect(Number(second.headers.get('ratelimit-remaining'))).toBe(
      Number(first.headers.get('ratelimit-remaining')) - 1,
    );
    const before = childrenOf(child.pid as number);
    process.kill(before[0] as number, 'SIGKILL');
    while (
      childrenOf(child.pid as number).length < 2 ||
      childrenOf(child.pid as number).includes(before[0] as number)
    ) {
      await delay(20);
    }
    expect(await (await ask('{ stock }')).json()).toEqual({ data: { stock: 3 } });
    await end();
    await stub.close();
  });

  it.each([
    ['no such file', ['--supergraph', `${file}.missing`, '--port', '0'], 1, /no such file/],
    ['the file holds no supergraph', ['--supergraph', __filename, '--port', '0'], 1, /Syntax Error|supergraph/],
    ['no file is named', [], 2, /--supergraph/],
    [
      'a file and a subgraph are named',
      ['--supergraph', file, '--subgraph', 'a=http://a.test/'],
      2,
      /--supergraph with a file, or --subgraph/,
    ],
    [
      'a header is for no subgraph',
      ['--subgraph', 'a=http://127.0.0.1:9/', '--port', '0', '--forward-header', 'b:x-a'],
      1,
      /--forward-header b:x-a: expected the name of a subgraph \(a\)/,
    ],
    ['no subgraph answers', ['--subgraph', 'a=http://127.0.0.1:9/', '--port', '0'], 1, /./],
    ['the port is out of range', ['--supergraph', file, '--port', '70000'], 2, /port/],
  ])('reports what is wrong when %s', async (_, options, exitCode, message) => {
    const { exited, said } = start(options);

    expect((await exited)[0]).toBe(exitCode);
    expect(said.join('\n')).toMatch(message);
  });
});
