import { ImportHarness } from './import-harness';
import { csv } from './make-files';

let harness: ImportHarness;
beforeAll(async () => {
  harness = await ImportHarness.create();
});
afterAll(() => harness.close());

type Row = Readonly<Record<string, string>>;

/** A table with the columns of a platform; what a row does not name is blank. */
const table = (header: readonly string[], rows: readonly Row[], delimiter = ','): string =>
  csv([header, ...rows.map((row) => header.map((name) => row[name] ?? ''))], delimiter, '\r\n');

const productColumns = ['external_id', 'title', 'handle', 'status', 'vendor', 'product_type', 'tags', 'description_html', 'seo_title', 'image_url'] as const; // prettier-ignore
const variantColumns = ['external_id', 'title', 'sku', 'barcode', 'price', 'compare_at_price', 'cost_price', 'inventory_quantity', 'weight', 'position'] as const; // prettier-ignore

/** PrestaShop's sample files of its import, with the columns as they stand there. */
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

describe('the maps that are shipped', () => {
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
