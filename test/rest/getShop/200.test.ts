import { seedApiKey, seedProduct, seedShop } from '../../support/seed';
import { useService } from '../../support/service';

const service = useService();

describe('GET /v1/shop', () => {
  it('returns every member in the order of the specification', async () => {
    const shopId = await seedShop(service.sql, {
      name: 'Hearth & Bean',
      domain: 'hearth.example',
      platform: 'shopify',
      currency: 'EUR',
      plan_status: 'active',
      product_limit: 10,
      last_sync_at: '2026-01-31T13:00:00+01:00',
      created_at: '2025-03-04T08:15:30.5Z',
    });
    await seedProduct(service.sql, shopId);
    const { apiKey } = await seedApiKey(service.sql, shopId);
    const { status, text } = await service.client(apiKey).get('/shop');
    expect(status).toBe(200);
    expect(text).toBe(
      JSON.stringify({
        data: {
          id: shopId,
          name: 'Hearth & Bean',
          domain: 'hearth.example',
          platform: 'shopify',
          currency: 'EUR',
          plan: 'business',
          plan_status: 'active',
          product_limit: 10,
          product_count: 1,
          last_sync_at: '2026-01-31T12:00:00.000Z',
          created_at: '2025-03-04T08:15:30.500Z',
          granted_scopes: ['catalog:read', 'orders:read', 'account:read'],
        },
      }),
    );
  });

  it('reports the scopes of the credential that was used (D15)', async () => {
    const shopId = await seedShop(service.sql);
    const { apiKey } = await seedApiKey(service.sql, shopId, { scopes: ['account:read', 'catalog:read'] });
    const { body } = await service.client(apiKey).get('/shop');
    expect(body).toMatchObject({ data: { granted_scopes: ['catalog:read', 'account:read'] } });
  });

  it.each([
    ['is capped by the product limit (D8)', 2, 2],
    ['is 0 when the plan allows none (D8)', 0, 0],
    ['counts live products only (D8)', null, 3],
  ])('product_count %s', async (_, limit, expected) => {
    const shopId = await seedShop(service.sql, { product_limit: limit });
    for (let index = 0; index < 3; index++) await seedProduct(service.sql, shopId);
    await seedProduct(service.sql, shopId, { deleted_at: '2026-01-01T00:00:00Z' });
    const { apiKey } = await seedApiKey(service.sql, shopId);
    const { body } = await service.client(apiKey).get('/shop');
    expect(body).toMatchObject({ data: { product_limit: limit, product_count: expected } });
  });
});
