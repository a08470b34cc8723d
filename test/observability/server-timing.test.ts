import { randomBytes } from 'node:crypto';
import { askGraphql } from '../support/graphql-client';
import { exchange } from '../support/rest-client';
import type { Service } from '../support/service';
import { startService } from '../support/service';
import { createShop } from '../support/shop-fixture';

const threeSteps = /^auth;dur=\d+\.\d, limit;dur=\d+\.\d, run;dur=\d+\.\d$/;

describe('Server-Timing', () => {
  let service: Service;
  afterEach(() => service.close());

  it('reports how long authentication, limit and the rest took, on both surfaces and on errors', async () => {
    service = await startService();
    const { client, apiKey } = await createShop(service);
    const answers = [
      await client.get('/shop'),
      await client.get('/products?limit=0'),
      await askGraphql(service.origin, apiKey, '{ shop { name } }'),
    ];
    for (const { headers } of answers) expect(headers['server-timing']).toMatch(threeSteps);
    for (const target of ['/livez', '/v1/shop', '/oauth/token', '/explorer']) {
      expect((await exchange(service.origin, target, {})).headers['server-timing']).toMatch(/^run;dur=\d+\.\d$/);
    }
  });

  it('is absent in production', async () => {
    service = await startService({
      settings: {
        NODE_ENV: 'production',
        PUBLIC_URL: 'https://api.example.com',
        CURSOR_SECRET: randomBytes(32).toString('hex'),
      },
    });
    const { client } = await createShop(service);
    expect((await client.get('/shop')).headers).not.toHaveProperty('server-timing');
  });
});
