import type { Service } from '../../support/service';
import { startService } from '../../support/service';
import { createShop } from '../../support/shop-fixture';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

describe('GET /v1/shop', () => {
  it('refuses invalid percent-encoding in the query although it has no parameters (D4)', async () => {
    const { client } = await createShop(service);
    const { status, body } = await client.get('/shop?x=%zz');
    expect(status).toBe(400);
    expect(body).toEqual({
      error: {
        code: 'BAD_USER_INPUT',
        message: 'URL: the query holds invalid percent-encoding; expected UTF-8 bytes as %XX.',
      },
    });
  });

  it('ignores unknown parameters, even given twice (D4)', async () => {
    const { client } = await createShop(service);
    expect(await client.get('/shop?limit=x&a=1&a=2')).toMatchObject({ status: 200 });
  });
});
