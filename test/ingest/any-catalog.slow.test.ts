import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lines, useImportHarness } from './import-harness';
import { csv } from './make-files';
import { fc } from '../support/properties';

const harness = useImportHarness();

type Row = Readonly<Record<string, string>>;

/** A table with a platform's columns; missing values are blank. */
const table = (header: readonly string[], rows: readonly Row[], delimiter = ','): string =>
  csv([header, ...rows.map((row) => header.map((name) => row[name] ?? ''))], delimiter, '\r\n');

/** The columns as each platform writes them, taken from the golden files. */
const golden = JSON.parse(readFileSync(join(__dirname, 'golden/maps.json'), 'utf8')) as {
  what: string;
  imports: { files: Record<string, string[]> }[];
}[];
const [prestashopProducts, prestashopCombinations, squarespace, bigcommerce, magento] = [
  'PrestaShop',
  'Squarespace',
  'BigCommerce',
  'Magento',
].flatMap((platform) => {
  const files = golden.find(({ what }) => what.includes(`the shipped maps read ${platform}`))?.imports[0]?.files;
  return Object.values(files ?? {}).map(([header = '']) =>
    header.trim().split(header.includes(';') ? ';' : /,(?!y|z)/),
  );
}) as [string[], string[], string[], string[], string[]];

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

/** One without values stands for a product without variants. */
const variantsOf = ({ variants }: Product) =>
  variants.length > 0 ? variants : [{ values: undefined, quantity: 7, sku: '' }];

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
        return variantsOf(one).map(({ values, quantity, sku }, at) => ({
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
  {
    name: 'shopify-products-json',
    idOf: (index) => `${index + 1}`,
    write: (products) => {
      const all = products.map((one, index) => ({
        id: index + 1, title: one.title, handle: `h${index}`, body_html: one.body, status: one.isActive ? 'active' : 'draft', options: [{ name: 'A' }, { name: 'B' }],
        variants: variantsOf(one).map(({ values, quantity, sku }, at) => ({
          id: 100 * (index + 1) + at, sku, price: one.price, weight: one.weight, inventory_management: 'shopify', inventory_quantity: quantity, option1: values?.[0] ?? 'Default Title', option2: values?.[1] ?? null,
        })),
      }));
      return [all.length % 2 === 0 ? JSON.stringify({ products: all }) : lines(...all.map((product) => ({ product })))];
    },
  },
  {
    name: 'shopify-products-bulk',
    idOf: (index) => `${index + 1}`,
    write: (products) => [
      lines(...products.flatMap((one, index) => [
        { id: `gid://shopify/Product/${index + 1}`, title: one.title, handle: `h${index}`, descriptionHtml: one.body, status: one.isActive ? 'ACTIVE' : 'DRAFT' },
        ...variantsOf(one).map(({ values, quantity, sku }, at) => ({
          id: `gid://shopify/ProductVariant/${100 * (index + 1) + at}`, __parentId: `gid://shopify/Product/${index + 1}`, sku, price: one.price, inventoryQuantity: quantity,
          inventoryItem: { tracked: true, measurement: { weight: one.weight === null ? null : { value: one.weight, unit: 'KILOGRAMS' } } },
          selectedOptions: values === undefined ? [{ name: 'Title', value: 'Default Title' }] : [{ name: 'A', value: values[0] }, { name: 'B', value: values[1] }],
        })),
      ])),
    ],
  },
  {
    name: 'woocommerce-products',
    idOf: (index) => `${index + 1}`,
    write: (products) => [
      table(
        ['ID', 'Type', 'SKU', 'Name', 'Published', 'Description', 'Stock', 'Weight (kg)', 'Regular price', 'Parent', 'Position', ...[1, 2].flatMap((n) => [`Attribute ${n} name`, `Attribute ${n} value(s)`])],
        products.flatMap((one, index): Row[] => {
          const html = (text: string) => text.replaceAll('&', '&amp;');
          const priced = (quantity: number) => ({ Stock: String(quantity), 'Weight (kg)': one.weight ?? '', 'Regular price': one.price });
          const attributes = (toValue: (at: 0 | 1) => string) => ({ 'Attribute 1 name': 'A', 'Attribute 1 value(s)': html(toValue(0)), 'Attribute 2 name': 'B', 'Attribute 2 value(s)': html(toValue(1)) });
          const product = { ID: `${index + 1}`, Name: html(one.title), Published: one.isActive ? '1' : '0', Description: (one.body ?? '').replaceAll('\n', '\\n') };
          if (one.variants.length === 0) return [{ ...product, Type: 'simple', ...priced(7) }];
          return [
            ...one.variants.map(({ values, quantity, sku }, at) => ({ ID: `${100 * (index + 1) + at}`, Type: 'variation', SKU: sku, Name: '', Published: '1', Parent: `id:${index + 1}`, Position: `${at + 1}`, ...priced(quantity), ...attributes((of) => values[of]) })),
            { ...product, Type: 'variable', ...attributes((of) => one.variants.map(({ values }) => values[of]).join(', ')) },
          ];
        }),
      ),
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
      { numRuns: 12 },
    );
  }); // prettier-ignore
});
