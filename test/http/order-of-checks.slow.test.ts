import type { RestAnswer, RestClient } from '../support/rest-client';
import { seedApiKey, seedShop } from '../support/seed';
import type { Service } from '../support/service';
import { startService } from '../support/service';

const rateLimit = 3;
let service: Service;

beforeEach(async () => {
  service = await startService({ rateLimit });
});
afterEach(() => service.close());

async function createClient(shop: Record<string, unknown> = {}, key: Record<string, unknown> = {}) {
  const { apiKey } = await seedApiKey(service.sql, await seedShop(service.sql, shop), key);
  return service.client(apiKey);
}

/** Sends calls until the client's bucket is empty. */
async function exhaust(client: RestClient): Promise<void> {
  for (let call = 0; call < rateLimit; call++) await client.get('/shop');
}

const outcome = ({ status, body, headers }: RestAnswer) => [
  status,
  (body as { error?: { code: string } } | undefined)?.error?.code,
  Number(headers['ratelimit-remaining']),
];

describe('D1: the first check that fails decides the response', () => {
  it('an unknown route and a wrong method come before the credential and the empty bucket of the address', async () => {
    const anyone = service.client('noise');
    await exhaust(anyone);
    expect(outcome(await anyone.call('/v1/nothing'))).toEqual([404, 'NOT_FOUND', 3]);
    expect(outcome(await anyone.call('/v1/shop', { method: 'POST' }))).toEqual([405, 'METHOD_NOT_ALLOWED', 3]);
    expect(outcome(await anyone.call('/v1/%zz'))).toEqual([400, 'BAD_USER_INPUT', 3]);
    expect((await anyone.call('/v1/nothing')).headers).not.toHaveProperty('retry-after');
  });

  it('a refused credential is 401 until the bucket of its address is empty, then 429; none at all is always 401', async () => {
    const invalid = service.client('ck_unknown.secret');
    const outcomes = [];
    for (let call = 0; call < 5; call++) outcomes.push(outcome(await invalid.get('/shop')));
    expect(outcomes).toEqual([
      [401, 'UNAUTHORIZED', 2],
      [401, 'UNAUTHORIZED', 1],
      [401, 'UNAUTHORIZED', 0],
      [429, 'RATE_LIMITED', 0],
      [429, 'RATE_LIMITED', 0],
    ]);
    expect((await invalid.get('/shop')).headers['retry-after']).toMatch(/^[1-9]\d?$/);
    expect(outcome(await service.client().get('/shop'))).toEqual([401, 'UNAUTHORIZED', 3]);
  });

  it('a valid credential is served although the bucket of its address is empty', async () => {
    await exhaust(service.client('noise'));
    const client = await createClient();
    expect(outcome(await client.get('/shop'))).toEqual([200, undefined, 2]);
  });

  it('guessing a key never draws on the bucket of that key (D19)', async () => {
    const shopId = await seedShop(service.sql);
    const { apiKey, clientId } = await seedApiKey(service.sql, shopId);
    await exhaust(service.client(`${clientId}.${'x'.repeat(43)}`));
    expect(outcome(await service.client(apiKey).get('/shop'))).toEqual([200, undefined, 2]);
  });

  it('the rate limit comes before plan, scope, parameters and existence', async () => {
    const client = await createClient({ plan: 'free' }, { scopes: ['orders:read'] });
    await exhaust(client);
    expect(outcome(await client.get('/products/x?limit=%zz'))).toEqual([429, 'RATE_LIMITED', 0]);
  });

  it('the plan comes before scope, parameters and existence', async () => {
    const client = await createClient({ plan: 'pro' }, { scopes: ['orders:read'] });
    expect(outcome(await client.get('/products/x?limit=%zz'))).toEqual([403, 'PLAN_LIMIT_EXCEEDED', 2]);
  });

  it('the scope comes before parameters and existence', async () => {
    const client = await createClient({}, { scopes: ['orders:read'] });
    expect(outcome(await client.get('/products?limit=0'))).toEqual([403, 'FORBIDDEN', 2]);
    expect(outcome(await client.get('/products/x?a=%zz'))).toEqual([403, 'FORBIDDEN', 1]);
  });

  it('the parameters come before existence', async () => {
    const client = await createClient();
    expect(outcome(await client.get('/products/x?a=%zz'))).toEqual([400, 'BAD_USER_INPUT', 2]);
    expect(outcome(await client.get('/products/x'))).toEqual([404, 'NOT_FOUND', 1]);
  });

  it('calls that are refused count like any other', async () => {
    const client = await createClient({ plan: 'pro' });
    await client.get('/shop');
    await client.get('/products?limit=0');
    await client.get('/orders');
    expect(outcome(await client.get('/shop'))).toEqual([429, 'RATE_LIMITED', 0]);
  });

  it('If-None-Match is evaluated after all of them (D7)', async () => {
    const everything = { 'If-None-Match': '*' };
    expect(outcome(await service.client().get('/shop', everything))).toEqual([401, 'UNAUTHORIZED', 3]);
    const onPro = await createClient({ plan: 'pro' });
    expect(outcome(await onPro.get('/shop', everything))).toEqual([403, 'PLAN_LIMIT_EXCEEDED', 2]);
    const withoutScope = await createClient({}, { scopes: ['orders:read'] });
    expect(outcome(await withoutScope.get('/shop', everything))).toEqual([403, 'FORBIDDEN', 2]);
    const client = await createClient();
    expect(outcome(await client.get('/products?limit=0', everything))).toEqual([400, 'BAD_USER_INPUT', 2]);
    expect(outcome(await client.get('/shop', everything))).toEqual([304, undefined, 1]);
  });
});

it('an outage of the database draws on no bucket (D19)', async () => {
  const client = await createClient();
  const statuses = await service.duringOutage(async () => {
    const seen = [];
    for (let call = 0; call < 5; call++) seen.push(outcome(await client.get('/shop')));
    return seen;
  });
  expect(statuses).toEqual(Array(5).fill([503, 'SERVICE_UNAVAILABLE', 3]));
  expect(outcome(await client.get('/shop'))).toEqual([200, undefined, 2]);
});
