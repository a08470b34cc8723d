import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { composeSubgraphs } from '../../src/federation/supergraph/compose-subgraphs';
import type { StubServer } from './support/stub-server';
import type { ServedGateway } from './support/served-gateway';
import { serveGateway, sourceOf } from './support/served-gateway';
import { json, startStubServer } from './support/stub-server';

const link = 'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])';
let stub: StubServer;
beforeEach(async () => {
  stub = await startStubServer();
});
const running: ServedGateway[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((served) => served.stop()));
  await stub.close();
});

const supergraph = () =>
  composeSubgraphs([{ name: 'stub', url: stub.url, sdl: `${link} type Query { hello(to: String!): String }` }]);
type Rest = Parameters<typeof serveGateway> extends [unknown, ...infer Others] ? Others : never;
async function serve(sdl = supergraph(), ...rest: Rest): Promise<ServedGateway> {
  const served = await serveGateway(sourceOf(sdl), ...rest);
  running.push(served);
  return served;
}
const post = async (url: string, body: unknown, headers = {}, signal: AbortSignal | null = null) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal,
  });

it('serves any supergraph alone, on a free port, with subgraphs at their own URLs', async () => {
  stub.answer = (response) => json(response, { data: { hello: 'hi' } });
  const served = await serve();
  const query = 'query ($to: String!) { hello(to: $to) }';
  const response = await post(
    served.url,
    { query, variables: { to: 'you' } },
    { authorization: 'Bearer secret', 'x-request-id': 'r1' },
  );

  expect(await response.json()).toEqual({ data: { hello: 'hi' } });
  expect(stub.requests[0]?.body.variables).toEqual({ to: 'you' });
  expect(stub.requests[0]?.headers).toMatchObject({ 'x-request-id': 'r1' });
  expect(stub.requests[0]?.headers.authorization).toBeUndefined();
});

it('responds with 400 when a variable is missing, without a request to a subgraph', async () => {
  const served = await serve();
  const response = await post(served.url, { query: 'query ($to: String!) { hello(to: $to) }' });

  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] });
  expect(stub.requests).toEqual([]);
});

it("passes on a subgraph's Retry-After, as a header and in the error", async () => {
  stub.answer = (response) => void response.writeHead(429, { 'retry-after': '7' }).end();
  const served = await serve();
  const response = await post(served.url, { query: '{ hello(to: "you") }' });
  expect(await response.json()).toMatchObject({ errors: [{ extensions: { retryAfter: 7, service: 'stub' } }] });
  expect([response.status, response.headers.get('retry-after')]).toEqual([200, '7']);
});

it('cancels the request to a subgraph when its client disconnects', async () => {
  const closed = new Promise<void>((resolve) => {
    stub.answer = (response) => void response.once('close', resolve);
  });
  const served = await serve();
  const client = new AbortController();
  const answer = post(served.url, { query: '{ hello(to: "you") }' }, {}, client.signal);
  await stub.received(1);
  client.abort();

  await expect(answer).rejects.toThrow();
  await closed;
});

it('bounds operations by limits of its own, and a field within itself by the depth alone', async () => {
  const tree = composeSubgraphs([
    { name: 'stub', url: stub.url, sdl: `${link} type Query { node: Node } type Node { node: Node id: ID }` },
  ]);
  const nested = (depth: number) => `{ ${'node { '.repeat(depth)}id${' }'.repeat(depth)} }`;
  const many = (count: number) => `{ ${Array.from({ length: count }, (_, i) => `a${i}: node { id }`).join(' ')} }`;
  stub.answer = (response) => json(response, { data: {} });
  const wide = await serve(tree);
  const strict = await serve(tree, { limits: { maxDepth: 5, maxRootFields: 10 } });
  const statuses = (query: string) =>
    Promise.all([wide, strict].map(async ({ url }) => (await post(url, { query })).status));

  expect(await statuses(nested(4))).toEqual([200, 200]);
  expect(await statuses(nested(9))).toEqual([200, 400]);
  expect(await statuses(nested(20))).toEqual([400, 400]);
  expect(await statuses(many(11))).toEqual([200, 400]);
  expect(await statuses(many(101))).toEqual([400, 400]);
});

it('serves a graph whose root types have names of their own', async () => {
  const sdl = supergraph()
    .replace(/\bquery: Query\b/, 'query: RootQuery')
    .replace('type Query', 'type RootQuery');
  stub.answer = (response) => json(response, { data: { hello: 'hi' } });
  const served = await serve(sdl);
  const response = await post(served.url, {
    query: '{ __typename hello(to: "you") ... on RootQuery { b: __typename } }',
  });

  expect(await response.json()).toEqual({ data: { __typename: 'RootQuery', hello: 'hi', b: 'RootQuery' } });
  expect(stub.requests[0]?.body.query).not.toContain('RootQuery');
});

describe("has the features of the catalog's server:", () => {
  const isClosed = expect.arrayContaining([
    expect.objectContaining({ message: expect.stringContaining('introspection has been disabled') as string }),
  ]) as unknown[];
  const ask = (url: string, headers = {}) => post(url, { query: '{ hello(to: "you") }' }, headers);
  const answerHello = (): void => {
    stub.answer = (response) => json(response, { data: { hello: 'hi' } });
  };

  it('health, metrics of its subgraphs, request ids and a log line for each request', async () => {
    answerHello();
    const served = await serve(supergraph(), {}, { METRICS_ON_API_PORT: 'true' });
    const response = await ask(served.url, { 'x-request-id': 'one' });
    expect(response.headers.get('x-request-id')).toBe('one');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('ratelimit-limit')).toBeNull();
    for (const [path, body] of [
      ['/livez', { alive: true }],
      ['/readyz', { ready: true, checks: { supergraph: true, draining: false } }],
    ] as const) {
      const health = await fetch(`${served.origin}${path}`);
      expect({ status: health.status, body: await health.json() }).toEqual({ status: 200, body });
    }
    const metrics = await (await fetch(`${served.origin}/metrics`)).text();
    expect(metrics).toMatch(/subgraph_requests_total\{subgraph="stub",outcome="ok"\} 1/);
    expect(metrics).toMatch(/http_request_duration_seconds_count\{[^}]*operation="graphql"/);
    expect(metrics).not.toContain('database_pool_connections');
    expect(served.log).toContainEqual(
      expect.objectContaining({ msg: 'request', requestId: 'one', operation: 'graphql', status: 200 }),
    );
    const lost = await fetch(`${served.origin}/v1/shop`);
    expect({ status: lost.status, body: await lost.json() }).toMatchObject({
      status: 404,
      body: { error: { code: 'NOT_FOUND' } },
    });
  });

  it('in production, no messages of subgraphs, and no schema unless enabled', async () => {
    stub.answer = (response) =>
      json(response, {
        data: { hello: null },
        errors: [{ message: 'secret', path: ['hello'], extensions: { code: 'SOLD_OUT', sql: 'SELECT' } }],
      });
    const query = '{ hello(to: "you") __schema { queryType { name } } }';
    for (const [settings, introspection, expected] of [
      [{ NODE_ENV: 'production' }, true, { data: { hello: null, __schema: { queryType: { name: 'Query' } } } }],
      [{ NODE_ENV: 'production' }, false, { errors: isClosed }],
    ] as const) {
      const served = await serve(supergraph(), { introspection }, settings);
      expect(await (await post(served.url, { query })).json()).toMatchObject(expected);
      const { errors } = (await (await ask(served.url)).json()) as {
        errors: { message: string; extensions: unknown }[];
      };
      expect(errors).toEqual([expect.objectContaining({ extensions: { code: 'SOLD_OUT', service: 'stub' } })]);
      expect(JSON.stringify(errors)).not.toContain('secret');
    }
  });

  it('a line in the log for answers of the wrong shape, and for subgraphs that do not answer', async () => {
    stub.answer = (response) => json(response, { data: { hello: { not: 'text' } } });
    const served = await serve();
    expect(await (await ask(served.url)).json()).toMatchObject({ data: { hello: null } });
    stub.answer = (response) => json(response, {}, 400);
    expect(await (await ask(served.url)).json()).toMatchObject({ data: { hello: null } });
    const lines = served.log.map(({ msg }) => String(msg)).filter((line) => line.startsWith('subgraph stub: '));
    expect(lines).toHaveLength(2);
  });

  it('a rate limit by address, with its headers', async () => {
    answerHello();
    const served = await serve(supergraph(), { limitsRate: true }, { RATE_LIMIT_REQUESTS: '2' });
    const answers = [await ask(served.url), await ask(served.url), await ask(served.url)];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(answers[2]?.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(await answers[2]?.json()).toMatchObject({ errors: [{ extensions: { code: 'RATE_LIMITED' } }] });
  });

  it('trusted documents', async () => {
    answerHello();
    const manifest = join(mkdtempSync(join(tmpdir(), 'catalog-gateway-')), 'manifest.json');
    writeFileSync(manifest, JSON.stringify({ known: '{ hello(to: "you") }' }));
    const settings = { TRUSTED_DOCUMENTS_FILE: manifest, TRUSTED_DOCUMENTS_MODE: 'only' };
    const served = await serve(supergraph(), {}, settings);
    expect(await (await post(served.url, { documentId: 'known' })).json()).toEqual({ data: { hello: 'hi' } });
    expect((await post(served.url, { query: '{ hello(to: "me") }' })).status).toBe(400);
  });

  it('refusals while it drains, after completing requests in flight', async () => {
    let release = (): void => undefined;
    stub.answer = (response) => void (release = () => json(response, { data: { hello: 'hi' } }));
    const served = await serve();
    const answer = ask(served.url);
    await stub.received(1);
    const stopped = served.stop();
    release();
    expect(await (await answer).json()).toEqual({ data: { hello: 'hi' } });
    await stopped;
  });
});
