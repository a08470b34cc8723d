import { seedProduct, seedVariant } from '../../support/seed';
import { useService } from '../../support/service';
import { createShop } from '../../support/shop-fixture';

const service = useService({ rateLimit: 10_000 });

const moment = '2026-01-31T12:00:00.000Z';

describe('GET /v1/products/{productId}', () => {
  it('returns the product and its variants, every member in the order of the specification', async () => {
    const { client, shopId } = await createShop(service);
    const id = await seedProduct(service.sql, shopId, {
      external_id: '8123',
      title: 'Mug',
      handle: 'mug',
      tags: ['a'],
      published_at: null,
      created_at: moment,
      updated_at: moment,
    });
    const variant = {
      external_id: '4512',
      title: 'Blue',
      sku: 'MUG-BLUE',
      barcode: '4006381333931',
      price: '1200',
      compare_at_price: '1200.50',
      cost_price: '0.000001',
      inventory_quantity: null,
      weight: '0.350',
      weight_unit: 'kg',
      position: 3,
      image_url: 'https://cdn.example/blue.jpg',
      options: [{ name: 'Colour', value: 'Blue' }],
      created_at: moment,
      updated_at: moment,
    };
    const variantId = await seedVariant(service.sql, shopId, id, variant);
    const { status, text } = await client.get(`/products/${id}`);
    expect(status).toBe(200);
    expect(text).toBe(
      JSON.stringify({
        data: {
          id,
          external_id: '8123',
          title: 'Mug',
          handle: 'mug',
          status: 'ACTIVE',
          vendor: 'Kiln & Co',
          product_type: 'Mugs',
          tags: ['a'],
          description_html: null,
          seo_title: null,
          seo_description: null,
          image_url: null,
          variant_count: 1,
          min_price: '1200',
          max_price: '1200',
          total_stock: 0,
          published_at: null,
          created_at: moment,
          updated_at: moment,
          variants: [{ id: variantId, ...variant }],
        },
      }),
    );
  });

  it('accepts the id percent-encoded', async () => {
    const { client, shopId } = await createShop(service);
    const id = await seedProduct(service.sql, shopId);
    expect(await client.get(`/products/${id.replaceAll('-', '%2D')}`)).toMatchObject({ status: 200 });
  });

  it('has an empty list of variants and of options, not null (D24)', async () => {
    const { client, shopId } = await createShop(service);
    const bare = await seedProduct(service.sql, shopId);
    expect(await client.get(`/products/${bare}`)).toMatchObject({ body: { data: { variants: [], variant_count: 0 } } });
    await seedVariant(service.sql, shopId, bare, { options: [] });
    expect(await client.get(`/products/${bare}`)).toMatchObject({ body: { data: { variants: [{ options: [] }] } } });
  });
});
