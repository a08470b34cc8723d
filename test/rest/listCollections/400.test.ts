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

const publishedRule = 'published: expected one of true, false, got';

describe('GET /v1/collections refuses (D4)', () => {
  it.each([
    ['published=', `${publishedRule} "".`],
    ['published=1', `${publishedRule} "1".`],
    ['published=TRUE', `${publishedRule} "TRUE".`],
    ['published=true&published=true', 'published: expected at most one value, got 2.'],
    ['limit=201', 'limit: expected a whole number from 1 to 200, got "201".'],
    ['cursor=', 'cursor: expected the next_cursor of the previous page, got "".'],
  ])('?%s', async (query, message) => {
    const { status, body } = await shop.client.get(`/collections?${query}`);
    expect(status).toBe(400);
    expect(body).toEqual({ error: { code: 'BAD_USER_INPUT', message } });
  });
});
