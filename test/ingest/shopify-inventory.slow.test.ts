import { ImportHarness, lines, product, variant, type ShopUnderImport } from './import-harness';

let harness: ImportHarness;
beforeAll(async () => {
  harness = await ImportHarness.create();
});
afterAll(() => harness.close());

const header =
  'Handle,Title,Option1 Name,Option1 Value,Option2 Name,Option2 Value,Option3 Name,Option3 Value,SKU,HS Code,COO,Location,Incoming,Unavailable,Committed,Available,On hand';

/** A row of the export: only what is read, and On hand, which is not. */
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
  it.each([
    ['before', ['inventory.csv', 'products.csv']],
    ['behind', ['products.csv', 'inventory.csv']],
  ])('sums the available stock of all locations, %s the products file', async (_, names) => {
    const shop = await harness.createShop();
    await harness.write(products, 'products.csv');
    await harness.write(file, 'inventory.csv');
    const paths = names.map((name) => `${harness.directory}/${name}`);
    const report = await shop.importFiles(paths);
    const expected = [
      ['handle:cup/Default Title', 10],
      ['handle:mug/L/Red', null],
      ['handle:mug/S/Red%2FBlue', 2],
    ];
    expect(await stock(shop)).toEqual(expected);
    expect(await shop.values('products', 'handle', 'total_stock')).toEqual([
      ['cup', 10],
      ['mug', 2],
    ]);
    expect(report.inventory).toEqual({
      variants: 4,
      updated: 2,
      unchanged: 1,
      unknown: 1,
      examples: ['gone/Default Title'],
    });
    expect(report.changes.stock).toEqual({ change: 12, variants: 2 });
    const before = await shop.fingerprint();
    expect((await shop.importFiles(paths)).inventory).toMatchObject({ updated: 0, unchanged: 3, unknown: 1 });
    expect(await shop.fingerprint()).toEqual(before);
  });

  it('sums the columns of its other form, one for each location', async () => {
    const shop = await harness.createShop();
    await shop.import(products);
    const columns = 'Handle,Title,Option1 Name,Option1 Value,Option2 Name,Option2 Value,Option3 Name,Option3 Value,SKU,HS Code,COO,Lund,"Oslo, Grønland"\n'; // prettier-ignore
    const report = await shop.import(
      `${columns}mug,Mug,Size,S,Colour,Red/Blue,,,M,,SE,3,-1\nmug,,Size,L,Colour,Red,,,,,,not stocked,\ncup,Cup,Title,Default Title,,,,,,,,not stocked,12\n`,
    );
    expect(await stock(shop)).toEqual([
      ['handle:cup/Default Title', 12],
      ['handle:mug/L/Red', null],
      ['handle:mug/S/Red%2FBlue', 2],
    ]);
    expect(report.inventory).toMatchObject({ variants: 3, updated: 2, unchanged: 1, unknown: 0 });
  });

  it('updates stock alone, and a products file without stock keeps it', async () => {
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

  it('finds products and variants of another program by handle and option values, where these are unique', async () => {
    const shop = await harness.createShop();
    const sized = (id: string, value: string): object =>
      variant({ external_id: id, options: [{ name: 'Größe', value }], inventory_quantity: 1 });
    await shop.import(
      lines(
        product({ external_id: '1', handle: 'mug', variants: [sized('v1', 'S'), sized('v2', 'L')] }),
        product({ external_id: '2', handle: 'twice', variants: [sized('v3', 'S')] }),
        product({ external_id: '3', handle: 'twice', variants: [sized('v4', 'S')] }),
        product({ external_id: '4', handle: 'same', variants: [sized('v5', 'S'), sized('v6', 'S')] }),
      ),
    );
    const report = await shop.import(
      inventory(...['mug', 'twice', 'same'].map((handle) => row(handle, ['S'], 'Oslo', '5'))),
    );
    expect(await stock(shop)).toEqual([['v1', 5], ...['v2', 'v3', 'v4', 'v5', 'v6'].map((id) => [id, 1])]);
    expect(report.inventory).toMatchObject({ updated: 1, unknown: 2, examples: ['same/S', 'twice/S'] });
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
  });

  it('refuses more stock of a product than a number holds', async () => {
    const shop = await harness.createShop();
    await shop.import(products);
    const before = await shop.fingerprint();
    const most = inventory(
      row('mug', ['S', 'Red/Blue'], 'Oslo', '9007199254740991'),
      row('mug', ['L', 'Red'], 'Oslo', '1'),
    );
    expect(await shop.refusal(most)).toBe(
      'inventory: expected a stock from -9007199254740991 to 9007199254740991 over all variants of a product, got another',
    );
    expect(await shop.fingerprint()).toEqual(before);
  });

  it.each([
    ['a location twice', inventory(row('cup', ['S'], 'Oslo', '1'), row('cup', ['S'], 'Lund', '1'), row('cup', ['S'], 'Oslo', '1')), 'file, line 4: the same variant and location already appear in line 2'],
    ['too much', inventory(row('cup', ['S'], 'Oslo', '9007199254740991'), row('cup', ['S'], 'Lund', '1')), 'file, line 2: the sum over the locations of this variant is too large'],
    ['half a piece', inventory(row('cup', ['S'], 'Oslo', '1.5')), 'file, line 2, column "Available": expected a whole number from -9007199254740991 to 9007199254740991, got "1.5"'],
    ['no handle', inventory(row('', ['S'], 'Oslo', '1')), 'file, line 2, column "Handle": expected the product\'s handle on every row, got ""'],
  ])('refuses %s', async (_, content, message) => {
    const shop = await harness.createShop();
    expect(await shop.refusal(content)).toBe(message);
  }); // prettier-ignore
});
