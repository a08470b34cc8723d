import type { Service } from '../../support/service';
import { startService } from '../../support/service';
import type { ShopFixture } from '../../support/shop-fixture';
import { createShop } from '../../support/shop-fixture';

let service: Service;
let shop: ShopFixture;
beforeAll(async () => {
  service = await startService();
  shop = await createShop(service);
});
afterAll(() => service.close());

describe('GET /v1/orders refuses (D4)', () => {
  it.each([
    ['financial_status=a&financial_status=b', 'financial_status: expected at most one value, got 2.'],
    ['fulfillment_status=a&fulfillment_status=b', 'fulfillment_status: expected at most one value, got 2.'],
    ['limit=0', 'limit: expected a whole number from 1 to 200, got "0".'],
    ['cursor=', 'cursor: expected the next_cursor of the previous page, got "".'],
  ])('?%s', async (query, message) => {
    const { status, body } = await shop.client.get(`/orders?${query}`);
    expect(status).toBe(400);
    expect(body).toEqual({ error: { code: 'BAD_USER_INPUT', message } });
  });
});
