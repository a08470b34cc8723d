import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buildCatalog, createCatalog } from '../cli/run-catalog';
import { killServiceProcesses, patientSettings, startServiceProcess } from '../support/service-process';
import type { ReviewsProcess } from '../federation/support/reviews-process';
import { startReviews } from '../federation/support/reviews-process';
import type { StubServer } from '../federation/support/stub-server';
import { json, startStubServer } from '../federation/support/stub-server';
import { seedApiKey, seedProduct, seedShop } from '../support/seed';
import type { TestDatabase } from '../support/test-database';
import { createTestDatabase } from '../support/test-database';
import { compiledBefore } from '../support/compiled-before';

/** Of services that run as processes. */
const publicUrl = 'https://catalog.example';
const secret = 'a secret between a gateway and the catalog';
const root = join(__dirname, '../..');
const directory = mkdtempSync(join(tmpdir(), 'catalog-joins-'));
const supergraph = join(directory, 'supergraph.graphql');

let database: TestDatabase;
let reviews: ReviewsProcess;
let spy: StubServer;
let apiKey: string;
let accessToken: string;

/** `catalog serve`, `catalog compose` over it, a subgraph of reviews, and one that records what it receives. */
beforeAll(async () => {
  buildCatalog();
  database = await createTestDatabase();
  const shopId = await seedShop(database.sql);
  await seedProduct(database.sql, shopId, { title: 'Mug' });
  ({ apiKey } = await seedApiKey(database.sql, shopId));
  const [service, ...others] = await Promise.all([
    startServiceProcess(database.url, { ...patientSettings, SUBGRAPH_SECRET: secret }),
    startReviews(),
    startStubServer(),
  ]);
  [reviews, spy] = others;
  accessToken = await fetchAccessToken(service.origin);
  const sdl =
    'extend schema @link(url: "https://specs.apollo.dev/federation/v2.7", import: ["@key"]) type Query { spied: Int }';
  spy.answer = (response, { body }) =>
    json(response, { data: body.query.includes('_service') ? { _service: { sdl } } : { spied: 1 } });
  const composed = await createCatalog('')(
    'compose',
    ...['--subgraph', `reviews=${reviews.url}`, '--subgraph', `spy=${spy.url}`],
    ...['--routing-url', `catalog=${service.origin}/subgraph`, '--out', supergraph],
  );
  expect(composed).toMatchObject({ exitCode: 0, stderr: '' });
});
afterAll(async () => {
  await killServiceProcesses();
  await reviews.stop();
  await spy.close();
  await database.drop();
});

/** The gateway verifies access tokens of the service using its metadata. Only the service knows API keys. */
async function fetchAccessToken(origin: string): Promise<string> {
  const response = await fetch(`${origin}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(apiKey.replace('.', ':')).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  const keys = await (await fetch(`${origin}/.well-known/jwks.json`)).text();
  writeFileSync(join(directory, 'keys.json'), keys);
  const { access_token: token } = (await response.json()) as { access_token: string };
  return token;
}

/** Runs `catalog gateway` while `work` queries it. */
async function withGateway<Result>(
  settings: Readonly<Record<string, string>>,
  options: readonly string[],
  work: (ask: (query: string, headers?: Record<string, string>) => Promise<unknown>) => Promise<Result>,
): Promise<{ result: Result; said: string; words: string }> {
  const tokens = ['--jwks', join(directory, 'keys.json'), '--issuer', publicUrl, '--audience', `${publicUrl}/v1`];
  const words = ['gateway', '--supergraph', supergraph, '--port', '0', ...tokens, ...options];
  const child = spawn(process.execPath, [join(root, 'dist/src/cli/main.js'), ...words], {
    env: {
      ...compiledBefore,
      PATH: process.env['PATH'] ?? '',
      NODE_ENV: 'production',
      SUBGRAPH_TIMEOUT_MS: '60000',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const exited = once(child, 'exit');
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const url = /http:[^\s"]+/.exec(line)?.[0] ?? '';
  try {
    const result = await work(async (query, headers = {}) => {
      const body = JSON.stringify({ query });
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
      });
      return response.json();
    });
    return { result, said, words: words.join(' ') };
  } finally {
    child.kill('SIGTERM');
    await exited;
  }
}

const query = '{ products(first: 1) { nodes { title averageRating } } }';
const joined = {
  data: { products: { nodes: [{ title: 'Mug', averageRating: expect.any(Number) as number }] } },
};
const authorization = () => ({ authorization: `Bearer ${accessToken}` });
const forward = ['--forward-header', 'catalog:authorization'];
const routerSecrets = `catalog=${secret}`;

describe('catalog gateway with the catalog and other subgraphs', () => {
  it.each<[string, () => Record<string, string>]>([
    ['in the environment', () => ({ ROUTER_SECRETS: routerSecrets })],
    [
      'in a file',
      () => {
        const file = join(directory, 'router-secrets');
        writeFileSync(file, `other=x\n${routerSecrets}\n`);
        return { ROUTER_SECRETS_FILE: file };
      },
    ],
  ])('serves operations over both, with the secret %s and the client’s Authorization', async (_, settings) => {
    const { result, said } = await withGateway(settings(), forward, (ask) => ask(query, authorization()));
    expect(result).toEqual(joined);
    expect(said).not.toContain(secret);
    expect(said).not.toContain(accessToken);
  });

  it('sends secret and credential only to the catalog, and shared headers to all', async () => {
    spy.requests.length = 0;
    const headers = {
      ...authorization(),
      'router-authorization': 'forged',
      'x-tenant': 't1',
      'x-other': 'o',
      'x-set': 's',
    };
    await withGateway(
      { ROUTER_SECRETS: routerSecrets, SUBGRAPH_HEADERS: 'x-set' },
      [...forward, '--forward-header', 'X-Tenant', '--forward-header', 'router-authorization'],
      (ask) => ask('{ spied }', headers),
    );
    const [request] = spy.requests;
    expect(request?.headers).toMatchObject({ 'x-tenant': 't1', 'x-set': 's' });
    for (const name of ['authorization', 'router-authorization', 'x-other'])
      expect(request?.headers[name]).toBeUndefined();
  });

  it('reports what is missing with a secret of another subgraph', async () => {
    // In production, clients do not receive the messages of subgraphs.
    const shown = { NODE_ENV: 'development', ROUTER_SECRETS: `reviews=${secret}` };
    const { result } = await withGateway(shown, forward, (ask) => ask(query, authorization()));
    expect(result).toMatchObject({
      errors: [
        {
          message: 'This endpoint is for routers. Expected the router secret in Router-Authorization.',
          extensions: { code: 'DOWNSTREAM_SERVICE_ERROR', service: 'catalog' },
        },
      ],
    });
  });

  it('reports that a credential is missing where the client’s is not forwarded', async () => {
    const { result } = await withGateway({ ROUTER_SECRETS: routerSecrets }, [], (ask) => ask(query, authorization()));
    expect(result).toMatchObject({
      errors: [{ extensions: { code: 'DOWNSTREAM_SERVICE_ERROR', service: 'catalog' } }],
    });
  });

  it('requests the SDL of a closed subgraph with its secret', async () => {
    const graph = /@join__graph\(name: "catalog", url: "([^"]+)"/;
    const { readFileSync } = await import('node:fs');
    const url = graph.exec(readFileSync(supergraph, 'utf8'))?.[1] ?? '';
    const words = [
      'compose',
      '--no-catalog',
      '--subgraph',
      `catalog=${url}`,
      '--out',
      join(directory, 'alone.graphql'),
    ];
    expect(await createCatalog('', { ROUTER_SECRETS: routerSecrets })(...words)).toMatchObject({ exitCode: 0 });
    expect(await createCatalog('')(...words)).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringMatching(/^\[catalog\] http.*: no _service\.sdl: .*Expected the router secret/) as string,
    });
  });

  it('refuses invalid headers and settings', async () => {
    expect(await createCatalog('')('gateway', '--supergraph', supergraph, '--forward-header', 'a b')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Expected a header name') as string,
    });
    const wrong = createCatalog('', { ROUTER_SECRETS: 'no name' });
    expect(await wrong('gateway', '--supergraph', supergraph)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('ROUTER_SECRETS: expected name=secret pairs') as string,
    });
  });
});
