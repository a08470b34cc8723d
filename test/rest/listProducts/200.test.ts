import { seedProduct, seedVariant } from '../../support/seed';
import { useService } from '../../support/service';
import { createShop } from '../../support/shop-fixture';
import { titlesOf, walk } from '../walk';
import { readRows } from '../../support/read-rows';

const service = useService({ rateLimit: 10_000 });

describe('GET /v1/products', () => {
  it('returns every member in the order of the specification, without variants', async () => {
    const { client, shopId } = await createShop(service);
    const product = {
      external_id: '8123',
      title: 'Café mug',
      handle: 'cafe-mug',
      status: 'DRAFT',
      vendor: 'Kiln & Co',
      product_type: 'Mugs',
      tags: ['b', 'a'],
      description_html: '<p>Thrown.</p>',
      seo_title: 'Mug',
      seo_description: 'A mug',
      image_url: 'https://cdn.example/mug.jpg',
    };
    const id = await seedProduct(service.sql, shopId, {
      ...product,
      published_at: '2025-04-01T09:00:00Z',
      created_at: '2025-03-30T16:20:00.001Z',
      updated_at: '2026-01-31T12:00:00Z',
    });
    await seedVariant(service.sql, shopId, id, { price: '19.90', inventory_quantity: 4294967290, external_id: 'v1' });
    await seedVariant(service.sql, shopId, id, { price: '9', inventory_quantity: 4, external_id: 'v2' });
    const { text } = await client.get('/products');
    expect(text).toBe(
      JSON.stringify({
        data: [
          {
            id,
            ...product,
            variant_count: 2,
            min_price: '9',
            max_price: '19.90',
            total_stock: 4294967294,
            published_at: '2025-04-01T09:00:00.000Z',
            created_at: '2025-03-30T16:20:00.001Z',
            updated_at: '2026-01-31T12:00:00.000Z',
          },
        ],
        has_more: false,
        next_cursor: null,
      }),
    );
  });

  it('has pages of 50 when no limit is given', async () => {
    const { client, shopId } = await createShop(service);
    await service.sql(
      `INSERT INTO products (shop_id, external_id, title, created_at, updated_at)
       SELECT $1, n::text, n::text, now(), now() FROM generate_series(1, 51) AS n`,
      [shopId],
    );
    const { body } = await client.get('/products');
    expect((body as { data: unknown[] }).data).toHaveLength(50);
    expect(body).toMatchObject({ has_more: true });
  });

  describe('filters', () => {
    const products = [
      { title: 'ÉCLAIR dish', handle: 'e-dish', vendor: 'Kiln', product_type: 'Dish', tags: ['new'], status: 'ACTIVE' },
      {
        title: '100% linen',
        handle: 'linen_cloth',
        vendor: 'kiln',
        product_type: 'dish',
        tags: ['New'],
        status: 'DRAFT',
      },
      { title: 'Plain cup', handle: 'cup', vendor: '', product_type: null, tags: [], status: 'ARCHIVED' },
    ];
    let client: Awaited<ReturnType<typeof createShop>>['client'];
    beforeAll(async () => {
      const shop = await createShop(service);
      client = shop.client;
      for (const product of products) await seedProduct(service.sql, shop.shopId, product);
    });

    it.each(readRows<[query: string, titles: string[], why: string]>(__dirname, 'filters.json'))(
      '?%s finds %j: %s',
      async (query, expected) => {
        expect(titlesOf(await walk(client, `/products?${query}`, 1))).toEqual(expected);
      },
    );
  });
});
