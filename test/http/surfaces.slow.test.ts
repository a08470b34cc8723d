import { parse } from 'yaml';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { seedApiKey, seedShop } from '../support/seed';
import { sendRaw } from '../support/raw-http';
import type { Service } from '../support/service';
import { startService } from '../support/service';
import type { ShopFixture } from '../support/shop-fixture';
import { createShop } from '../support/shop-fixture';

let service: Service;
let shop: ShopFixture;
beforeAll(async () => {
  service = await startService({ rateLimit: 50 });
  shop = await createShop(service);
});
afterAll(() => service.close());

describe('/graphql is behind the same checks as REST (D26)', () => {
  const ask = (credential?: string, query = '{ shop { domain } }') =>
    service.client(credential).call('/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ query }),
    });
  const errors = (code: string) => ({ errors: [{ message: expect.any(String) as string, extensions: { code } }] });

  it('names the argument that holds a bad cursor, and REST its parameter (D10)', async () => {
    const { apiKey, client } = await createShop(service);
    const rest = 'expected a cursor that this list returned, with the same filters and order.';
    for (const name of ['after', 'before']) {
      const { body } = await ask(apiKey, `{ orders(${name}: "x") { nodes { id } } }`);
      expect(body).toMatchObject({ errors: [{ message: `${name}: ${rest}` }] });
    }
    for (const list of ['/products', '/collections', '/orders']) {
      const { status, body } = await client.get(`${list}?cursor=x`);
      expect({ status, body }).toEqual({
        status: 400,
        body: { error: { code: 'BAD_USER_INPUT', message: `cursor: ${rest}` } },
      });
    }
  });

  it('answers 200 with the rate-limit headers', async () => {
    const { status, headers, body } = await ask(shop.apiKey);
    expect({ status, body }).toMatchObject({ status: 200, body: { data: { shop: expect.anything() as unknown } } });
    expect(headers).toMatchObject({
      'ratelimit-limit': '50',
      'ratelimit-remaining': '49',
      'ratelimit-policy': '"key";q=50;w=60',
      'x-content-type-options': 'nosniff',
    });
  });

  it('answers 401 with a challenge and a GraphQL body', async () => {
    const { status, body, headers } = await ask();
    expect({ status, body }).toEqual({ status: 401, body: errors('UNAUTHORIZED') });
    expect(headers['www-authenticate']).toContain('resource_metadata=');
    expect(headers).toHaveProperty('ratelimit-remaining');
  });

  it('answers 403 PLAN_LIMIT_EXCEEDED', async () => {
    const { apiKey } = await seedApiKey(service.sql, await seedShop(service.sql, { plan: 'starter' }));
    const { status, body } = await ask(apiKey);
    expect({ status, body }).toEqual({ status: 403, body: errors('PLAN_LIMIT_EXCEEDED') });
  });

  it('answers 405 to other methods before it requires a credential', async () => {
    const { status, body, headers } = await service.client().call('/graphql', { method: 'PUT' });
    expect({ status, body, allow: headers['allow'] }).toEqual({
      status: 405,
      body: errors('METHOD_NOT_ALLOWED'),
      allow: 'GET, HEAD, POST, OPTIONS',
    });
  });

  it('shares one bucket with REST, and answers 429 with Retry-After (D18)', async () => {
    const { apiKey, client } = await createShop(service);
    await client.get('/shop');
    for (let call = 1; call < 50; call++) await ask(apiKey);
    const { status, body, headers } = await ask(apiKey);
    expect({ status, body }).toEqual({ status: 429, body: errors('RATE_LIMITED') });
    expect(headers).toMatchObject({ 'retry-after': headers['ratelimit-reset'], 'ratelimit-remaining': '0' });
    expect(await client.get('/shop')).toMatchObject({ status: 429 });
  });

  it('answers 503 with Retry-After while the database is unavailable', async () => {
    const { status, body, headers } = await service.duringOutage(() => ask(shop.apiKey));
    expect({ status, body }).toEqual({ status: 503, body: errors('SERVICE_UNAVAILABLE') });
    expect(headers).toHaveProperty('retry-after');
  });

  it.each(['/graphql/', '/graphql/x'])('serves nothing at %s', async (path) => {
    const { status, body } = await service.client().call(path);
    expect({ status, body }).toEqual({ status: 404, body: errors('NOT_FOUND') });
  });
});

describe('/oauth/token (D13)', () => {
  const token = (headers: Record<string, string>, body: string, method = 'POST') =>
    service.client().call('/oauth/token', {
      method,
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
      body,
    });
  const basic = () => `Basic ${Buffer.from(`${shop.clientId}:${shop.clientSecret}`).toString('base64')}`;

  it('issues a token that the API accepts', async () => {
    const { status, body, headers } = await token({ Authorization: basic() }, 'grant_type=client_credentials');
    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    const { access_token: accessToken } = body as { access_token: string };
    expect(await service.client(accessToken).get('/shop')).toMatchObject({ status: 200 });
  });

  it.each([
    ['405 to GET', {}, '', 'GET', 405],
    ['413 to a body beyond 16 kB', {}, 'x'.repeat(16_385), 'POST', 413],
    ['413 to a length beyond 16 kB', { 'Content-Length': '999999' }, '', 'POST', 413],
    ['413 to chunks beyond 16 kB', { 'Transfer-Encoding': 'chunked' }, 'x'.repeat(100_000), 'POST', 413],
    ['415 to JSON', { 'Content-Type': 'application/json' }, '{}', 'POST', 415],
    ['415 to a compressed body', { 'Content-Encoding': 'gzip' }, 'x', 'POST', 415],
  ])('answers %s, in the format of RFC 6749', async (_, headers, body, method, status) => {
    const answer = await token(headers, body, method);
    expect(answer).toMatchObject({
      status,
      headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
      body: { error: 'invalid_request', error_description: expect.any(String) as string },
    });
  });

  it('answers 413 to unbounded chunks beyond 16 kB: it reads no further', async () => {
    const head =
      'POST /oauth/token HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n';
    // The last chunk, which would mark the end of the body, is never sent.
    const answers = await sendRaw(service.origin, head, `4001\r\n${'x'.repeat(0x4001)}\r\n`);
    expect(answers).toMatchObject([
      { status: 413, headers: { connection: 'close' }, body: { error: 'invalid_request' } },
    ]);
  });

  it('answers OPTIONS with Allow', async () => {
    const answer = await service.client().call('/oauth/token', { method: 'OPTIONS' });
    expect(answer).toMatchObject({ status: 204, headers: { allow: 'POST, OPTIONS' } });
  });
});

describe('public documents', () => {
  it('serves the OpenAPI document with the addresses of this installation, to anyone', async () => {
    const { status, body, headers } = await service.client().call('/v1/openapi.json');
    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'content-type': 'application/json', etag: expect.any(String) as string });
    const text = readFileSync(join(__dirname, '../../rest/openapi.yaml'), 'utf8');
    const servers = [{ url: `${service.publicUrl}/v1`, description: 'Development' }];
    const given = parse(text.replaceAll('https://api.catalog.example', service.publicUrl)) as object;
    expect(body).toEqual({ ...given, servers });
    expect(body).toMatchObject({ openapi: '3.1.0', info: { version: '1.0.0' } });
    const again = await service
      .client()
      .call('/v1/openapi.json', { headers: { 'If-None-Match': String(headers['etag']) } });
    expect(again).toMatchObject({ status: 304, text: '' });
  });

  it.each([
    ['oauth-authorization-server', { token_endpoint: '/oauth/token' }],
    ['oauth-protected-resource', { resource: '' }],
    ['oauth-protected-resource/v1', { resource: '/v1' }],
  ])('serves /.well-known/%s with addresses of PUBLIC_URL, whatever Host says (D17)', async (name, expected) => {
    const { status, body } = await service.client().call(`/.well-known/${name}`, { headers: { Host: 'evil.example' } });
    const [[member, path]] = Object.entries(expected) as [[string, string]];
    expect(status).toBe(200);
    expect((body as Record<string, unknown>)[member]).toBe(`${service.publicUrl}${path}`);
    expect(JSON.stringify(body)).not.toContain('evil.example');
  });

  it('serves the public keys', async () => {
    const { status, body } = await service.client().call('/.well-known/jwks.json');
    expect({ status, body }).toMatchObject({ status: 200, body: { keys: [{ kty: 'EC', alg: 'ES256' }] } });
    expect(JSON.stringify(body)).not.toContain('"d"');
  });
});

describe('health', () => {
  it('/livez and /readyz answer 200', async () => {
    expect(await service.client().call('/livez')).toMatchObject({ status: 200, body: { alive: true } });
    expect(await service.client().call('/readyz')).toMatchObject({ status: 200, body: { ready: true } });
  });

  it('/readyz answers 503 in the envelope while the database is unavailable, /livez stays 200', async () => {
    const [ready, live] = await service.duringOutage(async () => [
      await service.client().call('/readyz'),
      await service.client().call('/livez'),
    ]);
    expect(ready).toMatchObject({
      status: 503,
      headers: { 'retry-after': '1' },
      body: { ready: false, checks: { database: false }, error: { code: 'SERVICE_UNAVAILABLE' } },
    });
    expect(live).toMatchObject({ status: 200 });
    expect(await service.client().call('/readyz')).toMatchObject({ status: 200 });
  });
});
