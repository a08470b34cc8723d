import { seedProduct } from '../../support/seed';
import { useService } from '../../support/service';
import type { ShopFixture } from '../../support/shop-fixture';
import { createShop } from '../../support/shop-fixture';

let shop: ShopFixture;
const service = useService({ rateLimit: 10_000 });
beforeAll(async () => {
  shop = await createShop(service);
});

const limitRule = 'limit: expected an integer from 1 to 200, got';
const statusRule = 'status: expected one of ACTIVE, DRAFT, ARCHIVED, got';
const encodingRule = 'URL: the query string contains invalid percent-encoding; expected UTF-8 bytes as %XX.';

describe('GET /v1/products refuses (D4)', () => {
  it.each([
    ['limit=0', `${limitRule} "0".`],
    ['limit=05', 'limit: expected an integer from 1 to 200 without leading zeros, got "05".'],
    ['limit=201', `${limitRule} "201".`],
    ['limit=%D9%A5', `${limitRule} "٥".`],
    ['limit=', `${limitRule} "".`],
    ['limit', `${limitRule} "".`],
    ['limit=5&limit=5', 'limit: expected at most one value, got 2.'],
    ['limit=5&%6Cimit=5', 'limit: expected at most one value, got 2.'],
    ['status=active', `${statusRule} "active".`],
    ['cursor=', 'cursor: expected the next_cursor of the previous page, got "".'],
    ['q=%', encodingRule],
    ['q=%E0%A4%A', encodingRule],
    ['q=%ff', encodingRule],
    ['unknown=%zz', encodingRule],
    ['%zz=1', encodingRule],
  ])('?%s', async (query, message) => {
    const { status, body } = await shop.client.get(`/products?${query}`);
    expect(status).toBe(400);
    expect(body).toEqual({ error: { code: 'BAD_USER_INPUT', message } });
  });

  it('truncates what it quotes', async () => {
    const { body } = await shop.client.get(`/products?status=${'x'.repeat(1000)}`);
    expect(body).toEqual({
      error: { code: 'BAD_USER_INPUT', message: `${statusRule} "${'x'.repeat(50)}…".` },
    });
  });
});

describe('GET /v1/products refuses a cursor, always with the same response (D10)', () => {
  let cursor: string;
  beforeAll(async () => {
    for (let index = 0; index < 3; index++) await seedProduct(service.sql, shop.shopId, { vendor: 'Kiln' });
    const { body } = await shop.client.get('/products?limit=1&vendor=Kiln');
    cursor = (body as { next_cursor: string }).next_cursor;
  });

  it.each([
    ['of text', () => '/products?vendor=Kiln&cursor=abc'],
    [
      'that was changed',
      () => `/products?vendor=Kiln&cursor=${cursor.slice(0, -1)}${cursor.endsWith('A') ? 'B' : 'A'}`,
    ],
    ['that was truncated', () => `/products?vendor=Kiln&cursor=${cursor.slice(0, 20)}`],
    ['of other filters', () => `/products?cursor=${cursor}`],
    ['of another list', () => `/collections?cursor=${cursor}`],
    ['with a NUL', () => '/products?cursor=%00'],
  ])('%s', async (_, target) => {
    const { status, body } = await shop.client.get(target());
    expect(status).toBe(400);
    const message = 'cursor: expected a cursor returned by this list with the same filters and sort order.';
    expect(body).toEqual({ error: { code: 'BAD_USER_INPUT', message } });
  });

  it('of another shop', async () => {
    const other = await createShop(service);
    expect(await other.client.get(`/products?vendor=Kiln&cursor=${cursor}`)).toMatchObject({ status: 400 });
  });

  it('but accepts it with another limit', async () => {
    expect(await shop.client.get(`/products?vendor=Kiln&limit=7&cursor=${cursor}`)).toMatchObject({ status: 200 });
  });
});
