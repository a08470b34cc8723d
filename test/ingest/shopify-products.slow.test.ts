import { useImportHarness } from './import-harness';

const harness = useImportHarness();

const csv = (...rows: string[]): string => rows.map((row) => `${row}\r\n`).join('');
describe("importing Shopify's product CSV", () => {
  it('reads no more variants of one handle than a response may contain, and reports the line', async () => {
    const shop = await harness.createShop();
    const rows = Array.from({ length: 50_000 }, (_, index) => `mug,${index === 0 ? 'Mug' : ''},Size,${index},1`);
    await expect(shop.import(csv('Handle,Title,Option1 Name,Option1 Value,Variant Price', ...rows))).rejects.toThrow(
      /line 41945.*expected at most 41943 variants per product, got more for "handle:mug"/,
    );
    expect(await shop.values('products', 'title')).toEqual([]);
  });
});
