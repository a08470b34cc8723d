import { request } from 'node:http';
import { UsageCounter } from '../../src/auth/usage-counter';
import * as catalogs from '../../src/catalog/catalog';
import { maximumAnswerBytes } from '../../src/catalog/operation-reads';
import { routerSecretHeader } from '../../src/federation/transport/forwarded-headers';
import type * as turns from '../../src/http/endpoints/graphql/operation-turns';
import { allRoutes } from '../../src/http/routes';
import type { RestCall } from '../support/rest-client';
import { exchange } from '../support/rest-client';
import { seedApiKey, seedOrder, seedProduct, seedShop, seedVariant } from '../support/seed';
import type { Service } from '../support/service';
import { startService } from '../support/service';

/** On every surface the operations that run are at most those that are charged and counted in usage (D18). */

jest.mock('../../src/catalog/catalog', () => {
  const actual = jest.requireActual<typeof catalogs>('../../src/catalog/catalog');
  return { ...actual, createCatalog: jest.fn(actual.createCatalog) };
});
const operations = jest.mocked(catalogs.createCatalog);

const mockTurns = { taken: 0 };
jest.mock('../../src/http/endpoints/graphql/operation-turns', () => {
  const actual = jest.requireActual<typeof turns>('../../src/http/endpoints/graphql/operation-turns');
  const createOperationTurns: typeof actual.createOperationTurns = (options) => {
    const take = actual.createOperationTurns(options);
    return (...call) => {
      mockTurns.taken += 1;
      return take(...call);
    };
  };
  return { ...actual, createOperationTurns };
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

/** The worst calls of each route that is charged: without an entry its test fails. */
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
  '/export': [{}],
  '/mcp': [
    post(tool('list_products', large)),
    post(tool('list_changes', large)),
    post(Array.from({ length: 50 }, () => tool('list_products', {}))),
  ],
  '/oauth/token': [post({})],
};

let service: Service;
let shopId: string;
let productId: string;
let apiKey: string;
let counted: jest.SpyInstance;

beforeAll(async () => {
  service = await startService({ rateLimit: 10_000, settings: { SUBGRAPH_SECRET: routerSecret } });
  shopId = await seedShop(service.sql);
  for (let count = 0; count < 20; count += 1) {
    productId = await seedProduct(service.sql, shopId, { description_html: '\u0085"'.repeat(300_000) });
    await seedVariant(service.sql, shopId, productId);
  }
  counted = jest.spyOn(UsageCounter.prototype, 'countRequest');
});
afterAll(() => service.close());
beforeEach(async () => {
  ({ apiKey } = await seedApiKey(service.sql, shopId));
  operations.mockClear();
  counted.mockClear();
  mockTurns.taken = 0;
});

const call = (target: string, { headers, ...given }: RestCall = {}) =>
  exchange(service.origin, target, { ...given, headers: { ...headers, Authorization: `Bearer ${apiKey}` } });

/** What the key has been charged; asking is one call more. */
const readCharges = async (): Promise<number> =>
  10_000 - Number((await call('/v1/shop')).headers['ratelimit-remaining']) - 1;

const charged = allRoutes.filter(({ charge }) => charge !== 'none').map(({ path }) => path);

it.each(charged)('%s runs at most what it charges and counts, in a bounded answer', async (path) => {
  const calls = worst[path] as Calls;
  for (const { more = '', ...given } of calls) {
    const { text } = await call(path.replace('{productId}', productId) + more, given);
    if (path !== '/export') expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maximumAnswerBytes);
  }
  const ran = operations.mock.calls.length;
  const countedCalls = counted.mock.calls.length;
  expect(ran).toBeLessThanOrEqual(await readCharges());
  expect(ran).toBeLessThanOrEqual(countedCalls);
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
  // Wakes the client, for which there is nothing.
  await service.sql(`UPDATE products SET title = title || '.' WHERE id = $1`, [productId]);
  while (operations.mock.calls.length === before) await exchange(service.origin, '/livez', {});
  await seedOrder(service.sql, shopId);
  await ended;
  const ran = operations.mock.calls.length;
  expect(ran).toBeGreaterThanOrEqual(4);
  const charges = await readCharges();
  expect(charges).toBeGreaterThanOrEqual(ran);
  expect(counted.mock.calls.length).toBeGreaterThanOrEqual(ran);
});
