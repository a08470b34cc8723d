import { operations } from '../../rest/operations';
import { askGraphql } from '../support/graphql-client';
import { sendRaw } from '../support/raw-http';
import { exchange } from '../support/rest-client';
import type { Service } from '../support/service';
import { startService } from '../support/service';
import type { ShopFixture } from '../support/shop-fixture';
import { createShop } from '../support/shop-fixture';
import { findPrivateTexts } from '../support/private-texts';
import { findFreePort } from '../support/free-port';
import { privateTexts, sendMixedRequests } from './mixed-requests';
import { findValue, parseMetrics } from './parse-metrics';

let service: Service;
let shop: ShopFixture;
beforeEach(async () => {
  service = await startService({ rateLimit: 1000 });
  shop = await createShop(service);
});
afterEach(() => service.close());

const readText = async () => (await exchange(service.origin, '/metrics', {})).text;
const read = async () => parseMetrics(await readText());

describe('/metrics', () => {
  it('is Prometheus text that no cache stores', async () => {
    const { status, headers } = await exchange(service.origin, '/metrics', {});
    expect({ status, headers }).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', 'cache-control': 'no-store' },
    });
  });

  it('counts every request once, by operation, method and status', async () => {
    await shop.client.get('/shop');
    await shop.client.get('/products');
    await shop.client.get('/products?limit=0');
    await shop.client.get('/products/00000000-0000-4000-8000-000000000000');
    await service.client().get('/orders');
    await shop.client.call('/v1/collections', { method: 'DELETE' });
    await shop.client.get('/nothing');
    await askGraphql(service.origin, shop.apiKey, '{ shop { name } }');
    await exchange(service.origin, '/oauth/token', { method: 'POST' });
    await exchange(service.origin, '/.well-known/jwks.json', {});
    await exchange(service.origin, '/livez', { method: 'HEAD' });
    await exchange(service.origin, '/graphql', { headers: { Accept: 'text/html' } });
    await sendRaw(service.origin, 'GET / HTTP/1.1\r\nbroken\r\n\r\n');
    const counts = (await read()).filter(({ name }) => name === 'http_request_duration_seconds_count');
    expect(
      counts
        .map(({ labels, value }) => `${labels['operation']} ${labels['method']} ${labels['status']} ${value}`)
        .sort(),
    ).toEqual([
      'explorer GET 200 1',
      'getProduct GET 404 1',
      'getShop GET 200 1',
      'graphql POST 200 1',
      'health HEAD 200 1',
      'listCollections DELETE 405 1',
      'listOrders GET 401 1',
      'listProducts GET 200 1',
      'listProducts GET 400 1',
      'metadata GET 200 1',
      'token POST 401 1',
      'unknown GET 404 1',
      'unknown other 400 1',
    ]);
  });

  it('counts decisions of the rate limit by the kind of the bucket', async () => {
    await shop.client.get('/shop');
    await service.client('no key').get('/shop');
    const samples = await read();
    const decisions = (bucket: string, decision: string) =>
      findValue(samples, 'rate_limit_decisions_total', { bucket, decision });
    expect([decisions('key', 'admitted'), decisions('ip', 'admitted'), decisions('token', 'refused')]).toEqual([
      1, 1, 0,
    ]);
    expect(findValue(samples, 'rate_limit_store_degraded')).toBe(0);
  });

  it('reports the sources of REST responses, and their memory', async () => {
    const { headers } = await shop.client.get('/products');
    await shop.client.get('/products');
    await shop.client.get('/products');
    await shop.client.get('/products', { 'If-None-Match': String(headers['etag']) });
    const samples = await read();
    const outcomes = ['miss', 'hit', 'not_modified'].map((outcome) =>
      findValue(samples, 'answer_cache_requests_total', { outcome }),
    );
    // Cached from the second request on.
    expect(outcomes).toEqual([2, 1, 1]);
    expect(findValue(samples, 'answer_cache_bytes')).toBeGreaterThan(0);
  });

  it('shows pool, statements, cost of operations and event-loop lag', async () => {
    await askGraphql(service.origin, shop.apiKey, '{ products(first: 10) { nodes { id } } }');
    const samples = await read();
    expect(findValue(samples, 'database_pool_connections', { state: 'total' })).toBeGreaterThan(0);
    expect(findValue(samples, 'database_pool_connections', { state: 'waiting' })).toBe(0);
    expect(findValue(samples, 'database_statement_duration_seconds_count')).toBeGreaterThan(1);
    expect(findValue(samples, 'graphql_operation_cost_count')).toBe(1);
    expect(findValue(samples, 'nodejs_eventloop_lag_p99_seconds')).toBeGreaterThanOrEqual(0);
  });

  it('contains no ids and nothing that clients send, whatever they send (D25)', async () => {
    await sendMixedRequests(service, shop);
    const text = await readText();
    expect([...privateTexts, shop.shopId, shop.clientId].filter((each) => text.includes(each))).toEqual([]);
    expect(findPrivateTexts(text)).toEqual([]);
    const known = new Set([
      ...operations.map(({ operationId }) => operationId),
      ...[
        'graphql',
        'subgraph',
        'token',
        'metadata',
        'health',
        'explorer',
        'reference',
        'dashboard',
        'export',
        'unknown',
      ],
    ]);
    const found = new Set(parseMetrics(text).flatMap(({ labels }) => labels['operation'] ?? []));
    expect([...found].filter((operation) => !known.has(operation))).toEqual([]);
  });
});

describe('METRICS_PORT', () => {
  it('removes /metrics from the port for clients', async () => {
    const port = await findFreePort();
    const apart = await startService({ settings: { METRICS_PORT: String(port) } });
    try {
      expect((await exchange(apart.origin, '/metrics', {})).status).toBe(404);
      const { status, text } = await exchange(`http://127.0.0.1:${port}`, '/metrics', {});
      expect(status).toBe(200);
      expect(text).toContain('http_request_duration_seconds');
      expect((await exchange(`http://127.0.0.1:${port}`, '/v1/shop', {})).status).toBe(404);
    } finally {
      await apart.close();
    }
    await expect(exchange(`http://127.0.0.1:${port}`, '/metrics', {})).rejects.toThrow('ECONNREFUSED');
  });
});
