import { importedColumnsOf } from '../../src/catalog/model';
import { ImportHarness, type ShopUnderImport } from './import-harness';
import { csv } from './make-files';
import { fc } from '../support/properties';

let harness: ImportHarness;
beforeAll(async () => {
  harness = await ImportHarness.create();
});
afterAll(() => harness.close());

type Row = Readonly<Record<string, string>>;

/** A table with the columns of a platform; missing values are blank. */
const table = (header: readonly string[], rows: readonly Row[], delimiter = ','): string =>
  csv([header, ...rows.map((row) => header.map((name) => row[name] ?? ''))], delimiter, '\r\n');

const productColumns = ['external_id', 'title', 'handle', 'status', 'vendor', 'product_type', 'tags', 'description_html', 'seo_title', 'image_url'] as const; // prettier-ignore
const variantColumns = ['external_id', 'title', 'sku', 'barcode', 'price', 'compare_at_price', 'cost_price', 'inventory_quantity', 'weight', 'position'] as const; // prettier-ignore

/** PrestaShop's sample files of its import, with the columns as in these files. */
const prestashopProducts = [
  'Product ID', 'Active (0/1)', 'Name *', 'Categories (x,y,z...)', 'Price tax excluded', 'Tax rules ID', 'Wholesale price', 'On sale (0/1)',
  'Discount amount', 'Discount percent', 'Reference #', 'Supplier reference #', 'Supplier', 'Manufacturer', 'EAN13', 'UPC', 'Weight', 'Quantity',
  'Summary', 'Description', 'Tags (x,y,z...)', 'Meta title', 'Meta keywords', 'Meta description', 'URL rewritten', 'Product creation date',
  'Image URLs (x,y,z...)',
]; // prettier-ignore
const prestashopCombinations = [
  'Product ID*', 'Attribute (Name:Type:Position)*', 'Value (Value:Position)*', 'Supplier reference', 'Reference', 'EAN13', 'UPC', 'Wholesale price',
  'Impact on price', 'Ecotax', 'Quantity', 'Minimal quantity', 'Impact on weight', 'Default (0 = No, 1 = Yes)', 'Image URLs (x,y,z...)',
]; // prettier-ignore

const squarespace = [
  'Product ID [Non Editable]', 'Variant ID [Non Editable]', 'Product Type [Non Editable]', 'Product Page', 'Product URL', 'Title', 'Description', 'SKU', 'GTIN',
  ...[1, 2, 3].flatMap((n) => [`Option Name ${n}`, `Option Value ${n}`]), 'Price', 'Sale Price', 'On Sale', 'Stock', 'Categories', 'Tags', 'Weight',
  'Length', 'Width', 'Height', 'Visible', 'Hosted Image URLs',
]; // prettier-ignore

const bigcommerce = [
  'Item Type', 'Product ID', 'Product Name', 'Product Type', 'Product Code/SKU', 'Brand Name', 'Option Set', 'Product Description', 'Price', 'Cost Price',
  'Retail Price', 'Sale Price', 'Product Weight', 'Product Visible?', 'Track Inventory', 'Current Stock Level', 'Category', 'Product Image URL - 1',
  'Search Keywords', 'Page Title', 'Meta Description', 'Product URL', 'Product UPC/EAN',
]; // prettier-ignore

const magento = [
  'sku', 'store_view_code', 'attribute_set_code', 'product_type', 'categories', 'product_websites', 'name', 'description', 'short_description', 'weight',
  'product_online', 'tax_class_name', 'visibility', 'price', 'special_price', 'url_key', 'meta_title', 'meta_keywords', 'meta_description', 'base_image',
  'created_at', 'additional_attributes', 'qty', 'is_in_stock', 'manage_stock', 'configurable_variations', 'configurable_variation_labels',
]; // prettier-ignore

describe('the shipped maps', () => {
  it("read PrestaShop's products and combinations", async () => {
    const shop = await harness.createShop();
    const products = await harness.write(
      table(
        prestashopProducts,
        [
          { 'Product ID': '1', 'Active (0/1)': '1', 'Name *': 'Mug', 'Categories (x,y,z...)': 'Cups,Home', 'Price tax excluded': '10,50', 'Wholesale price': '4,00', 'Reference #': 'M', Manufacturer: 'Acme', Quantity: '7', Weight: '0,30', Description: '<p>A</p>', 'Tags (x,y,z...)': 'blue, round', 'Meta title': 'Mugs', 'URL rewritten': 'mug', 'Product creation date': '2024-02-03', 'Image URLs (x,y,z...)': 'https://x.example/1.jpg,https://x.example/2.jpg' },
          { 'Product ID': '2', 'Active (0/1)': '0', 'Name *': 'Pot', 'Price tax excluded': '20,00', EAN13: '4006381333931', Quantity: '3', 'Product creation date': '0000-00-00' },
        ],
        ';',
      ),
      'products.csv',
    ); // prettier-ignore
    const combinations = await harness.write(
      table(
        prestashopCombinations,
        [
          { 'Product ID*': '1', 'Attribute (Name:Type:Position)*': 'Size:select:0,Colour:color:1', 'Value (Value:Position)*': 'S:0,Red:1', Reference: 'M-S', 'Impact on price': '0', Quantity: '3', 'Wholesale price': '0' },
          { 'Product ID*': '1', 'Attribute (Name:Type:Position)*': 'Size:select:0,Colour:color:1', 'Value (Value:Position)*': 'L:0,Red:1', Reference: 'M-L', 'Impact on price': '2,25', 'Impact on weight': '0,10', Quantity: '4', 'Wholesale price': '5,00' },
        ],
        ';',
      ),
      'combinations.csv',
    ); // prettier-ignore
    const report = await shop.importFiles([products, combinations]);
    expect(await shop.values('products', ...productColumns)).toEqual([
      ['1', 'Mug', 'mug', 'ACTIVE', 'Acme', 'Cups', ['blue', 'round'], '<p>A</p>', 'Mugs', 'https://x.example/1.jpg'],
      ['2', 'Pot', null, 'DRAFT', null, null, [], null, null, null],
    ]); // prettier-ignore
    expect(await shop.values('variants', ...variantColumns)).toEqual([
      ['1/L/Red', 'L / Red', 'M-L', null, '12.75', null, '5.00', 4, '0.40', 2],
      ['1/S/Red', 'S / Red', 'M-S', null, '10.50', null, '4.00', 3, '0.30', 1],
      ['2/Default Title', 'Default Title', null, '4006381333931', '20.00', null, null, 3, null, 1],
    ]);
    expect(report.files.map(({ format }) => format)).toEqual(['prestashop-variants', 'prestashop']);
    expect((await shop.importFiles([combinations, products])).products).toMatchObject({ unchanged: 2 });
    await expect(shop.importFiles([products])).rejects.toThrow(
      'expected the file of the combinations beside it: name both files in one import',
    );
  });

  it("read Squarespace's export", async () => {
    const shop = await harness.createShop();
    const id = 'Product ID [Non Editable]';
    const variantId = 'Variant ID [Non Editable]';
    const content = table(squarespace, [
      { [id]: 'p1', [variantId]: 'v1', 'Product URL': 'mug', Title: 'Mug', Description: '<p>A</p>', SKU: 'M-S', 'Option Name 1': 'Size', 'Option Value 1': 'S', 'Option Name 2': 'Colour', 'Option Value 2': 'Red', Price: '10.00', 'Sale Price': '8.00', 'On Sale': 'Yes', Stock: '3', Categories: '/shop/cups, /sale', Tags: 'blue, round', Weight: '0.3', Visible: 'Yes', 'Hosted Image URLs': 'https://x.example/1.jpg https://x.example/2.jpg' },
      { [variantId]: 'v2', SKU: 'M-L', 'Option Value 1': 'L', 'Option Value 2': 'Red', Price: '12.00', 'Sale Price': '9.00', 'On Sale': 'No', Stock: 'Unlimited' },
      { [id]: 'p2', [variantId]: 'v3', Title: 'Pot', Price: '20.00', 'Sale Price': '0.00', 'On Sale': 'Yes', Stock: '0', Visible: 'No' },
    ]); // prettier-ignore
    const report = await shop.import(content);
    expect(await shop.values('products', ...productColumns)).toEqual([
      ['p1', 'Mug', 'mug', 'ACTIVE', null, 'cups', ['blue', 'round'], '<p>A</p>', null, 'https://x.example/1.jpg'],
      ['p2', 'Pot', null, 'DRAFT', null, null, [], null, null, null],
    ]);
    expect(await shop.values('variants', ...variantColumns)).toEqual([
      ['v1', 'S / Red', 'M-S', null, '8.00', '10.00', null, 3, '0.3', 1],
      ['v2', 'L / Red', 'M-L', null, '12.00', null, null, null, null, 2],
      ['v3', 'Default Title', null, null, '20.00', null, null, 0, null, 1],
    ]);
    expect(await shop.values('variants', 'options')).toContainEqual([[{ name: 'Size', value: 'L' }, { name: 'Colour', value: 'Red' }]]); // prettier-ignore
    expect(report.files[0]).toMatchObject({ format: 'squarespace', unreadColumns: expect.arrayContaining(['Product Page', 'Length']) as unknown }); // prettier-ignore
    expect((await shop.import(content)).products).toMatchObject({ unchanged: 2 });
  });

  it("read BigCommerce's export", async () => {
    const shop = await harness.createShop();
    const content = table(bigcommerce, [
      { 'Item Type': 'Product', 'Product ID': '80', 'Product Name': 'E=mc2 Mug', 'Product Code/SKU': 'M', 'Brand Name': 'Acme', 'Product Description': '<p>A</p>', Price: '10.00', 'Cost Price': '4.00', 'Sale Price': '0.00', 'Product Weight': '0.3000', 'Product Visible?': 'Y', 'Track Inventory': 'by option', 'Current Stock Level': '0', Category: 'Shop/Cups;Sale', 'Product Image URL - 1': 'https://x.example/1.jpg', 'Search Keywords': 'blue,round', 'Page Title': 'Mugs', 'Product URL': '/mug/' },
      { 'Item Type': '  SKU', 'Product ID': '801', 'Product Name': '[S]Size=Small,[CS]Colour=Red:#ff0000', 'Product Code/SKU': 'M-S', 'Current Stock Level': '3' },
      { 'Item Type': '  SKU', 'Product ID': '802', 'Product Name': '[S]Size=1:10,[CS]Colour=Red:#ff0000', 'Product Code/SKU': 'M-L', 'Cost Price': '5.00', 'Current Stock Level': '4' },
      { 'Item Type': '  Rule', 'Product Code/SKU': 'M-L', Price: '[ADD]2.00' },
      { 'Item Type': 'Product', 'Product ID': '81', 'Product Name': 'Pot', 'Product Code/SKU': 'P', Price: '20.00', 'Sale Price': '15.00', 'Product Visible?': 'N', 'Track Inventory': 'none', 'Current Stock Level': '9' },
    ]); // prettier-ignore
    const report = await shop.import(content);
    expect(await shop.values('products', ...productColumns)).toEqual([
      ['80', 'E=mc2 Mug', '/mug/', 'ACTIVE', 'Acme', 'Cups', ['blue', 'round'], '<p>A</p>', 'Mugs', 'https://x.example/1.jpg'],
      ['81', 'Pot', null, 'DRAFT', null, null, [], null, null, null],
    ]); // prettier-ignore
    expect(await shop.values('variants', ...variantColumns)).toEqual([
      ['801', 'Small / Red', 'M-S', null, '10.00', null, '4.00', 3, '0.3000', 1],
      ['802', '1:10 / Red', 'M-L', null, '10.00', null, '5.00', 4, '0.3000', 2],
      ['81', 'Default Title', 'P', null, '15.00', '20.00', null, null, null, 1],
    ]);
    expect(report.warnings).toEqual([expect.stringContaining('1 rows are neither products nor variants by the map')]);
    expect((await shop.import(content)).products).toMatchObject({ unchanged: 2 });
  });

  it('warn of rows below products that a sorted file has behind the last product', async () => {
    const shop = await harness.createShop();
    const rows = ['1', '2'].flatMap((id) => [
      { 'Item Type': 'Product', 'Product ID': id, 'Product Name': `P${id}`, Price: '1.00', 'Product Visible?': 'Y' },
      { 'Item Type': '  SKU', 'Product ID': `${id}0`, 'Product Name': '[S]Size=Small', 'Product Code/SKU': `S${id}` },
    ]);
    const warning = 'all 2 rows below products follow the last of 2 products';
    expect((await shop.import(table(bigcommerce, rows))).warnings.join()).not.toContain(warning);
    const sorted = [...rows].sort((a, b) => b['Item Type'].localeCompare(a['Item Type']));
    expect((await shop.import(table(bigcommerce, sorted))).warnings.join()).toContain(warning);
  });

  it("read Magento's export", async () => {
    const shop = await harness.createShop();
    const simple = { attribute_set_code: 'Default', product_type: 'simple', product_online: '1', manage_stock: '1' };
    const content = table(magento, [
      { ...simple, sku: 'M-S', name: 'Mug-S', price: '10.000000', qty: '3.0000', weight: '0.3000' },
      { ...simple, sku: 'M-S', store_view_code: 'de', name: 'Becher-S' },
      { ...simple, sku: 'M-L', name: 'Mug-L', price: '12.000000', special_price: '9.500000', qty: '4.0000', base_image: '/m/l.jpg' },
      { ...simple, sku: 'M', product_type: 'configurable', name: 'Mug', url_key: 'mug', categories: 'Default Category/Shop/Cups', description: '<p>A</p>', meta_title: 'Mugs', configurable_variations: 'sku=M-S,size=S,colour=Red, dark|sku=M-L,size=L,colour=Red, dark', configurable_variation_labels: 'size=Size,colour=Colour' },
      { ...simple, sku: 'P', product_online: '2', name: 'Pot', price: '20.000000', qty: '9.0000', manage_stock: '0' },
    ]); // prettier-ignore
    const report = await shop.import(content);
    expect(await shop.values('products', ...productColumns)).toEqual([
      ['sku:M', 'Mug', 'mug', 'ACTIVE', null, 'Cups', [], '<p>A</p>', 'Mugs', null],
      ['sku:P', 'Pot', null, 'DRAFT', null, null, [], null, null, null],
    ]);
    expect(await shop.values('variants', ...variantColumns)).toEqual([
      ['sku:M-L', 'L / Red, dark', 'M-L', null, '9.500000', '12.000000', null, 4, null, 2],
      ['sku:M-S', 'S / Red, dark', 'M-S', null, '10.000000', null, null, 3, '0.3000', 1],
      ['sku:P', 'Default Title', 'P', null, '20.000000', null, null, null, null, 1],
    ]);
    expect(report.files[0]).toMatchObject({ format: 'magento' });
    expect((await shop.import(content)).products).toMatchObject({ unchanged: 2 });
  });
});

interface Product {
  readonly title: string;
  readonly body: string | null;
  readonly isActive: boolean;
  readonly price: string;
  readonly weight: string | null;
  readonly variants: readonly {
    readonly values: readonly [string, string];
    readonly quantity: number;
    readonly sku: string;
  }[];
}

const word = fc.stringMatching(/^[a-zé][a-zé" /%&-]{0,4}[a-zé]$/u);
const decimal = fc.stringMatching(/^(?:0|[1-9][0-9]{0,3})\.[0-9]{2}$/);
const catalogs: fc.Arbitrary<Product[]> = fc.array(
  fc.record({
    title: word,
    body: fc.option(fc.string({ unit: fc.constantFrom('a', '<', '"', ',', ';', '\n', 'é'), minLength: 1, maxLength: 9 }).filter((text) => text.trim() !== ''), { nil: null }),
    isActive: fc.boolean(),
    price: decimal,
    weight: fc.option(decimal, { nil: null }),
    variants: fc.uniqueArray(
      fc.record({ values: fc.tuple(word, word), quantity: fc.integer({ min: -3, max: 99 }), sku: fc.stringMatching(/^[A-Z]{6}$/) }),
      { maxLength: 3, selector: ({ values }) => values.join('\0') },
    ),
  }),
  { minLength: 1, maxLength: 5 },
); // prettier-ignore

/**
 * How each platform writes a catalog, file by file, and the resulting ids. A product without variants has a quantity of
 * 7.
 */
const platforms: readonly {
  readonly name: string;
  readonly write: (products: readonly Product[]) => readonly string[];
  readonly idOf: (index: number) => string;
  readonly hasWeights?: boolean;
}[] = [
  {
    name: 'prestashop',
    idOf: (index) => `${index + 1}`,
    write: (products) => [
      table(prestashopProducts, products.map((one, index) => ({ 'Product ID': `${index + 1}`, 'Active (0/1)': one.isActive ? '1' : '0', 'Name *': one.title, Description: one.body ?? '', 'Price tax excluded': one.price, Weight: one.weight ?? '', Quantity: '7' })), ';'),
      table(prestashopCombinations, products.flatMap((one, index) => one.variants.map(({ values, quantity, sku }) => ({ 'Product ID*': `${index + 1}`, 'Attribute (Name:Type:Position)*': 'A:select:0,B:select:1', 'Value (Value:Position)*': values.map((value, at) => `${value}:${at}`).join(','), 'Impact on price': '0', Reference: sku, Quantity: String(quantity) }))), ';'),
    ],
  },
  {
    name: 'squarespace',
    idOf: (index) => `p${index}`,
    write: (products) => [
      table(squarespace, products.flatMap((one, index) => {
        const variants = one.variants.length > 0 ? one.variants : [{ values: undefined, quantity: 7, sku: '' }];
        return variants.map(({ values, quantity, sku }, at) => ({
          ...(at === 0 && { 'Product ID [Non Editable]': `p${index}`, Title: one.title, Description: one.body ?? '', Visible: one.isActive ? 'Yes' : 'No' }),
          'Variant ID [Non Editable]': values === undefined ? '' : `v${index}-${at}`, Price: one.price, Weight: one.weight ?? '', SKU: sku, Stock: String(quantity),
          ...(values && { 'Option Name 1': at === 0 ? 'A' : '', 'Option Value 1': values[0], 'Option Name 2': at === 0 ? 'B' : '', 'Option Value 2': values[1] }),
        }));
      })),
    ],
  },
  {
    name: 'bigcommerce',
    idOf: (index) => `${index + 1}`,
    write: (products) => [
      table(bigcommerce, products.flatMap((one, index) => [
        { 'Item Type': 'Product', 'Product ID': `${index + 1}`, 'Product Name': one.title, 'Product Description': one.body ?? '', Price: one.price, 'Product Weight': one.weight ?? '', 'Product Visible?': one.isActive ? 'Y' : 'N', 'Current Stock Level': '7' },
        ...one.variants.map(({ values, quantity, sku }) => ({ 'Item Type': '  SKU', 'Product Name': `[S]A=${values[0]},[RB]B=${values[1]}`, 'Product Code/SKU': sku, 'Current Stock Level': String(quantity) })),
      ])),
    ],
  },
  {
    name: 'magento',
    idOf: (index) => `sku:M${index}`,
    write: (products) => [
      table(magento, products.flatMap((one, index) => {
        const common = { attribute_set_code: 'Default', product_online: one.isActive ? '1' : '2', price: one.price, weight: one.weight ?? '', manage_stock: '1' };
        const children = one.variants.map(({ quantity }, at) => ({ ...common, sku: `M${index}-${at}`, product_type: 'simple', name: 'child', qty: `${quantity}.0000` }));
        const list = one.variants.map(({ values }, at) => `sku=M${index}-${at},a=${values[0]},b=${values[1]}`).join('|');
        const parent = { ...common, sku: `M${index}`, product_type: list === '' ? 'simple' : 'configurable', name: one.title, description: one.body ?? '', qty: '7', configurable_variations: list, configurable_variation_labels: 'a=A,b=B' };
        return index % 2 === 0 ? [...children, parent] : [parent, ...children];
      })),
    ],
  },
]; // prettier-ignore

describe('any catalog', () => {
  it.each(platforms)('is imported unchanged from the files of $name', async ({ write, idOf }) => {
    await fc.assert(
      fc.asyncProperty(catalogs, async (products) => {
        const shop = await harness.createShop();
        const contents = write(products);
        const files = await Promise.all(contents.map((content, index) => harness.write(content, `file-${index}`)));
        await shop.importFiles(files);
        const found = await harness.test.sql(
          `SELECT p.external_id AS id, title, description_html AS body, status, coalesce((SELECT json_agg(json_build_array(v.options, v.price, v.weight, v.inventory_quantity) ORDER BY position)
             FROM variants AS v WHERE v.shop_id = p.shop_id AND v.product_id = p.id), '[]') AS variants FROM products AS p WHERE shop_id = $1 AND deleted_at IS NULL`,
          [shop.id],
        );
        const expected = products.map((one, index) => ({
          id: idOf(index),
          title: one.title,
          body: one.body,
          status: one.isActive ? 'ACTIVE' : 'DRAFT',
          variants:
            one.variants.length === 0
              ? [[[], one.price, one.weight, 7]]
              : one.variants.map(({ values, quantity }) => [[{ name: 'A', value: values[0] }, { name: 'B', value: values[1] }], one.price, one.weight, quantity]),
        }));
        const byId = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : 1);
        expect((found as { id: string }[]).sort(byId)).toEqual(expected.sort(byId));
        expect((await shop.importFiles(files)).products).toMatchObject({ unchanged: products.length });
      }),
      { numRuns: 20 },
    );
  }); // prettier-ignore
});

describe('mistakes in files of shipped maps', () => {
  const id = 'Product ID [Non Editable]';
  const first = { [id]: 'p', Title: 'Mug', Price: '1' };
  it.each([
    ['a variant before its product', table(squarespace, [{ Price: '1' }]), 'file, line 2: is the row of a variant, but no row of a product precedes it'],
    ['a product twice', table(squarespace, [first, first]), 'file, line 3: line 2 already has product "p"'],
    ['options twice', table(squarespace, [{ ...first, 'Option Value 1': 'S' }, { Price: '2', 'Option Value 1': 'S' }]), 'file, line 3: line 2 already has a variant with the same options of this product'],
    ['no title', table(bigcommerce, [{ 'Item Type': 'Product', 'Product ID': '1' }]), 'file, line 2, column "Product Name": expected a title on the row of each product, got ""'],
    ['a word in no table', table(squarespace, [{ ...first, Visible: 'Maybe' }]), 'file, line 2, column "Visible": expected "yes", "no", "true", "false", got "Maybe"'],
    ['a price that is not a number', table(squarespace, [{ ...first, Price: 'free' }]), 'file, line 2, column "Price": expected a decimal number such as 19.90, got "free"'],
    ['no options, and no ids', 'Product ID [Non Editable],Title,Price,Variant ID [Non Editable]\np,Mug,1,\n,,2,\n', 'file, line 3: line 2 already has a variant with the same options of this product'],
    ['missing children', table(magento, [{ sku: 'M', product_type: 'configurable', name: 'Mug', configurable_variations: 'sku=X,a=1' }]), 'file: expected the rows of all variants that products list, got none of 1 ("X"); export simple products with the configurable ones'],
    ['a sku twice', table(magento, [{ sku: 'M', product_type: 'simple', name: 'Mug' }, { sku: 'M', product_type: 'simple', name: 'Cup' }]), 'file, line 3, column "sku": "M" already appears in an earlier line'],
    ['a date in local form', `${bigcommerce.join()},Date Added\nProduct,1,Mug${','.repeat(bigcommerce.length - 3)},03/04/2026\n`, 'file, line 2, column "Date Added": expected a timestamp such as 2026-01-31T12:00:00Z (this one has no time or no time zone: set how such dates are meant, with --date-format DD/MM/YYYY, MM/DD/YYYY or "YYYY-MM-DD +02:00"), got "03/04/2026"'],
  ])('%s', async (_what, content, message) => {
    const shop = await harness.createShop();
    const before = await shop.fingerprint();
    expect(await shop.refusal(content)).toContain(message);
    expect(await shop.fingerprint()).toEqual(before);
  }); // prettier-ignore
});

describe('a map of the user', () => {
  const importWith = async (map: string, content: string, more: object = {}) => {
    const shop = await harness.createShop();
    const report = await shop.import(content, { map: await harness.write(map, 'map.yaml'), ...more });
    return { shop, report };
  };

  it('groups rows by a column, and reads fixed options, tax and units', async () => {
    const map = `
      product: { external_id: { column: Style, prefix: 'style:' }, title: { column: Name, html: true }, tags: { column: Tags, separator: '|' }, vendor: { value: Acme } }
      variant:
        sku: Code
        price: { column: Net, tax_percent: 20 }
        weight: { column: Weight, until: ' ' }
        weight_unit: { value: kg }
        options: [{ name: Size, column: Size }, { name: Colour, column: Colour }]
      rows: { same: Style }`;
    const content = 'Style,Name,Tags,Code,Net,Weight,Size,Colour\nA,Cup &amp; Saucer,x|y,A1,10.00,0.5 kg,S,Red\nA,,,A2,12.50,0.6 kg,L,\nB,Pot,,B1,1,,,\n';
    const { shop } = await importWith(map, content);
    expect(await shop.values('products', 'external_id', 'title', 'tags', 'vendor')).toEqual([['style:A', 'Cup & Saucer', ['x', 'y'], 'Acme'], ['style:B', 'Pot', [], 'Acme']]);
    expect(await shop.values('variants', 'external_id', 'price', 'weight', 'weight_unit', 'options')).toEqual([
      ['style:A/L', '15.00', '0.6', 'kg', [{ name: 'Size', value: 'L' }]],
      ['style:A/S/Red', '12.00', '0.5', 'kg', [{ name: 'Size', value: 'S' }, { name: 'Colour', value: 'Red' }]],
      ['style:B/Default Title', '1.20', null, null, []],
    ]);
  }); // prettier-ignore

  it.each([
    ['rows: { same: Id }', 'rows of one product'],
    ['rows: { product_when: { column: Id, filled: true }, first_is_variant: true }', 'the first row as a variant'],
  ])('reports each problem once: %s (%s)', async (rows) => {
    const map = `
      product: { external_id: Id, title: Name }
      variant: { price: Price, inventory_quantity: Stock, options: [{ name: Size, column: Size }] }
      ${rows}`;
    const shop = await harness.createShop();
    const refused = await shop.refusal('Id,Name,Price,Stock,Size\nA,Cup,x,y,S\nB,Pot,1,2,S\nC,Jar,z,3,S\n', {
      map: await harness.write(map, 'map.yaml'),
    });
    expect(refused).toContain('Nothing was written: 3 problems');
  });

  it.each([
    ['45,00 €', 'a map leaves out the rest by until: "€"'],
    ['€ 45,00', 'a map leaves out the rest by behind_last: "€"'],
    ['EUR 1.045,00 each', 'a map leaves out the rest by behind_last: "EUR", until: "each"'],
    ['1 kg', 'a map leaves out the rest by until: "kg"'],
    ['-5 %', 'a map leaves out the rest by until: "%"'],
  ])('says how to read a number with more in its cell: %s', async (cell, advice) => {
    const shop = await harness.createShop();
    const map = await harness.write(
      'product: { external_id: Id, title: Name }\nvariant: { price: Price }\n',
      'map.yaml',
    );
    const refused = await shop.refusal(`Id;Name;Price\nA;Cup;${cell}\n`, { map });
    expect(refused).toBe(`file, line 2, column "Price": expected a number alone (${advice}), got "${cell}"`);
  });

  it('finds the product of a row in any order', async () => {
    const map = `
      product: { external_id: ID, title: Name }
      variant: { sku: SKU, price: Price, external_id: ID }
      rows: { parent: { column: Parent, names: SKU }, inherit: [price] }`;
    const content = 'ID,SKU,Parent,Name,Price\n2,M-S,M,,\n1,M,,Mug,5\n3,M-L,M,,7\n4,X,gone,,1\n';
    const { shop, report } = await importWith(map, content);
    expect(await shop.values('products', 'external_id', 'title')).toEqual([['1', 'Mug']]);
    expect(await shop.values('variants', 'external_id', 'sku', 'price')).toEqual([['2', 'M-S', '5'], ['3', 'M-L', '7']]);
    expect(report.warnings).toContainEqual(expect.stringContaining('1 rows of variants were not read, because the file does not have their products ("gone")'));
  }); // prettier-ignore

  it.each([
    ['parent', 'Parent', '1,M,,Mug,5\n2,X,PARENT,,1\n'],
    ['children', 'Variants', '1,M,sku=PARENT,Mug,5\n'],
  ])('shows no e-mail address of a product or variant that is missing, by the form %s', async (form, column, rows) => {
    const map = `
      product: { external_id: ID, title: Name }
      variant: { sku: SKU, price: Price, external_id: ID }
      rows: { ${form}: { column: ${column}, names: SKU } }`;
    const parent = `${'x'.repeat(52)}bob@example.com`;
    const shown = await importWith(map, `ID,SKU,${column},Name,Price\n${rows.replace('PARENT', parent)}`).then(
      ({ report }) => report.warnings.join(),
      (refusal: Error) => refusal.message,
    );
    expect(shown).toContain('[e-mail address]');
    expect(shown).not.toMatch(/bob/);
  });

  it('reads the options of marked rows of variants, and images of separate rows', async () => {
    const map = `
      product: { external_id: ID, title: Name, image_url: Image }
      variant: { sku: SKU, options: { column: Options, start: Type=, separator: '|', name: Name=, value: Value=, until: '[' } }
      rows: { product_when: { column: Item, is: Product }, variant_when: { column: Item, is: [Variant] }, image_when: { column: Item, is: [Image] } }`;
    const content = 'Item,ID,Name,SKU,Options,Image\nProduct,1,Mug,M,,\nVariant,,,M-S,Type=Radio|Name=Size|Value=SType=Swatch|Name=Colour|Value=Red[#f00],\nImage,,,,,https://x.example/1.jpg\nImage,,,,,https://x.example/2.jpg\n';
    const { shop } = await importWith(map, content);
    expect(await shop.values('products', 'image_url')).toEqual([['https://x.example/1.jpg']]);
    expect(await shop.values('variants', 'sku', 'options')).toEqual([['M-S', [{ name: 'Size', value: 'S' }, { name: 'Colour', value: 'Red' }]]]);
  }); // prettier-ignore

  it('keeps the stored values of members without a column', async () => {
    const map = 'optional: [Brand, text, SKU, Sale, Stock]\nproduct: { external_id: ID, title: Name, vendor: Brand, description_html: Text }\nvariant: { sku: SKU, price: { column: Price, sale: Sale }, inventory_quantity: Stock }';
    const { shop } = await importWith(map, 'ID,Name,Brand,Text,SKU,Price,Sale,Stock\n1,Mug,Acme,<p>A</p>,M,10,8,5\n');
    const before = await shop.values('variants', 'sku', 'price', 'compare_at_price', 'inventory_quantity');
    const report = await shop.import('ID,Name,Price\n1,Mug 2,11\n', { map: await harness.write(map, 'map.yaml') });
    expect(await shop.values('products', 'title', 'vendor', 'description_html')).toEqual([['Mug 2', 'Acme', '<p>A</p>']]);
    expect(await shop.values('variants', 'sku', 'price', 'compare_at_price', 'inventory_quantity')).toEqual(before);
    expect(report.files[0]?.missingColumns).toEqual(['Brand', 'Text', 'SKU', 'Sale', 'Stock']);
    expect(report.warnings).toContainEqual(expect.stringContaining('without a column "Sale" the prices of variants that are stored were kept'));
  }); // prettier-ignore

  it('keeps variants when it contains none', async () => {
    const { shop } = await importWith('product: { external_id: ID, title: Name }\nvariant: { price: Price }', 'ID,Name,Price\n1,Mug,10\n');
    await shop.import('ID,Name\n1,Cup\n', { map: await harness.write('product: { external_id: ID, title: Name }', 'map.yaml') });
    expect(await shop.values('variants', 'external_id', 'price')).toEqual([['1/Default Title', '10']]);
  }); // prettier-ignore

  it('reads the numbers of a sale, and those that are added, as it reads the prices', async () => {
    const map = `
      delimiter: semicolon
      decimal: comma
      product: { external_id: Id, title: Name }
      variant: { price: { column: Price, until: '€', sale: Reduced, words: { none: '' } }, weight: Weight }
      variants_file:
        product: Product
        variant: { sku: SKU, price: { add: More, until: '€' }, weight: { add: Heavier, behind_last: '+' }, options: [{ name: Size, column: Size }] }`;
    const shop = await harness.createShop();
    const files = [
      await harness.write('Id;Name;Price;Reduced;Weight\nA;Cup;45,00 €;39,90 €;1\nB;Pot;5,00 €;none;2\n', 'products'),
      await harness.write('Product;SKU;More;Heavier;Size\nA;A-L;2,50 €;+ 0,5;L\n', 'variants'),
    ];
    await shop.importFiles(files, { map: await harness.write(map, 'map.yaml') });
    expect(await shop.values('variants', 'sku', 'price', 'compare_at_price', 'weight')).toEqual([
      ['A-L', '42.40', '47.50', '1.5'],
      [null, '5.00', null, '2'],
    ]);
  }); // prettier-ignore

  it('reads no sale of a price that its condition excludes', async () => {
    const map = 'product: { external_id: Id, title: Name }\nvariant: { price: { column: P, sale: S, when: { column: Sold, is: [yes] } } }';
    const { shop } = await importWith(map, 'Id,Name,P,S,Sold\nA,Cup,5,4,yes\nB,Pot,5,4,no\n');
    expect(await shop.values('variants', 'price', 'compare_at_price')).toEqual([['4', '5'], [null, null]]);
  }); // prettier-ignore
});

describe('a map of orders', () => {
  const order = `external_id: No, customer_name: Who, currency: { value: EUR }, total_price: { column: Total, until: ' €' },
    financial_status: { column: Paid, words: { yes: PAID, no: pending } }, tags: { column: Tags, separator: '|' }, created_at: Date`;
  const columns = ['external_id', 'order_number', 'customer_name', 'currency', 'total_price', 'financial_status', 'tags', 'created_at', 'items_count']; // prettier-ignore

  async function read(map: string, content: string, shop?: ShopUnderImport) {
    const into = shop ?? (await harness.createShop());
    const report = await into.import(content, { map: await harness.write(map, 'map.yaml') });
    return { shop: into, report, orders: await into.values('orders', ...columns) };
  }

  const header = 'No;Who;Total;Paid;Tags;Date;Item;Quantity;Mail\n';
  const rows = `${header}7;Ann;45,00 €;yes;a|b;31/01/2026;Mug;2;x@y.example\n7;;;;;;Cup;1;\n8;Bob bob@shop.example;1.234,50 €;no;;01/02/2026;Pot;;\n`;
  const stored = (counts: readonly number[]) => [
    ['7', '7', 'Ann', 'EUR', '45.00', 'PAID', ['a', 'b'], '2026-01-31T00:00:00+00:00', counts[0]],
    ['8', '8', 'Bob', 'EUR', '1234.50', 'PENDING', [], '2026-02-01T00:00:00+00:00', counts[1]],
  ];

  it.each<[string, string, readonly number[]]>([
    ['counts the rows of an order', '', [2, 1]],
    ['adds a column up', ', items_count: Quantity', [3, 0]],
  ])('%s, and keeps no address', async (_, count, counts) => {
    const { orders, report } = await read(`date_format: DD/MM/YYYY\nrows: { same: No }\norder: { ${order}${count} }`, rows);
    expect(orders).toEqual(stored(counts));
    expect(report.orders).toMatchObject({ read: 2, created: 2 });
    expect(report.files[0]?.unreadColumns).toContain('Mail');
  });

  it('reads a row for each order, with a number or a list of its items', async () => {
    const one = (count: string, cell: string) =>
      read(`order: { external_id: No, items_count: ${count} }`, `No,Items\n7,${cell}\n`).then(({ orders }) => orders[0]?.at(-1));
    expect(await one('Items', '4')).toBe(4);
    expect(await one("{ column: Items, separator: '|' }", 'mug|cup | pot')).toBe(3);
  });

  it('keeps the stored values of members without a column', async () => {
    const map = `optional: true\ndate_format: DD/MM/YYYY\nrows: { same: No }\norder: { ${order}, items_count: Quantity }`;
    const { shop } = await read(map, rows);
    const { orders } = await read(map, 'No;Total\n7;5,00 €\n8;6\n', shop);
    const [first, second] = stored([3, 0]);
    expect(orders).toEqual([first?.with(4, '5.00'), second?.with(4, '6')]);
  });

  it.each(['First', 'Last'])('reads joined columns of which a file has one: %s', async (column) => {
    const map = 'optional: [First, Last]\norder: { external_id: No, customer_name: { join: [First, Last] } }';
    const { shop } = await read(map, 'No,First,Last\n7,Ann,Berg\n');
    const { orders } = await read(map, `No,${column}\n7,Bo\n`, shop);
    expect(orders.map((values) => values[2])).toEqual(['Bo']);
  });

  it.each([
    ['No,Total\n7,1\n8,2\n7,3\n', 'file, line 4, column "No": "7" already appears in line 2'],
    ['No,Total\n7,x\n', 'file, line 2, column "Total": expected a decimal number such as 19.90, got "x"'],
    ['No,Total\n,5\n', 'file, line 2, column "No": expected a value on every row: rows of one object have the same, got ""'],
    ['Nr,Total\n7,5\n', 'file: is not a table with the columns of the map map.yaml: it has no column "No" (did you mean "Nr"?); its columns are Nr, Total'],
  ])('refuses what is wrong, with its place: %j', async (content, problem) => {
    const shop = await harness.createShop();
    const map = await harness.write('rows: { same: No }\norder: { external_id: No, total_price: Total }', 'map.yaml');
    expect(await shop.refusal(content, { map })).toContain(problem);
  });
}); // prettier-ignore

describe('a map of collections', () => {
  it.each([
    ['a row for each, and a number', 'products_count: Count', 'Key,Name,Count\nc,Cups,2\np,Pots,0\n', [2, 0]],
    ['a row for each, and the handles of its products', "products_count: { column: Handles, separator: ',' }", 'Key;Name;Handles\nc;Cups;mug, cup, mug\np;Pots;\n', [2, 0]],
    ['a row for each product', '', 'Key,Name,Handle\nc,Cups,mug\nc,,cup\np,Pots,pot\n', [2, 1]],
  ])('reads %s', async (form, count, content, counts) => {
    const shop = await harness.createShop();
    const rows = form === 'a row for each product' ? 'rows: { same: Key }\n' : '';
    const map = `${rows}collection:\n  external_id: { column: Key, prefix: 'c:' }\n  title: Name\n  published: { value: 'false' }\n  ${count}\n`;
    await shop.import(content, { map: await harness.write(map, 'map.yaml') });
    expect(await shop.values('collections', 'external_id', 'title', 'published', 'collection_type', 'products_count')).toEqual([
      ['c:c', 'Cups', false, 'manual', counts[0]],
      ['c:p', 'Pots', false, 'manual', counts[1]],
    ]);
  });

  it('keeps the stored values of members without a column', async () => {
    const shop = await harness.createShop();
    const map = await harness.write('optional: true\ncollection: { external_id: Key, title: Name, description_html: Text, published: Shown, products_count: Count }', 'map.yaml');
    const columns = ['external_id', 'title', 'description_html', 'published', 'products_count'];
    await shop.import('Key,Name,Text,Shown,Count\nc,Cups,All cups,true,2\n', { map });
    await shop.import('Key,Name,Count\nc,Mugs,3\n', { map });
    expect(await shop.values('collections', ...columns)).toEqual([['c', 'Mugs', 'All cups', true, 3]]);
    await shop.import('Key,Name,Text,Count\nc,Mugs,,3\n', { map });
    expect(await shop.values('collections', ...columns)).toEqual([['c', 'Mugs', null, true, 3]]);
  });

  it('requires a title', async () => {
    const shop = await harness.createShop();
    const map = await harness.write('collection: { external_id: Key, title: Name }', 'map.yaml');
    expect(await shop.refusal('Key,Name\nc,\n', { map })).toBe('file, line 2, column "Name": expected a title of each collection, got ""');
  });
}); // prettier-ignore

describe('a column that a map names', () => {
  const products = `
      product: { external_id: Style, title: [Name, Title], vendor: { column: Brand, when: { column: Listed, filled: true } }, created_at: Placed }
      variant: { sku: Article, price: { column: Price, sale: Reduced, sale_when: { column: Offer, is: [yes] } }, weight: Weight, options: { names: 'Option {n}', values: 'Choice {n}' } }
      rows: { same: Style, skip_when: { column: Deleted, filled: true } }`;
  const orders = `
      order: { external_id: Number, customer_name: { join: [Given name, Family name] }, total_price: Total, created_at: Placed }`;
  const cells: readonly Row[] = [
    { Style: 'A', Name: 'Cup', Brand: 'Kiln', Listed: 'x', Placed: '2026-01-31T12:00:00Z', Article: 'A1', Price: '5', Reduced: '4', Offer: 'yes', Weight: '1', 'Option 1': 'Size', 'Choice 1': 'S', Deleted: '' },
    { Number: '1', 'Given name': 'Ann', 'Family name': 'Berg', Total: '5', Placed: '2026-01-31T12:00:00Z' },
  ];
  const named = [products, orders].flatMap((map, at) => Object.keys(cells[at] ?? {}).map((column) => ({ map, row: cells[at] ?? {}, column })));
  /** Slips of the hand, each of which leaves another name. */
  const slips = fc.nat(3).chain((kind) =>
    fc.nat().map((seed) => (name: string): string => {
      const at = seed % (name.length - 1);
      const [before, [letter = '', next = ''], after] = [name.slice(0, at), [...name.slice(at, at + 2)], name.slice(at + 2)];
      return before + [next, `${letter}q${next}`, letter === next ? letter : next + letter, `${letter}q`][kind] + after;
    }),
  );

  it('is not misspelt in silence: each is refused, and with the name that was meant', async () => {
    const shop = await harness.createShop();
    for (const { map, row } of named) expect(await shop.import(table(Object.keys(row), [row]), { map: await harness.write(map, 'map.yaml') })).toBeDefined();
    const before = await shop.fingerprint();
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...named), slips, async ({ map, row, column }, slip) => {
        const wrong = slip(column);
        const misspelt = Object.fromEntries(Object.entries(row).map(([name, cell]) => [name === column ? wrong : name, cell]));
        fc.pre(Object.keys(misspelt).length === Object.keys(row).length && wrong.trim() !== column);
        const refusal = await shop.refusal(table(Object.keys(misspelt), [misspelt]), { map: await harness.write(map, 'map.yaml') });
        expect(refusal).toContain(`no ${/^file: /.test(refusal) ? 'column ' : ''}${column === 'Name' ? '"Name" or "Title"' : `"${column}"`}`);
        if (column.length > 3) expect(refusal).toContain(`(did you mean "${wrong.trim()}"?)`);
      }),
      { numRuns: 150 },
    );
    expect(await shop.fingerprint()).toEqual(before);
  });

  it.each([
    ['title', 'product: { external_id: Id, title: LIST }', 'Name', 'a'],
    ['a price', 'product: { external_id: Id, title: Id }\nvariant: { price: { column: LIST } }', 'Name', '5'],
    ['a sale', 'product: { external_id: Id, title: Id }\nvariant: { price: { column: Id, sale: LIST } }', 'Name', '5'],
    ['an option', 'product: { external_id: Id, title: Id }\nvariant: { options: [{ name: Size, column: LIST }] }', 'Name', 'S'],
    ['a numbered option', 'product: { external_id: Id, title: Id }\nvariant: { options: { values: LIST } }', 'Name {n}', 'S'],
    ['the rows of an object', 'product: { external_id: Id, title: Id }\nrows: { same: LIST }', 'Name', 'a'],
    ['rows to skip', 'product: { external_id: Id, title: Id }\nrows: { skip_when: { column: LIST, filled: false } }', 'Name', 'a'],
    ['an order', 'order: { external_id: Id, customer_name: { join: [LIST, Id] } }', 'Name', 'a'],
    ['a collection', 'collection: { external_id: Id, title: LIST }', 'Name', 'a'],
  ])('may have several names, of which a file needs one: %s', async (what, map, name, cell) => {
    const other = name.replace('Name', 'Title');
    const list = `['${name}', '${other}']`;
    const [first = '', second = ''] = [name, other].map((column) => column.replace('{n}', '1'));
    const shop = await harness.createShop();
    const read = async (more: string, ...columns: readonly string[]) => {
      const file = `${['Id', ...columns].join(',')}\n${['1', ...columns.map(() => cell)].join(',')}\n`;
      return shop.import(file, { map: await harness.write(`${map.replace('LIST', list)}\n${more}`, 'map.yaml') });
    };
    expect((await read('', first)).warnings.join()).not.toContain('in place of');
    const both = await read('', first, second);
    expect([both.warnings.join(), both.files[0]?.unreadColumns]).toEqual([expect.not.stringContaining('in place of'), [second]]);
    expect((await read('', second)).warnings.join()).toContain(`read in place of columns that are not there: "${second}" for "${first}"`);
    for (const optional of ['', `optional: ['${first}']`, `optional: ['${second}']`])
      await expect(read(optional, 'Nothing')).rejects.toThrow(`"${first}" or "${second}"`);
    if (/title|rows|collection/.test(what)) return;
    expect((await read(`optional: ['${first}', '${second}']`, 'Nothing')).files[0]?.missingColumns).toEqual([first]);
  });

  it('may lack where the map says so, and is asked for by all of its names otherwise', async () => {
    const shop = await harness.createShop();
    const file = 'Number,Given name,Total\n1,Ann,5\n';
    const read = async (optional: string) => shop.import(file, { map: await harness.write(`${orders}\n      optional: ${optional}`, 'map.yaml') });
    expect((await read('[placed, Family name]')).files[0]?.missingColumns).toEqual(['Family name', 'Placed']);
    await expect(read('[Placed]')).rejects.toThrow('file, line 1: expected all columns that the map');
    await expect(read('[Placed]')).rejects.toThrow('names, got no "Family name"; correct the map, or list what a file may lack in its "optional"');
    expect((await read('true')).orders).toMatchObject({ read: 1 });
  });
}); // prettier-ignore

/** A value of each kind that is not what a new object would have anyway. */
const cellOf: Readonly<Record<string, string>> = {
  externalId: 'x', text: 'Some text', indexed: 'word', status: 'DRAFT', currency: 'EUR', decimal: '1.5', tags: 'a b', flag: 'false', count: '7', quantity: '5',
  position: '4', timestamp: '2025-01-02T03:04:05Z',
}; // prettier-ignore

describe('what a file of a map has no column for is kept', () => {
  // Without one of these an object is another one, or its file is refused, or what is stored is that of the import.
  const always = {
    products: ['external_id', 'title', 'created_at', 'updated_at'],
    variants: ['external_id', 'title', 'position', 'created_at', 'updated_at'],
    collections: ['external_id', 'title'],
    orders: ['external_id', 'order_number', 'updated_at'],
  } as const;
  const mapOf = (columns: readonly { name: string }[]) =>
    columns.map(({ name }) => `${name}: ${name.toUpperCase()}`).join(', ');

  it.each(['collections', 'orders', 'products', 'variants'] as const)('of %s', async (table) => {
    const columns = importedColumnsOf(table).filter(({ kind }) => kind !== 'options');
    const isVariants = table === 'variants';
    const rules = `{ ${mapOf(columns)} }`;
    const map = await harness.write(
      `optional: true\n${isVariants ? `product: { external_id: P, title: P }\nvariant` : table.slice(0, -1)}: ${rules}`,
      'map.yaml',
    );
    const toFile = (names: readonly (typeof columns)[number][]) =>
      [
        [...(isVariants ? ['P'] : []), ...names.map(({ name }) => name.toUpperCase())],
        [...(isVariants ? ['p'] : []), ...names.map(({ name, kind }) => (name === 'weight_unit' ? 'kg' : name.endsWith('_url') ? 'https://x.example/a' : cellOf[kind]))],
      ].map((cells) => `${cells.join(',')}\n`).join(''); // prettier-ignore
    const shop = await harness.createShop();
    const stored = () => shop.values(table, ...columns.map(({ name }) => name));
    await shop.import(toFile(columns), { map });
    const before = await stored();
    expect(before[0]?.filter((value) => value === null)).toEqual([]);
    for (const lacked of columns) {
      if ((always[table] as readonly string[]).includes(lacked.name)) continue;
      await shop.import(toFile(columns.filter((column) => column !== lacked)), { map });
      expect({ without: lacked.name, stored: await stored() }).toEqual({ without: lacked.name, stored: before });
    }
  });
});
