import { seedCollection } from '../../support/seed';
import type { Service } from '../../support/service';
import { startService } from '../../support/service';
import { createShop } from '../../support/shop-fixture';
import { titlesOf, walk } from '../walk';

let service: Service;
beforeAll(async () => {
  service = await startService({ rateLimit: 10_000 });
});
afterAll(() => service.close());

describe('GET /v1/collections', () => {
  it('returns every member in the order of the specification', async () => {
    const { client, shopId } = await createShop(service);
    const id = await seedCollection(service.sql, shopId, {
      external_id: '301',
      title: 'Tableware',
      handle: null,
      description_html: '<p>All of it.</p>',
      published: false,
      collection_type: null,
      products_count: 24,
      created_at: '2025-03-30T16:00:00Z',
      updated_at: null,
    });
    const { text } = await client.get('/collections');
    expect(text).toBe(
      JSON.stringify({
        data: [
          {
            id,
            external_id: '301',
            title: 'Tableware',
            handle: null,
            description_html: '<p>All of it.</p>',
            published: false,
            collection_type: null,
            products_count: 24,
            image_url: null,
            seo_title: null,
            seo_description: null,
            created_at: '2025-03-30T16:00:00.000Z',
            updated_at: null,
          },
        ],
        has_more: false,
        next_cursor: null,
      }),
    );
  });

  it('lists oldest first, those without a date last, page by page (D9, D10)', async () => {
    const { client, shopId } = await createShop(service);
    const moments = [null, '2026-01-02T00:00:00Z', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z', null];
    for (const created_at of moments) await seedCollection(service.sql, shopId, { created_at });
    for (const limit of [1, 2, 3, 200]) {
      const items = await walk(client, '/collections', limit);
      expect(items.map((item) => item['created_at'])).toEqual([
        '2026-01-01T00:00:00.000Z',
        '2026-01-01T00:00:00.000Z',
        '2026-01-02T00:00:00.000Z',
        null,
        null,
      ]);
      expect(new Set(items.map(({ id }) => id)).size).toBe(5);
    }
  });

  it.each([
    ['true', ['shown']],
    ['false', ['hidden']],
  ])('filters by published=%s', async (published, expected) => {
    const { client, shopId } = await createShop(service);
    await seedCollection(service.sql, shopId, { title: 'shown', published: true });
    await seedCollection(service.sql, shopId, { title: 'hidden', published: false });
    expect(titlesOf(await walk(client, `/collections?published=${published}`, 1))).toEqual(expected);
  });
});
