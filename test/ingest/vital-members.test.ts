import { ImportHarness } from './import-harness';

let harness: ImportHarness;
beforeAll(async () => {
  harness = await ImportHarness.create();
});
afterAll(() => harness.close());

const kept = 'stored values were kept';

describe('a file that does not say what no shop can be without is imported with a warning', () => {
  it.each<[what: string, content: string, warnings: readonly string[]]>([
    ['a status', 'Handle,Title,Variant Price\nmug,Mug,5\ncup,Cup,6\n', [`file: the file does not say the status of 2 products: ${kept}; new ones are ACTIVE, or DRAFT where they are not published`]],
    ['prices', 'ID,Type,SKU,Name,Published\n7,simple,K,Kettle,1\n', [`file: the file does not say the price of variants of 1 product: ${kept}; new variants have none`]],
    ['members of JSON', '{"id":"gid://shopify/Product/1","title":"Mug","handle":"mug"}\n{"id":"gid://shopify/ProductVariant/2","title":"S","__parentId":"gid://shopify/Product/1"}\n', ['the status of 1 product', 'the price of variants of 1 product']],
    ['what orders cost, and whether they are paid', 'Name,Created at,Lineitem name,Currency\n#1,2026-01-01 09:00:00 +0000,Mug,EUR\n', ['the total_price of 1 order', 'the financial_status of 1 order']],
    ['nothing of these', 'Handle,Title,Status,Variant Price\nmug,Mug,active,5\n', []],
  ])('%s', async (_, content, warnings) => {
    const shop = await harness.createShop();
    const report = await shop.import(content);
    expect(report.warnings).toEqual(warnings.map((text) => expect.stringContaining(text) as string));
  }); // prettier-ignore
});

describe('a file of which nothing is read', () => {
  it.each<[what: string, content: string, message: string]>([
    ['by the rule of a map', 'sku,store_view_code,attribute_set_code,product_type,name,price,special_price\nM,fr,Default,simple,Tasse,5,\nM,de,Default,simple,Becher,5,\n', 'file: nothing was read from its 2 rows; skip_when ("store_view_code") of the map magento leaves out 2 rows'],
    ['by the rule of a format', '[{"id":5,"name":"Mug","type":"simple","status":"trash","regular_price":"5"}]', 'file: nothing was read from its only row; 1 products in the trash were not read'],
    ['because of missing products', 'ID,Type,SKU,Name,Published,Parent\n8,variation,M-S,Mug,1,id:7\n', 'file: nothing was read from its only row; 1 variation was not read, because the file does not have their products'],
  ])('is refused with the rule that leaves it out: %s', async (_, content, message) => {
    const shop = await harness.createShop();
    expect(await shop.refusal(content)).toContain(message);
  }); // prettier-ignore

  it.each(['Handle,Title,Status,Variant Price\n', 'Handle,Title,Status,Variant Price\n,,,\n'])(
    'may have no rows: %j',
    async (content) => {
      const shop = await harness.createShop();
      expect(await shop.import(content)).toMatchObject({ products: { read: 0 }, warnings: [] });
    },
  );
});

describe('a list of flat objects is a table', () => {
  const objects = [
    { handle: 'mug', title: 'Mug', 'variant price': 5.5, status: 'active', tags: ['a', 'b'], published: true, vendor: null },
    { handle: 'cup', title: 'Cup', 'variant price': '6.00', status: 'draft', vendor: 'Acme' },
  ]; // prettier-ignore

  it.each([
    ['an array', JSON.stringify(objects)],
    ['lines', objects.map((object) => `${JSON.stringify(object)}\n`).join('')],
  ])('with a column for each member, in the formats of tables: %s', async (_, content) => {
    const shop = await harness.createShop();
    const report = await shop.import(content);
    expect(report.files).toMatchObject([{ format: 'shopify-products', records: 2 }]);
    expect(await shop.values('products', 'handle', 'status', 'min_price', 'tags', 'vendor')).toEqual([
      ['cup', 'DRAFT', '6.00', [], 'Acme'],
      ['mug', 'ACTIVE', '5.5', ['a', 'b'], null],
    ]);
  });

  it('that a map reads', async () => {
    const map = await harness.write(
      'product: { external_id: nr, title: name }\nvariant: { price: cost, sku: nr }\n',
      'map.yaml',
    );
    const shop = await harness.createShop();
    await shop.import('[{"nr":90071992547409931,"name":"Mug","cost":1.50}]', { map });
    expect(await shop.values('variants', 'sku', 'price')).toEqual([['90071992547409931', '1.50']]);
  });

  it.each([
    ['an inner object', '[{"nr":1,"name":"Mug"},{"nr":2,"name":{"en":"Cup"}}]', 'unrecognized format: it is JSON'],
    ['a member that appears later', `{"handle":"mug","title":"Mug","variant price":5}\n${'\n'.repeat(600_000)}{"titel":"Cup"}\n`, 'titel: no object in the beginning of the file has this member'],
  ])('is refused with %s', async (_, content, message) => {
    const shop = await harness.createShop();
    expect(await shop.refusal(content)).toContain(message);
  }); // prettier-ignore
});
