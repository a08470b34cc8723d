import { createSecret } from '../../src/auth/api-key';
import { findValue, parseMetrics } from '../observability/parse-metrics';
import { exchange, mintToken } from '../support/rest-client';
import { seedApiKey } from '../support/seed';
import type { Service } from '../support/service';
import { startService } from '../support/service';
import type { ShopFixture } from '../support/shop-fixture';
import { createShop } from '../support/shop-fixture';

const rateLimit = 5;
let service: Service;
let shop: ShopFixture;
beforeEach(async () => {
  service = await startService({ rateLimit });
  shop = await createShop(service);
});
afterEach(() => service.close());

/** How many statements the service has sent to its database so far. */
async function countStatements(): Promise<number> {
  const { text } = await exchange(service.origin, '/metrics', {});
  return findValue(parseMetrics(text), 'database_statement_duration_seconds_count') ?? NaN;
}

const get = (credential: string | undefined, path = '/v1/shop') =>
  exchange(service.origin, path, { headers: credential === undefined ? {} : { Authorization: credential } });

describe('refused credentials beyond the limit of the address', () => {
  it('read nothing from the database, and get the same response as before', async () => {
    const revoked = await seedApiKey(service.sql, shop.shopId);
    const token = await mintToken(service.origin, revoked);
    await service.sql('UPDATE api_keys SET revoked_at = now() WHERE client_id = $1', [revoked.clientId.slice(3)]);
    const wrongSecret = `${shop.clientId}.${createSecret(shop.clientId.slice(3))}`;
    const credentials = [
      'Bearer noise',
      `Bearer ${shop.apiKey.slice(0, -1)}`,
      `Bearer ${token.slice(0, -1)}`,
      `Bearer ${revoked.apiKey}`,
      `Bearer ${token}`,
      `Bearer ${wrongSecret}`,
    ];
    const paths = ['/v1/shop', '/graphql?query={shop{id}}'];
    // They get 401 until the bucket is empty, and each key is read once, so that the service knows it is refused.
    for (const credential of credentials) await get(credential);
    const before = await countStatements();
    for (const path of paths) {
      for (const credential of credentials) {
        const { status, headers } = await get(credential, path);
        expect({ status, headers }).toMatchObject({
          status: 429,
          headers: {
            'ratelimit-limit': '5',
            'ratelimit-remaining': '0',
            'retry-after': expect.stringMatching(/^[1-9]\d?$/) as string,
          },
        });
      }
    }
    expect((await countStatements()) - before).toBe(0);
  });

  it('do not keep a valid credential from the same address from being answered, even one used for the first time', async () => {
    for (let index = 0; index <= rateLimit; index++) await get('Bearer noise');
    expect((await get('Bearer noise')).status).toBe(429);
    const fresh = await createShop(service);
    expect((await get(`Bearer ${fresh.apiKey}`)).status).toBe(200);
    const token = await mintToken(service.origin, fresh);
    expect((await get(`Bearer ${token}`)).status).toBe(200);
  });

  it('never draw on the bucket of the key that they guess (D19)', async () => {
    for (let index = 0; index < rateLimit; index++) await get(`Bearer ${shop.clientId}.${'x'.repeat(43)}`);
    const { status, headers } = await get(`Bearer ${shop.apiKey}`);
    expect([status, headers['ratelimit-remaining']]).toEqual([200, String(rateLimit - 1)]);
  });

  it('get 401 while the bucket has room, even if the credential was refused before, and then 429 with the same challenge (D16)', async () => {
    const wrong = `Bearer ${shop.clientId}.${createSecret(shop.clientId.slice(3))}`;
    const answers = [];
    for (let index = 0; index < rateLimit + 2; index++) answers.push(await get(wrong));
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 429, 429]);
    expect(new Set(answers.map(({ headers }) => headers['www-authenticate'])).size).toBe(1);
  });
});
