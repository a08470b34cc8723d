import { seedCollection } from '../../support/seed';
import { useService } from '../../support/service';
import { createShop } from '../../support/shop-fixture';
import { titlesOf, walk } from '../walk';

const service = useService({ rateLimit: 10_000 });

describe('GET /v1/collections', () => {
  it('returns every member in the order of the specification', async () => {
    const { client, shopId } = await createShop(service);
    const collection = {
      external_id: '301',
      title: 'Tableware',
      handle: null,
      description_html: '<p>All of it.</p>',
      published: false,
      collection_type: null,
      products_count: 24,
    };
    const id = await seedCollection(service.sql, shopId, {
      ...collection,
      created_at: '2025-03-30T16:00:00Z',
      updated_at: null,
    });
    const { text } = await client.get('/collections');
    expect(text).toBe(
      JSON.stringify({
        data: [
          {
            id,
            ...collection,
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
