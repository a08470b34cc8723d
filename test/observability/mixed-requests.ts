import { sendRaw } from '../support/raw-http';
import { exchange } from '../support/rest-client';
import { seedProduct } from '../support/seed';
import type { Service } from '../support/service';
import type { ShopFixture } from '../support/shop-fixture';

/** What must never appear in logs or metrics: addresses, credentials, and client input. */
export const privateTexts = [
  'anna.private@customers.example',
  'anna.private%40customers.example',
  'customers.example',
  'typed-by-a-client',
  'guessed-password',
];

const address = 'anna.private@customers.example';
const typed = 'typed-by-a-client';

/** One of every kind of request, right and wrong, with private text wherever a client can put it. */
export async function sendMixedRequests(
  service: Pick<Service, 'origin' | 'sql' | 'duringOutage'>,
  { shopId, apiKey, clientId, clientSecret }: Omit<ShopFixture, 'client'>,
): Promise<void> {
  const { origin } = service;
  const bearer = { Authorization: `Bearer ${apiKey}` };
  const get = (target: string, headers: Record<string, string> = bearer) => exchange(origin, target, { headers });
  const graphql = (body: string, headers: Record<string, string> = bearer) =>
    exchange(origin, '/graphql', { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body });
  const token = (authorization: string, body: string) =>
    exchange(origin, '/oauth/token', {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', Authorization: authorization },
      body,
    });
  const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  const document = 'query ($q: String) { products(filter: { query: $q }) { totalCount } }';

  const minted = await token(basic(clientId, clientSecret), 'grant_type=client_credentials');
  const { access_token: accessToken } = minted.body as { access_token: string };
  const byToken = { Authorization: `Bearer ${accessToken}` };

  const run = async (): Promise<void> => {
    for (const target of ['/v1/shop', '/v1/products', `/v1/products?q=${address}`, '/v1/collections', '/v1/orders']) {
      await get(target);
    }
    await get(`/v1/products?vendor=${encodeURIComponent(address)}&tag=${typed}`);
    await get(`/v1/products?limit=${typed}`);
    await get(`/v1/products?q=${apiKey}`);
    await get(`/v1/products/${address}`);
    await get(`/v1/${typed}/${address}?key=${apiKey}`);
    await get(`/v1/products?q=${accessToken}`, byToken);
    await get(`/v1/${accessToken}`, byToken);
    await get('/v1/orders', { Authorization: `Bearer ${accessToken.slice(0, -2)}` });
    await graphql(JSON.stringify({ query: document, variables: { q: accessToken } }), byToken);
    for (const id of [apiKey, clientSecret]) await get('/v1/shop', { ...bearer, 'X-Request-Id': id });
    for (const target of ['/export', `/export?types=${typed}`, `/export?format=${address}`]) await get(target);
    await get('/v1/products', {});
    await get('/v1/products', { Authorization: `Bearer ${clientId}.guessed-password` });
    await get('/v1/products', { Authorization: 'Bearer guessed-password' });
    await get('/v1/products', {
      ...bearer,
      'X-Request-Id': address,
      'User-Agent': address,
      Referer: `https://x/${typed}`,
    });
    await exchange(origin, `/v1/products?q=${address}`, { method: 'DELETE', headers: bearer });
    await exchange(origin, '/v1/products', { method: 'OPTIONS', headers: bearer });
    await graphql(JSON.stringify({ query: document, variables: { q: address } }));
    await graphql(JSON.stringify({ query: `{ products(filter: { query: "${address}" }) { totalCount } }` }));
    await graphql(JSON.stringify({ query: `{ ${typed.replaceAll('-', '')} }` }));
    await graphql(JSON.stringify({ query: document, variables: { q: { address } } }));
    await graphql(`{ "query": "${address}`);
    await graphql(JSON.stringify({ query: '{ shop { name } }' }), { Authorization: `Bearer ${address}` });
    await get(`/graphql?query=${encodeURIComponent(`{ node(id: "${address}") { id } }`)}`);
    await token(basic(clientId, clientSecret), 'grant_type=client_credentials');
    await token(basic(clientId, 'guessed-password'), 'grant_type=client_credentials');
    await token(basic(address, 'guessed-password'), `grant_type=${typed}&client_secret=${clientSecret}`);
    await get('/.well-known/jwks.json', {});
    await get('/livez', {});
    await get('/readyz', {});
    await get('/explorer', { Accept: 'text/html' });
    await get(`/${typed}`, {});
    await sendRaw(
      origin,
      `GET /v1/products?q=${address} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${apiKey}\r\nbroken\r\n\r\n`,
    );
    await sendRaw(origin, `GET /v1/${typed} HTTP/1.1\r\nHost: x\r\nX-Big: ${'x'.repeat(20_000)}\r\n\r\n`);
  };

  await run();
  await service.duringOutage(run);
  // Something to filter and a new version of the data each time, so that nothing comes from the cache.
  await seedProduct(service.sql, shopId);
  // Our own faults: a database whose errors quote values, and missing tables.
  const [fold] = await service.sql<{ definition: string }>(
    `SELECT pg_get_functiondef('catalog_fold'::regproc) AS definition`,
  );
  await service.sql(`CREATE OR REPLACE FUNCTION catalog_fold(value text) RETURNS text LANGUAGE plpgsql IMMUTABLE
                     AS $$ BEGIN RAISE EXCEPTION 'no way to fold %', value; END $$`);
  await run();
  await service.sql(fold?.definition ?? '');
  await seedProduct(service.sql, shopId);
  await service.sql('ALTER TABLE products RENAME TO products_away');
  await run();
  await service.sql('ALTER TABLE products_away RENAME TO products');
}
