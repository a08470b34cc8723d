import { seedOrder } from '../../support/seed';
import { useService } from '../../support/service';
import { createShop } from '../../support/shop-fixture';
import { walk } from '../walk';

const service = useService({ rateLimit: 10_000 });

describe('GET /v1/orders', () => {
  it('returns every member in the order of the specification, and no e-mail address (D25)', async () => {
    const { client, shopId } = await createShop(service);
    const order = {
      external_id: '5123',
      order_number: '#1042',
      customer_name: 'Bob <bob@example.com>',
      currency: 'EUR',
      total_price: '44.70',
      subtotal_price: '39.80',
      total_tax: '6.35',
      total_shipping: '0',
      financial_status: 'PAID',
      fulfillment_status: null,
      items_count: 2,
      tags: ['vip', 'bob@example.com'],
      created_at: '2026-01-30T18:45:12Z',
      updated_at: '2026-01-31T12:00:00Z',
    };
    const id = await seedOrder(service.sql, shopId, order);
    const { text } = await client.get('/orders');
    expect(text).toBe(
      JSON.stringify({
        data: [
          {
            id,
            ...order,
            customer_name: 'Bob',
            tags: ['vip'],
            created_at: '2026-01-30T18:45:12.000Z',
            updated_at: '2026-01-31T12:00:00.000Z',
          },
        ],
        has_more: false,
        next_cursor: null,
      }),
    );
  });

  it.each([
    ['financial_status=PAID', ['1', '2']],
    ['financial_status=paid', []],
    ['fulfillment_status=FULFILLED', ['1']],
    ['financial_status=PAID&fulfillment_status=', ['2']],
    ['financial_status=%00', []],
    ['fulfillment_status=%00', []],
  ])('?%s finds %j (D4, D5)', async (query, expected) => {
    const { client, shopId } = await createShop(service);
    await seedOrder(service.sql, shopId, { order_number: '1' });
    await seedOrder(service.sql, shopId, { order_number: '2', fulfillment_status: '' });
    await seedOrder(service.sql, shopId, { order_number: '3', financial_status: null, fulfillment_status: null });
    const items = await walk(client, `/orders?${query}`, 1);
    expect(items.map((item) => item['order_number'])).toEqual(expected);
  });
});
