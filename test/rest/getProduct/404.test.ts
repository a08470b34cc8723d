import { randomUUID } from 'node:crypto';
import { seedProduct, seedVariant } from '../../support/seed';
import { useService } from '../../support/service';
import { createShop } from '../../support/shop-fixture';

const service = useService({ rateLimit: 10_000 });

const notFound = { error: { code: 'NOT_FOUND', message: 'No product has this ID.' } };

describe('GET /v1/products/{productId} responds with 404', () => {
  it('from the very next call after the limit was lowered, and no longer once it is raised (D8)', async () => {
    const { client, shopId } = await createShop(service);
    await seedProduct(service.sql, shopId);
    const id = await seedProduct(service.sql, shopId);
    expect(await client.get(`/products/${id}`)).toMatchObject({ status: 200 });
    await service.sql('UPDATE shops SET product_limit = 1 WHERE shop_id = $1', [shopId]);
    expect(await client.get(`/products/${id}`)).toMatchObject({ status: 404, body: notFound });
    await service.sql('UPDATE shops SET product_limit = 2 WHERE shop_id = $1', [shopId]);
    expect(await client.get(`/products/${id}`)).toMatchObject({ status: 200 });
  });

  it('for the id of a variant', async () => {
    const { client, shopId } = await createShop(service);
    const product = await seedProduct(service.sql, shopId);
    const id = await seedVariant(service.sql, shopId, product);
    expect(await client.get(`/products/${id}`)).toMatchObject({ status: 404, body: notFound });
  });

  it.each([
    ['no UUID', () => 'abc'],
    ['the external id', () => '8123456789012'],
    ['an undashed UUID', () => randomUUID().replaceAll('-', '')],
    ['a braced UUID', () => `%7B${randomUUID()}%7D`],
    ['a UUID with a space', () => `${randomUUID()}%20`],
    ['a UUID and a newline', () => `${randomUUID()}%0A`],
    ['a NUL', () => '%00'],
    ['a slash', () => 'a%2Fb'],
    ['SQL', () => "'%20OR%201=1--"],
    ['the name of a prototype', () => '__proto__'],
    ['a long text', () => 'x'.repeat(5000)],
  ])('for a malformed id: %s (D3)', async (_, id) => {
    const { client } = await createShop(service);
    expect(await client.get(`/products/${id()}`)).toMatchObject({ status: 404, body: notFound });
  });
});
