import type { RestClient } from '../support/rest-client';
import type { Service } from '../support/service';
import { startService } from '../support/service';
import { createShop } from '../support/shop-fixture';

let service: Service;
let anyone: RestClient;
beforeAll(async () => {
  service = await startService({ rateLimit: 10_000 });
  anyone = service.client();
});
afterAll(() => service.close());

const paths = ['/v1/shop', '/v1/products', '/v1/products/x', '/v1/collections', '/v1/orders', '/v1/openapi.json'];
const otherMethods = ['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND'];

describe.each(paths)('%s', (path) => {
  it.each(otherMethods)('answers 405 with Allow to %s, before it requires a credential (D1, D6)', async (method) => {
    const { status, headers, body } = await anyone.call(path, { method });
    expect({ status, allow: headers['allow'], body }).toEqual({
      status: 405,
      allow: 'GET, HEAD, OPTIONS',
      body: { error: { code: 'METHOD_NOT_ALLOWED', message: `Expected one of GET, HEAD, OPTIONS, got ${method}.` } },
    });
  });

  it('answers 204 with Allow to OPTIONS, without a credential, and counts nothing (D6)', async () => {
    const first = await anyone.call(path, { method: 'OPTIONS' });
    const second = await anyone.call(path, { method: 'OPTIONS' });
    expect(first).toMatchObject({ status: 204, text: '', headers: { allow: 'GET, HEAD, OPTIONS' } });
    expect(second.headers['ratelimit-remaining']).toBe(first.headers['ratelimit-remaining']);
  });

  it('accepts a script of any origin (CORS)', async () => {
    const { status, headers } = await anyone.call(path, {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://app.example',
        'Access-Control-Request-Method': 'GET',
        'Access-Control-Request-Headers': 'authorization,if-none-match',
      },
    });
    expect({ status, headers }).toMatchObject({
      status: 204,
      headers: {
        'access-control-allow-origin': '*',
        'access-control-allow-headers': 'authorization,if-none-match',
        'access-control-expose-headers': expect.stringContaining('RateLimit-Remaining') as string,
      },
    });
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
  });
});

/** Mentions the paths that exist. */
const nothingHere =
  'There is nothing at this path. /v1/openapi.json describes the API, and /explorer lets people try it.';

describe('an unknown route', () => {
  it.each([
    '/v1',
    '/v1/',
    '/v1/nothing',
    '/v1/shop/',
    '/v1/Shop',
    '/v1//shop',
    '/v1/products/',
    '/v1/products/x/',
    '/v1/products/x/variants',
    '/v1/__proto__',
    '/v1/.%2e/livez',
  ])('%s answers 404 to anyone, with the rate-limit headers (D1, D19)', async (path) => {
    const { status, body } = await anyone.call(path);
    expect(status).toBe(404);
    expect(body).toEqual({ error: { code: 'NOT_FOUND', message: nothingHere } });
  });

  it.each(['GET', 'POST', 'DELETE', 'OPTIONS'])('answers 404 to %s', async (method) => {
    expect(await anyone.call('/v1/nothing', { method })).toMatchObject({ status: 404 });
  });

  it.each(['/V1/shop', '/v2/shop', '/favicon.svg', '/livez/', '/.well-known/nothing', '/.well-known/'])(
    '%s answers 404 in the envelope outside /v1 too (D2)',
    async (path) => {
      const { status, body, headers } = await anyone.call(path);
      expect(status).toBe(404);
      expect(body).toEqual({ error: { code: 'NOT_FOUND', message: nothingHere } });
      expect(headers['content-type']).toBe('application/json');
    },
  );
});

describe('every response', () => {
  it('does not identify its software and carries the security headers', async () => {
    const { client } = await createShop(service);
    for (const { headers } of [await client.get('/shop'), await anyone.call('/v1/x'), await anyone.call('/livez')]) {
      expect(headers).not.toHaveProperty('x-powered-by');
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none';frame-ancestors 'none'",
        'strict-transport-security': expect.any(String) as string,
        'referrer-policy': 'no-referrer',
      });
    }
  });
});
