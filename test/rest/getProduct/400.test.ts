import type { Service } from '../../support/service';
import { startService } from '../../support/service';
import { createShop } from '../../support/shop-fixture';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

describe('GET /v1/products/{productId} refuses', () => {
  it.each(['%E0%A4%A', '%', '%zz', '%ff'])('%s as percent-encoding of the id (D3)', async (id) => {
    const { client } = await createShop(service);
    const { status, body } = await client.get(`/products/${id}`);
    expect(status).toBe(400);
    expect(body).toEqual({
      error: {
        code: 'BAD_USER_INPUT',
        message: 'URL: the path holds invalid percent-encoding; expected UTF-8 bytes as %XX.',
      },
    });
  });

  it('invalid percent-encoding in the query before it looks for the product (D1)', async () => {
    const { client } = await createShop(service);
    expect(await client.get('/products/none?x=%zz')).toMatchObject({ status: 400 });
  });
});
