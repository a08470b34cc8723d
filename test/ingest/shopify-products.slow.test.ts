import { useImportHarness } from './import-harness';

const harness = useImportHarness();

const csv = (...rows: string[]): string => rows.map((row) => `${row}\r\n`).join('');
const minimal = 'Handle,Title,Variant Price';

describe("importing Shopify's product CSV", () => {
  it('changes nothing the second time, and updates updated_at only when something changed, ids in any row order', async () => {
    const shop = await harness.createShop();
    const header = `${minimal},Published,Option1 Name,Option1 Value`;
    await shop.import(csv(header, 'a,A,1,true,Size,S', 'a,,2,,,L', 'b,B,3,true,,'));
    const rows = async (): Promise<unknown> => [await shop.rows('products'), await shop.rows('variants')];
    const before = await rows();
    const later = { clock: (): number => Date.parse('2026-04-01T00:00:00Z') };
    const again = await shop.import(csv(header, 'b,B,3,true,,', 'a,A,1,true,Size,S', 'a,,2,,,L'), later);
    expect(await rows()).toEqual(before);
    expect(again.products).toMatchObject({ unchanged: 2, updated: 0 });
    const ids = await shop.values('variants', 'id');
    await shop.import(csv(header, 'b,B,3,true,,', 'a,A,1,true,Size,S', 'a,,2.5,,,L'), later);
    expect(await shop.values('variants', 'id')).toEqual(ids);
    expect(await shop.values('products', 'external_id', 'created_at', 'updated_at', 'published_at')).toEqual([
      ['handle:a', '2026-03-01T12:00:00+00:00', '2026-04-01T00:00:00+00:00', '2026-03-01T12:00:00+00:00'],
      ['handle:b', '2026-03-01T12:00:00.001+00:00', '2026-03-01T12:00:00.001+00:00', '2026-03-01T12:00:00.001+00:00'],
    ]);
  }); // prettier-ignore

  it('reads no more variants of one handle than a response may contain, and reports the line', async () => {
    const shop = await harness.createShop();
    const rows = Array.from({ length: 50_000 }, (_, index) => `mug,${index === 0 ? 'Mug' : ''},Size,${index},1`);
    await expect(shop.import(csv('Handle,Title,Option1 Name,Option1 Value,Variant Price', ...rows))).rejects.toThrow(
      /line 41945.*expected at most 41943 variants per product, got more for "handle:mug"/,
    );
    expect(await shop.values('products', 'title')).toEqual([]);
  });
});
