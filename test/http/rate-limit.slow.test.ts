import type { Service, ServiceOptions } from '../support/service';
import { startService } from '../support/service';
import { mintToken } from '../support/rest-client';
import { createShop } from '../support/shop-fixture';

const running: Service[] = [];
async function start(options?: ServiceOptions): Promise<Service> {
  const service = await startService(options);
  running.push(service);
  return service;
}
afterEach(async () => {
  for (const service of running.splice(0)) await service.close();
});

const remainingOf = ({ headers }: { headers: Readonly<Record<string, unknown>> }) =>
  Number(headers['ratelimit-remaining']);

it('admits exactly 120 of 200 concurrent calls, over the API key, its tokens, REST and GraphQL together (D18)', async () => {
  const service = await start();
  const key = await createShop(service);
  const shop = service.client(key.apiKey);
  const viaToken = service.client(await mintToken(service.origin, key));
  const query = {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"query":"{ shop { id } }"}',
  };
  const calls = Array.from({ length: 50 }, () => [
    shop.get('/shop'),
    viaToken.get('/products?limit=0'),
    shop.call('/v1/orders', { method: 'HEAD' }),
    viaToken.call('/graphql', query),
  ]);
  const statuses = (await Promise.all(calls.flat())).map(({ status }) => status);
  const count = (wanted: number) => statuses.filter((status) => status === wanted).length;
  expect({ admitted: count(200) + count(400), refused: count(429) }).toEqual({ admitted: 120, refused: 80 });
});

describe('the address of a call without a valid credential (D19)', () => {
  const from = (address: string) => ({ 'X-Forwarded-For': address });

  it('is the one that the trusted proxy saw', async () => {
    const service = await start({ settings: { TRUST_PROXY: '1' } });
    const anyone = service.client('noise');
    expect(remainingOf(await anyone.get('/shop', from('203.0.113.1')))).toBe(119);
    expect(remainingOf(await anyone.get('/shop', from('203.0.113.1')))).toBe(118);
    expect(remainingOf(await anyone.get('/shop', from('203.0.113.2')))).toBe(119);
    expect(remainingOf(await anyone.get('/shop', from('203.0.113.9, 203.0.113.2')))).toBe(118);
    expect(remainingOf(await anyone.get('/shop', from('203.0.113.2:4711')))).toBe(117);
    expect(remainingOf(await anyone.get('/shop', from('"[2001:db8::1]:4711"')))).toBe(119);
  });

  it('is never one that the client claims', async () => {
    const service = await start();
    const anyone = service.client('noise');
    expect(remainingOf(await anyone.get('/shop', from('203.0.113.1')))).toBe(119);
    expect(remainingOf(await anyone.get('/shop', from('203.0.113.2')))).toBe(118);
  });

  it('counts public documents too, and refuses none of them; nothing else without a credential counts', async () => {
    const service = await start({ rateLimit: 3 });
    const anyone = service.client();
    const answers = [
      await anyone.call('/v1/openapi.json'),
      await anyone.get('/shop'),
      await anyone.call('/v1/nothing'),
      await anyone.call('/v1/shop', { method: 'DELETE' }),
      await anyone.call('/v1/shop', { method: 'OPTIONS' }),
      await anyone.call('/v1/openapi.json'),
      await anyone.call('/v1/openapi.json'),
      await anyone.call('/v1/openapi.json'),
    ];
    expect(answers.map((answer) => [answer.status, remainingOf(answer)])).toEqual([
      [200, 2],
      [401, 3],
      [404, 3],
      [405, 3],
      [204, 3],
      [200, 1],
      [200, 0],
      [200, 0],
    ]);
  });
});
