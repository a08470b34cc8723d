import { type ShopUnderImport, useImportHarness } from './import-harness';

const harness = useImportHarness();

const header =
  'Handle,Title,Option1 Name,Option1 Value,Option2 Name,Option2 Value,Option3 Name,Option3 Value,SKU,HS Code,COO,Location,Incoming,Unavailable,Committed,Available,On hand';

/** A row of the export: only the columns that are read, and On hand, which is not. */
const row = (handle: string, options: readonly string[], location: string, available: string): string =>
  [handle, 'T', ...[0, 1, 2].flatMap((at) => [options[at] ? `O${at}` : '', options[at] ?? '']), 'sku', '', '', location, '0', '1', '2', available, '999'].join(','); // prettier-ignore
const inventory = (...rows: string[]): string => [header, ...rows].map((text) => `${text}\n`).join('');

const products =
  'Handle,Title,Option1 Name,Option1 Value,Option2 Name,Option2 Value,Option3 Name,Option3 Value,Variant Inventory Tracker,Variant Price\n' +
  'mug,Mug,Size,S,Colour,Red/Blue,,,shopify,5\nmug,,,L,,Red,,,shopify,7\ncup,Cup,Title,Default Title,,,,,shopify,1\n';
const stock = async (shop: ShopUnderImport): Promise<unknown[][]> =>
  shop.values('variants', 'external_id', 'inventory_quantity');

const file = inventory(
  row('mug', ['S', 'Red/Blue'], 'Lund', '3'),
  row('cup', ['Default Title'], 'Lund', '10'),
  row('mug', ['S', 'Red/Blue'], 'Oslo', '-1'),
  row('mug', ['L', 'Red'], 'Lund', 'not stocked'),
  row('mug', ['L', 'Red'], 'Oslo', ''),
  row('gone', ['Default Title'], 'Oslo', '4'),
);

describe("Shopify's inventory export", () => {
  it('updates only stock, and a products file without stock keeps it', async () => {
    const shop = await harness.createShop();
    await shop.import(products);
    const later = { clock: (): number => Date.parse('2026-04-01T00:00:00Z') };
    await shop.import(inventory(row('cup', ['Default Title'], 'Oslo', '8')), later);
    await shop.import(products);
    expect(await stock(shop)).toEqual([
      ['handle:cup/Default Title', 8],
      ['handle:mug/L/Red', null],
      ['handle:mug/S/Red%2FBlue', null],
    ]);
    expect(await shop.values('products', 'updated_at')).toEqual([
      ['2026-04-01T00:00:00+00:00'],
      ['2026-03-01T12:00:00.001+00:00'.replace('.001', '')],
    ]);
  });

  it('leaves the derived columns as the triggers would compute them', async () => {
    const shop = await harness.createShop();
    await shop.import(products);
    await shop.import(file);
    const before = await shop.fingerprint();
    await harness.test.sql(
      'SELECT catalog_derive_products(array_agg(shop_id), array_agg(id)) FROM products WHERE shop_id = $1',
      [shop.id],
    );
    expect(await shop.fingerprint()).toEqual(before);
  }); // prettier-ignore
});
