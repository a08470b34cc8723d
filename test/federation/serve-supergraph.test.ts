import { composeSubgraphs } from '../../src/federation/composition/compose-subgraphs';
import { serveSupergraph } from '../../src/federation/gateway/serve-supergraph';
import type { SupergraphSource } from '../../src/federation/supergraph/supergraph-source';
import type { StubServer } from './support/stub-server';
import { json, startStubServer } from './support/stub-server';

const link = 'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])';
let stub: StubServer;
beforeEach(async () => {
  stub = await startStubServer();
});
afterEach(() => stub.close());

const sourceOf = (supergraphSdl: string): SupergraphSource => ({
  start: (offer) => Promise.resolve(offer(supergraphSdl)),
  stop: () => Promise.resolve(),
});
const supergraph = () =>
  composeSubgraphs([{ name: 'stub', url: stub.url, sdl: `${link} type Query { hello(to: String!): String }` }]);
const post = async (url: string, body: unknown, headers = {}) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

it('serves any supergraph alone, on a free port, with subgraphs at their own addresses', async () => {
  stub.answer = (response) => json(response, { data: { hello: 'hi' } });
  const served = await serveSupergraph({ source: sourceOf(supergraph()), port: 0 });
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
  await served.stop();
});

it('answers 400 when a variable is missing, without a request to a subgraph', async () => {
  const served = await serveSupergraph({ source: sourceOf(supergraph()), port: 0 });
  const response = await post(served.url, { query: 'query ($to: String!) { hello(to: $to) }' });

  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] });
  expect(stub.requests).toEqual([]);
  await served.stop();
});

it('cancels the request to a subgraph when its client disconnects', async () => {
  const closed = new Promise<void>((resolve) => {
    stub.answer = (response) => void response.once('close', resolve);
  });
  const served = await serveSupergraph({ source: sourceOf(supergraph()), port: 0 });
  const client = new AbortController();
  const answer = fetch(served.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ hello(to: "you") }' }),
    signal: client.signal,
  });
  await stub.received(1);
  client.abort();

  await expect(answer).rejects.toThrow();
  await closed;
  await served.stop();
});

it('does not start with an invalid supergraph', async () => {
  await expect(serveSupergraph({ source: sourceOf('type Query { a: Int }'), port: 0 })).rejects.toThrow(
    'it has no enum join__Graph',
  );
});

it('bounds operations by limits of its own, and a field within itself by the depth alone', async () => {
  const tree = composeSubgraphs([
    { name: 'stub', url: stub.url, sdl: `${link} type Query { node: Node } type Node { node: Node id: ID }` },
  ]);
  const nested = (depth: number) => `{ ${'node { '.repeat(depth)}id${' }'.repeat(depth)} }`;
  const many = (count: number) => `{ ${Array.from({ length: count }, (_, i) => `a${i}: node { id }`).join(' ')} }`;
  stub.answer = (response) => json(response, { data: {} });
  const wide = await serveSupergraph({ source: sourceOf(tree), port: 0 });
  const strict = await serveSupergraph({ source: sourceOf(tree), port: 0, limits: { maxDepth: 5, maxRootFields: 10 } });
  const statuses = (query: string) =>
    Promise.all([wide, strict].map(async ({ url }) => (await post(url, { query })).status));

  expect(await statuses(nested(4))).toEqual([200, 200]);
  expect(await statuses(nested(9))).toEqual([200, 400]);
  expect(await statuses(nested(20))).toEqual([400, 400]);
  expect(await statuses(many(11))).toEqual([200, 400]);
  expect(await statuses(many(101))).toEqual([400, 400]);
  await wide.stop();
  await strict.stop();
});

it('serves a graph whose root types have names of their own', async () => {
  const sdl = supergraph()
    .replace(/\bquery: Query\b/, 'query: RootQuery')
    .replace('type Query', 'type RootQuery');
  stub.answer = (response) => json(response, { data: { hello: 'hi' } });
  const served = await serveSupergraph({ source: sourceOf(sdl), port: 0 });
  const response = await post(served.url, {
    query: '{ __typename hello(to: "you") ... on RootQuery { b: __typename } }',
  });

  expect(await response.json()).toEqual({ data: { __typename: 'RootQuery', hello: 'hi', b: 'RootQuery' } });
  expect(stub.requests[0]?.body.query).not.toContain('RootQuery');
  await served.stop();
});
