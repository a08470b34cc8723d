import { addDecimals, lessPercent, subtractDecimals } from '../../src/ingest/values/decimal-sum';
import { ImportHarness } from './import-harness';
import { csv } from './make-files';
import { fc } from '../support/properties';

let harness: ImportHarness;
beforeAll(async () => {
  harness = await ImportHarness.create();
});
afterAll(() => harness.close());

const numbers = [1, 2, 3, 4, 5, 6];
const header = [
  'handleId', 'fieldType', 'name', 'description', 'productImageUrl', 'collection', 'sku', 'ribbon', 'price', 'surcharge', 'visible', 'discountMode',
  'discountValue', 'inventory', 'weight', 'cost',
  ...numbers.flatMap((n) => [`productOptionName${n}`, `productOptionType${n}`, `productOptionDescription${n}`]), 'brand',
]; // prettier-ignore

type Row = Readonly<Record<string, string>>;
const wix = (...rows: Row[]): string =>
  `\ufeff${csv([header, ...rows.map((row) => header.map((name) => row[name] ?? ''))], ',', '\r\n')}`;

const mug = { handleId: 'product_1', fieldType: 'Product', name: 'Mug', price: '10', visible: 'TRUE', inventory: 'InStock' } as const; // prettier-ignore
const ofMug = { handleId: 'product_1', fieldType: 'Variant' } as const;

describe("Wix's product CSV", () => {
  it('reads products with and without variants', async () => {
    const shop = await harness.createShop();
    const content = wix(
      { ...mug, description: '<p>A</p>', productImageUrl: 'a_b~mv2.jpg;c.jpg', brand: 'Acme', collection: 'Cups;All', weight: '0.3', cost: '4.5', discountMode: 'PERCENT', discountValue: '15.0', productOptionName1: 'Size', productOptionType1: 'DROP_DOWN', productOptionDescription1: 'S;L', productOptionName2: 'Colour', productOptionType2: 'COLOR', productOptionDescription2: '#ff0000:Red' },
      { ...ofMug, sku: 'M-S', surcharge: '0.0', inventory: '3', productOptionDescription1: 'S', productOptionDescription2: '#ff0000:Red' },
      { ...ofMug, sku: 'M-L', surcharge: '2.50', inventory: 'OutOfStock', weight: '0.5', productOptionDescription1: 'L/XL', productOptionDescription2: 'Red' },
      { ...mug, handleId: 'product_2', name: 'Cup', sku: 'C', visible: 'false', productImageUrl: 'https://x.example/c.jpg', discountMode: 'AMOUNT', discountValue: '1.25' },
      { ...mug, handleId: 'product_3', name: 'Pot', productOptionName1: 'Text', productOptionDescription1: 'A;B' },
    ); // prettier-ignore
    const report = await shop.import(content);
    expect(await shop.values('products', 'external_id', 'title', 'status', 'vendor', 'description_html', 'image_url')).toEqual([
      ['product_1', 'Mug', 'ACTIVE', 'Acme', '<p>A</p>', 'https://static.wixstatic.com/media/a_b~mv2.jpg'],
      ['product_2', 'Cup', 'DRAFT', null, null, 'https://x.example/c.jpg'],
      ['product_3', 'Pot', 'ACTIVE', null, null, null],
    ]); // prettier-ignore
    expect(await shop.values('variants', 'external_id', 'title', 'sku', 'price', 'compare_at_price', 'cost_price', 'inventory_quantity', 'weight')).toEqual([
      ['product_1/L%2FXL/Red', 'L/XL / Red', 'M-L', '10.63', '12.50', '4.5', 0, '0.5'],
      ['product_1/S/Red', 'S / Red', 'M-S', '8.50', '10', '4.5', 3, '0.3'],
      ['product_2/Default Title', 'Default Title', 'C', '8.75', '10', null, null, null],
      ['product_3/Default Title', 'Default Title', null, '10', null, null, null, null],
    ]); // prettier-ignore
    expect(report.warnings).toEqual([
      expect.stringContaining(
        '1 product has options but no rows of variants: each was read as one variant without options',
      ),
    ]);
    expect(report.files[0]).toMatchObject({ format: 'wix-products', unreadColumns: ['collection', 'ribbon'] });
    const before = await shop.fingerprint();
    expect((await shop.import(content)).products).toMatchObject({ unchanged: 3 });
    const few = ['handleId,fieldType,name,price,surcharge,productOptionName1,productOptionDescription1,productOptionName2,productOptionDescription2', 'product_2,Product,Cup,8.75,,,,,'].join('\n'); // prettier-ignore
    await shop.import(few);
    expect(await shop.fingerprint()).toEqual(before);
  });

  it('is imported unchanged, for any products', async () => {
    const word = fc.stringMatching(/^[a-zé",/%]{1,5}$/u);
    const values = fc.tuple(word, word);
    const product = fc.record({
      title: word,
      body: fc.option(word, { nil: null }),
      price: fc.stringMatching(/^(?:0|[1-9][0-9]{0,3})(?:\.[0-9]{1,3})?$/),
      visible: fc.boolean(),
      variants: fc.uniqueArray(fc.record({ values, quantity: fc.integer({ min: -3, max: 99 }) }), { maxLength: 3, selector: (one) => one.values.join('\0') }),
    }); // prettier-ignore
    await fc.assert(
      fc.asyncProperty(fc.array(product, { minLength: 1, maxLength: 5 }), async (products) => {
        const shop = await harness.createShop();
        const rows = products.flatMap(({ title, body, price, visible, variants }, index) => [
          { handleId: `p${index}`, fieldType: 'Product', name: title, description: body ?? '', price, visible: String(visible), inventory: '7', productOptionName1: 'A', productOptionName2: 'B' },
          ...variants.map((one) => ({ handleId: `p${index}`, fieldType: 'Variant', inventory: String(one.quantity), productOptionDescription1: one.values[0], productOptionDescription2: one.values[1] })),
        ]); // prettier-ignore
        await shop.import(wix(...rows));
        expect(await shop.values('products', 'title', 'description_html', 'status', 'min_price')).toEqual(
          products.map(({ title, body, visible, price }) => [title, body, visible ? 'ACTIVE' : 'DRAFT', price]),
        );
        const found = await shop.values('variants', 'external_id', 'options', 'inventory_quantity', 'price');
        const named = (names: readonly string[]): object[] => names.map((value, at) => ({ name: 'AB'[at], value }));
        const expected = products.flatMap(({ variants, price }, index) =>
          variants.length === 0
            ? [[`p${index}/Default Title`, [], 7, price]]
            : variants.map((one) => [
                [`p${index}`, ...one.values.map(escapeValue)].join('/'),
                named(one.values),
                one.quantity,
                price,
              ]),
        );
        const byId = (a: unknown[], b: unknown[]): number => (String(a[0]) < String(b[0]) ? -1 : 1);
        expect(found.sort(byId)).toEqual(expected.sort(byId));
      }),
      { numRuns: 25 },
    );
  });

  it('of the newer catalog has handles, a price on each variant, swatches and rows of images', async () => {
    const shop = await harness.createShop();
    const columns = ['handle', 'fieldType', 'name', 'visible', 'plainDescription', 'media', 'brand', 'price', 'strikethroughPrice', 'cost', 'inventory', 'sku', 'barcode', 'weight', 'productOptionName1', 'productOptionType1', 'productOptionChoices1']; // prettier-ignore
    const report = await shop.import(
      csv(
        [
          columns,
          ['bowl', 'PRODUCT', 'Bowl', 'TRUE', '<p>Oak</p>', '', 'Kiln', '', '', '', '', '', '', '', 'Glaze', 'SWATCH_CHOICES', '#112233:Blue;#EEEEEE:White'],
          ['bowl', 'MEDIA', '', '', '', 'b1.jpg', '', '', '', '', '', '', '', '', '', '', ''],
          ['bowl', 'MEDIA', '', '', '', 'b2.jpg', '', '', '', '', '', '', '', '', '', '', ''],
          ['bowl', 'VARIANT', '', '', '', '', '', '31', '40.50', '9', '6', 'B-B', '4006381333931', '1.2', 'Glaze', 'SWATCH_CHOICES', '#112233:Blue'],
          ['bowl', 'VARIANT', '', '', '', '', '', '33', '', '', 'OUT_OF_STOCK', 'B-W', '', '', 'Glaze', 'SWATCH_CHOICES', '#EEEEEE:White'],
          ['jug', 'PRODUCT', 'Jug', 'FALSE', '', 'https://x.example/j.jpg;j2.jpg', '', '12', '', '', 'IN_STOCK', 'J', '', '', '', '', ''],
        ],
        ',',
        '\n',
      ),
    ); // prettier-ignore
    expect(await shop.values('products', 'external_id', 'handle', 'status', 'vendor', 'description_html', 'image_url')).toEqual([
      ['handle:bowl', 'bowl', 'ACTIVE', 'Kiln', '<p>Oak</p>', 'https://static.wixstatic.com/media/b1.jpg'],
      ['handle:jug', 'jug', 'DRAFT', null, null, 'https://x.example/j.jpg'],
    ]); // prettier-ignore
    expect(await shop.values('variants', 'external_id', 'title', 'sku', 'barcode', 'price', 'compare_at_price', 'cost_price', 'inventory_quantity', 'weight')).toEqual([
      ['handle:bowl/Blue', 'Blue', 'B-B', '4006381333931', '31', '40.50', '9', 6, '1.2'],
      ['handle:bowl/White', 'White', 'B-W', null, '33', null, null, 0, null],
      ['handle:jug/Default Title', 'Default Title', 'J', null, '12', null, null, null, null],
    ]); // prettier-ignore
    expect(report.warnings).toEqual([]);
    expect(report.files[0]).toMatchObject({ format: 'wix-products', unreadColumns: [] });
    expect(report.files[0]?.missingColumns).not.toContain('handleId');
  });

  it.each([
    ['a variant before its product', wix({ ...ofMug }, mug), 'file, line 2, column "handleId": "product_1" is a variant that does not follow the rows of its product'],
    ['a product twice', wix(mug, mug), 'file, line 3, column "handleId": line 2 already has product "product_1"'],
    ['options twice', wix(mug, { ...ofMug, productOptionDescription1: 'S' }, { ...ofMug, productOptionDescription1: 'S' }), 'file, line 4, column "productOptionDescription1": line 3 already has a variant with the same options'],
    ['another kind of row', wix({ ...mug, fieldType: 'Choice' }), 'file, line 2, column "fieldType": expected Product, Variant or Media, got "Choice"'],
    ['another discount', wix({ ...mug, discountMode: 'GIFT', discountValue: '1' }), 'file, line 2, column "discountMode": expected PERCENT or AMOUNT, got "GIFT"'],
    ['no name', wix({ ...mug, name: '' }), 'file, line 2, column "name": expected a name on the row of each product, got ""'],
    ['a word for stock', wix({ ...mug, inventory: 'some' }), 'file, line 2, column "inventory": expected a whole number from -9007199254740991 to 9007199254740991, got "some"'],
  ])('refuses %s', async (_, content, message) => {
    const shop = await harness.createShop();
    expect(await shop.refusal(content)).toBe(message);
  }); // prettier-ignore
});

const escapeValue = (value: string): string => value.replaceAll('%', '%25').replaceAll('/', '%2F');

describe('decimals are added exactly', () => {
  it.each([
    [addDecimals('10', '0.0'), '10'],
    [addDecimals('0.1', '0.20'), '0.30'],
    [addDecimals('-0.05', '0.01'), '-0.04'],
    [addDecimals('99999999999999999999.9', '0.1'), '100000000000000000000.0'],
    [subtractDecimals('10', '1.25'), '8.75'],
    [subtractDecimals('1', '-1'), '2'],
    [lessPercent('19.99', '15'), '16.99'],
    [lessPercent('0.125', '50'), '0.063'],
    [lessPercent('10', '33.3'), '6.67'],
    [lessPercent('-10', '33.3'), '-6.67'],
  ])('%s is %s', (found, expected) => {
    expect(found).toBe(expected);
  });
});
