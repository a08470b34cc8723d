import { request } from 'node:http';
import { UsageCounter } from '../../src/auth/usage-counter';
import * as catalogs from '../../src/catalog/catalog';
import * as exports from '../../src/catalog/export/export-shop';
import { maximumAnswerBytes } from '../../src/catalog/answer-size';
import { composeSubgraphs } from '../../src/federation/supergraph/compose-subgraphs';
import { routerSecretHeader } from '../../src/federation/transport/forwarded-headers';
import type * as servers from '../../src/graph/graphql-server';
import type * as turns from '../../src/http/endpoints/graphql/graphql-handler';
import { allRoutes } from '../../src/http/routes';
import { serveGateway, sourceOf } from '../federation/support/served-gateway';
import { json as answerJson, startStubServer } from '../federation/support/stub-server';
import type { RestCall } from '../support/rest-client';
import { exchange } from '../support/rest-client';
import { seedApiKey, seedOrder, seedProduct, seedShop, seedVariant } from '../support/seed';
import { startService, useService } from '../support/service';

/** On every surface, no more operations run than are charged and counted in usage (D18). */

jest.mock('../../src/catalog/catalog', () => {
  const actual = jest.requireActual<typeof catalogs>('../../src/catalog/catalog');
  return { ...actual, createCatalog: jest.fn(actual.createCatalog) };
});
const operations = jest.mocked(catalogs.createCatalog);

jest.mock('../../src/catalog/export/export-shop', () => {
  const actual = jest.requireActual<typeof exports>('../../src/catalog/export/export-shop');
  return { ...actual, exportShop: jest.fn(actual.exportShop) };
});
const exported = jest.mocked(exports.exportShop);

/** Operations that were passed to a gateway with subgraphs, or to the graph alone. */
const mockPlanned = { count: 0 };
jest.mock('../../src/graph/graphql-server', () => {
  const actual = jest.requireActual<typeof servers>('../../src/graph/graphql-server');
  const createGraphqlServer: typeof actual.createGraphqlServer = (options) => {
    const { gateway } = options;
    const load: typeof gateway.load = async (given) => {
      const { executor, ...loaded } = await gateway.load(given);
      return { ...loaded, executor: (...call) => ((mockPlanned.count += 1), executor?.(...call) as never) };
    };
    const counting = {
      load,
      onSchemaLoadOrUpdate: gateway.onSchemaLoadOrUpdate.bind(gateway),
      stop: gateway.stop.bind(gateway),
    };
    return actual.createGraphqlServer({ ...options, gateway: counting });
  };
  return { ...actual, createGraphqlServer };
});

const mockTurns = { taken: 0 };
jest.mock('../../src/http/endpoints/graphql/graphql-handler', () => {
  const actual = jest.requireActual<typeof turns>('../../src/http/endpoints/graphql/graphql-handler');
  const createOperationSlots: typeof actual.createOperationSlots = (options) => {
    const take = actual.createOperationSlots(options);
    return (...call) => {
      mockTurns.taken += 1;
      return take(...call);
    };
  };
  return { ...actual, createOperationSlots };
});

const routerSecret = 'a secret between this service and its router';
const json = { 'Content-Type': 'application/json', [routerSecretHeader]: routerSecret };
const post = (body: unknown): RestCall => ({ method: 'POST', headers: json, body: JSON.stringify(body) });
const query = '{ products(first: 200) { nodes { id title descriptionHtml variants { id product { id } } } } }';
const aliases = `{ ${Array.from({ length: 10 }, (_, index) => `a${index}: ${query.slice(2, -2)}`).join(' ')} }`;
const graphql = [post({ query }), post({ query: aliases }), post(Array.from({ length: 50 }, () => ({ query })))];
const tool = (name: string, given: object) => ({
  ...{ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } },
});
const large = { limit: 200, max_characters: 650_000 };
type Calls = readonly (RestCall & { readonly more?: string })[];

/** The most expensive calls of each charged route: a route without an entry fails the test. */
const worst: Readonly<Record<string, Calls>> = {
  '/v1/shop': [{}, { more: '?a=1&a=2' }],
  '/v1/products': [{ more: '?limit=200' }, { more: '?limit=200&limit=200' }],
  '/v1/products/{productId}': [{}],
  '/v1/collections': [{ more: '?limit=200' }],
  '/v1/orders': [{ more: '?limit=200' }],
  '/v1/openapi.json': [{}],
  '/graphql': [...graphql, { more: `?query=${encodeURIComponent(query)}&query=${encodeURIComponent(query)}` }],
  '/subgraph': graphql,
  '/changes': [{ more: '?limit=200' }, { more: '?after=now' }, { more: '?limit=200&types=variants' }],
  '/export': [{}, { more: '?format=csv&type=orders' }, { more: '?types=orders&types=orders' }],
  '/mcp': [
    post(tool('list_products', large)),
    post(tool('list_changes', large)),
    post(Array.from({ length: 50 }, () => tool('list_products', {}))),
  ],
  '/oauth/token': [post({})],
};

let shopId: string;
let productId: string;
let apiKey: string;
let counted: jest.SpyInstance;

const service = useService({ rateLimit: 10_000, settings: { SUBGRAPH_SECRET: routerSecret } });
beforeAll(async () => {
  shopId = await seedShop(service.sql);
  for (let count = 0; count < 20; count += 1) {
    productId = await seedProduct(service.sql, shopId, { description_html: '\u0085"'.repeat(300_000) });
    await seedVariant(service.sql, shopId, productId);
  }
  counted = jest.spyOn(UsageCounter.prototype, 'countRequest');
});
beforeEach(async () => {
  ({ apiKey } = await seedApiKey(service.sql, shopId));
  operations.mockClear();
  exported.mockClear();
  counted.mockClear();
  mockTurns.taken = 0;
  mockPlanned.count = 0;
});

const call = (target: string, { headers, ...given }: RestCall = {}) =>
  exchange(service.origin, target, { ...given, headers: { ...headers, Authorization: `Bearer ${apiKey}` } });

/** The charges of the key so far. Reading them is one more call. */
const readCharges = async (): Promise<number> =>
  10_000 - Number((await call('/v1/shop')).headers['ratelimit-remaining']) - 1;

const charged = allRoutes.filter(({ charge }) => charge !== 'none').map(({ path }) => path);

it.each(charged)('%s runs at most what it charges and counts, with a bounded response', async (path) => {
  const calls = worst[path] as Calls;
  for (const { more = '', ...given } of calls) {
    const { text } = await call(path.replace('{productId}', productId) + more, given);
    if (path !== '/export') expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maximumAnswerBytes);
  }
  const ran = operations.mock.calls.length + exported.mock.calls.length;
  if (path !== '/oauth/token' && path !== '/v1/openapi.json') expect(ran).toBeGreaterThan(0);
  expect(ran).toBeLessThanOrEqual(await readCharges());
  // A call is counted once its response has been sent, a little after the client has it.
  while (counted.mock.calls.length < ran) await exchange(service.origin, '/livez', {});
  // Operations of REST and exports are scheduled by their statements.
  if (/graphql|subgraph|mcp|changes/.test(path)) expect(ran).toBeLessThanOrEqual(mockTurns.taken);
});

it.each(['application/json', 'text/event-stream'])('each page of a waiting call is charged: %s', async (accept) => {
  const { body } = await call('/changes?after=now&types=orders');
  const { next_cursor: after } = body as { next_cursor: string };
  const headers = { Authorization: `Bearer ${apiKey}`, Accept: accept };
  const ended = new Promise<void>((resolve) => {
    const sent = request(`${service.origin}/changes?after=${after}&types=orders&wait=50`, { headers, agent: false });
    sent.on('response', (response) => {
      response.on('data', (text) => String(text).includes('"order"') && response.destroy());
      response.on('close', resolve);
    });
    sent.end();
  });
  while (!/^changes_clients_waiting 1/m.test((await exchange(service.origin, '/metrics', {})).text));
  const before = operations.mock.calls.length;
  // Wakes the client, for which there is nothing new.
  await service.sql(`UPDATE products SET title = title || '.' WHERE id = $1`, [productId]);
  while (operations.mock.calls.length === before) await exchange(service.origin, '/livez', {});
  await seedOrder(service.sql, shopId);
  await ended;
  const ran = operations.mock.calls.length;
  // The page for the first change may include the second.
  expect(ran).toBeGreaterThanOrEqual(3);
  const charges = await readCharges();
  expect(charges).toBeGreaterThanOrEqual(ran);
  expect(counted.mock.calls.length).toBeGreaterThanOrEqual(ran);
});

const subgraph = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@shareable"])
  type Product @key(fields: "id") { id: ID! stars: Int }
  type Query { ratings: Int }`;

describe("with another team's subgraph", () => {
  let stub: Awaited<ReturnType<typeof startStubServer>>;
  beforeAll(async () => {
    stub = await startStubServer();
    // No entities, so the response contains an error: only what is planned counts here.
    stub.answer = (response, { body: { query: asked = '' } }) =>
      answerJson(response, { data: asked.includes('_service') ? { _service: { sdl: subgraph } } : { ratings: 1 } });
  });
  afterAll(() => stub.close());

  it('/graphql plans at most what it charges and counts, with a bounded response', async () => {
    const federated = await startService({ rateLimit: 10_000, settings: { SUBGRAPHS: `reviews=${stub.url}` } });
    try {
      const shop = await seedShop(federated.sql);
      for (let count = 0; count < 3; count += 1) await seedProduct(federated.sql, shop);
      const key = await seedApiKey(federated.sql, shop);
      const ask = (given: RestCall) =>
        exchange(federated.origin, '/graphql', {
          ...given,
          headers: { ...given.headers, Authorization: `Bearer ${key.apiKey}` },
        });
      const joined = '{ ratings products(first: 200) { nodes { id stars } } }';
      const several = `{ ratings ${Array.from({ length: 5 }, (_, index) => `a${index}: ${joined.slice(10, -2)}`).join(' ')} }`;
      const calls = [post({ query: joined }), post({ query: several }), post([{ query: joined }, { query: joined }])];
      const texts: string[] = [];
      for (const given of calls) texts.push((await ask(given)).text);
      expect(texts.filter((text) => text.includes('"ratings":1'))).toHaveLength(2);
      for (const text of texts) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maximumAnswerBytes);
      const ran = mockPlanned.count;
      expect(ran).toBe(2);
      const { headers } = await exchange(federated.origin, '/v1/shop', {
        headers: { Authorization: `Bearer ${key.apiKey}` },
      });
      expect(10_000 - Number(headers['ratelimit-remaining']) - 1).toBeGreaterThanOrEqual(ran);
      expect(counted.mock.calls.length).toBeGreaterThanOrEqual(ran);
      expect(mockTurns.taken).toBeGreaterThanOrEqual(ran);
    } finally {
      await federated.close();
    }
  });

  /** The most expensive calls of each route of `catalog gateway`: a route without an entry fails the test. */
  const ofGateway: Readonly<Record<string, Calls>> = {
    '/graphql': [
      post({ query: '{ ratings }' }),
      post(Array.from({ length: 50 }, () => ({ query: '{ ratings }' }))),
      { more: '?query={ratings}&query={ratings}', headers: { 'Apollo-Require-Preflight': '1' } },
    ],
  };
  const serve = () => {
    const supergraph = composeSubgraphs([{ name: 'stub', url: stub.url, sdl: subgraph }]);
    return serveGateway(sourceOf(supergraph), { limitsRate: true }, { RATE_LIMIT_REQUESTS: '10000' });
  };

  it('`catalog gateway` serves exactly the routes in the table', async () => {
    const { origin, stop } = await serve();
    const served: string[] = [];
    for (const { path } of allRoutes) {
      const { status } = await exchange(origin, path.replaceAll(/\{\*?\w+\}/g, 'x'), { method: 'OPTIONS' });
      if (status !== 404) served.push(path);
    }
    expect(served).toEqual(allRoutes.filter(({ isOfGateway }) => isOfGateway).map(({ path }) => path));
    await stop();
  });

  it.each(allRoutes.filter(({ isOfGateway, charge }) => isOfGateway && charge !== 'none').map(({ path }) => path))(
    '%s of `catalog gateway` plans at most what it charges',
    async (path) => {
      const { origin, stop } = await serve();
      for (const { more = '', ...given } of ofGateway[path] as Calls) await exchange(origin, path + more, given);
      const ran = mockPlanned.count;
      expect(ran).toBeGreaterThan(0);
      const { headers } = await exchange(origin, path, post({ query: '{ __typename }' }));
      expect(10_000 - Number(headers['ratelimit-remaining']) - 1).toBeGreaterThanOrEqual(ran);
      expect(mockTurns.taken).toBeGreaterThanOrEqual(ran);
      await stop();
    },
  );
});

it('a stream that catches up pays for each page, and waits when its bucket is empty', async () => {
  const points = 5;
  const limited = await startService({ rateLimit: points });
  try {
    const shop = await seedShop(limited.sql);
    for (let count = 0; count < 3 * points; count += 1) await seedProduct(limited.sql, shop);
    const key = await seedApiKey(limited.sql, shop);
    const headers = { Authorization: `Bearer ${key.apiKey}`, Accept: 'text/event-stream' };
    const started = operations.mock.calls.length;
    const sent = request(`${limited.origin}/changes?limit=1`, { headers, agent: false });
    let text = '';
    let status: number | undefined;
    const hasPaused = new Promise<void>((resolve) => {
      sent.on('response', (response) => {
        status = response.statusCode;
        response.on('data', (chunk) => (text += String(chunk)));
        response.on('close', resolve);
      });
      sent.on('error', () => undefined);
    });
    sent.end();
    while (operations.mock.calls.length - started < points) await exchange(limited.origin, '/livez', {});
    // As long as the earlier pages took, with other requests in between.
    for (let turn = 0; turn < 100; turn += 1) await exchange(limited.origin, '/livez', {});
    expect(operations.mock.calls.length - started).toBe(points);
    expect({ status, events: text.match(/^data:/gm)?.length }).toEqual({ status: 200, events: points });
    expect(counted.mock.calls.length).toBe(points - 1);
    const refused = await exchange(limited.origin, '/v1/shop', { headers });
    expect(refused.status).toBe(429);
    sent.destroy();
    await hasPaused;
  } finally {
    await limited.close();
  }
});
