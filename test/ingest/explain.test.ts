import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { explainFiles, type FileExplanation } from '../../src/ingest/explain-files';
import { formats } from '../../src/ingest/formats';
import { formatNames } from '../../src/ingest/formats/descriptions';
import { samples } from './format-samples';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'explain-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function explain(content: string): Promise<FileExplanation> {
  const file = join(folder, 'file');
  await writeFile(file, content);
  const [explained] = await explainFiles({ files: [file], format: 'auto' });
  if (explained === undefined) throw new Error('expected a file to be explained');
  return explained;
}

const rowsOf = ({ columns }: FileExplanation): unknown[][] =>
  columns.map(({ name, becomes, example }) => [name, becomes, example]);

const tried = new Set<string>();

describe('what an import would read from a file', () => {
  it.each([
    ['catalog-products', samples['catalog-products'], ['title', 'title', 'Mug']],
    ['catalog-variants', samples['catalog-variants'], ['product_external_id', 'which product a variant is of', '1']],
    ['catalog-collections', samples['catalog-collections'], ['published', 'published', 'true']],
    ['catalog-orders', samples['catalog-orders'], ['order_number', 'order_number', '#1']],
    ['shopify-products', 'Handle,Title,Variant Price\nmug,Mug,1\n', ['Variant Price', 'variants.price', '1']],
    ['shopify-orders', 'Name,Created at,Total,Email,Financial Status\n#1,2026-01-01 10:00:00 +0000,5,x@y.example,paid\n', ['Total', 'total_price', '5']],
    ['shopify-inventory', 'Handle,Option1 Value,Location,Available\nmug,S,Oslo,7\n', ['Available', 'variants.inventory_quantity: the sum of all locations', '7']],
    ['wix-products', 'handleId,fieldType,name,price,visible,productOptionName1\np,Product,Mug,1,true,Size\n', ['visible', 'status, published_at', 'true']],
    ['woocommerce-products', 'ID,Typ,Name,Regulärer Preis,Attribut 1 Name,Attribut 1 Wert(e)\n1,simple,Becher,"9,90",Größe,S\n', ['Attribut 1 Wert(e)', 'variants.options', 'S']],
    ['prestashop', 'Product ID;Active (0/1);Name *;Price tax excluded\n1;1;Mug;10\n', ['Active (0/1)', 'status, published_at', '1']],
    ['prestashop-variants', 'Product ID*;Attribute (Name:Type:Position)*;Value (Value:Position)*;Impact on price\n1;Size:select:0;S:0;2\n', ['Impact on price', 'variants.price', '2']],
    ['squarespace', 'Product ID [Non Editable],Variant ID [Non Editable],Title,Price,Option Name 1,Option Value 1\np,v,Mug,1,Size,S\n', ['Option Value 1', 'variants.options', 'S']],
    ['bigcommerce', 'Item Type,Product ID,Product Name,Product Code/SKU\nProduct,1,Mug,M\n', ['Item Type', 'which rows belong together', 'Product']],
    ['magento', 'sku,attribute_set_code,product_type,name,store_view_code\nM,Default,simple,Mug,\n', ['store_view_code', 'which rows are read', null]],
    ['opencart', 'product_id,name(en-gb),model,stock_status_id,price\n40,Mug,m,5,10.0000\n', ['name(en-gb)', 'title', 'Mug']],
    ['shopware-orders', 'id;order_number;customer_firstname;customer_lastname;amount_total;line_items;order_date_time\n1;10001;Ann;Berg;5;2x 7;2026-01-10T11:00:00.000+00:00\n', ['customer_lastname', 'customer_name', 'Berg']],
    ['snapshot', '{"type":"product","external_id":"p","title":"Mug","variants":[{"external_id":"v","price":"1.0","colour":"red"}]}\n', ['product.variants.price', 'variants.price', '1.0']],
    ['shopify-products-json', '{"products":[{"id":1,"title":"Mug","handle":"m","body_html":"<p>A</p>","variants":[{"id":2,"price":"1.50"}]}]}', ['variants.price', 'variants.price', '1.50']],
    ['shopify-orders-json', '[{"id":1,"name":"#1","created_at":"2026-01-01T00:00:00Z","financial_status":"paid","note":"x"}]', ['note', null, 'x']],
    ['shopify-products-bulk', '{"id":"gid://shopify/Product/1","title":"Mug"}\n{"id":"gid://shopify/ProductVariant/2","price":"1","__parentId":"gid://shopify/Product/1"}\n', ['variants.price', 'variants.price', '1']],
    ['shopify-collections-bulk', '{"id":"gid://shopify/Collection/3","title":"Cups","ruleSet":null}\n', ['title', 'title', 'Cups']],
    ['shopify-orders-bulk', '{"id":"gid://shopify/Order/1","name":"#1"}\n{"id":"gid://shopify/LineItem/2","quantity":3,"__parentId":"gid://shopify/Order/1"}\n', ['lineItems.quantity', 'items_count: their sum', '3']],
    ['woocommerce-products-json', '[{"id":1,"name":"Mug","type":"simple","status":"publish","regular_price":"9"}]', ['regular_price', 'variants.price; variants.compare_at_price during a sale', '9']],
    ['woocommerce-orders-json', '[{"id":1,"number":"1","status":"completed","date_created_gmt":"2026-01-01T00:00:00"}]', ['number', 'order_number', '1']],
  ])('explains %s', async (format, content, row) => {
    tried.add(format);
    const explained = await explain(content);
    expect(explained).toMatchObject({ format, recognisedBy: 'content' });
    expect(rowsOf(explained)).toContainEqual(row);
    for (const { becomes } of explained.columns) expect(becomes).not.toBe('');
  }); // prettier-ignore

  it('has a row above for every format', () => {
    expect(formatNames.filter((name) => !tried.has(name))).toEqual([]);
    expect(formats.map(({ name }) => name)).toEqual(formatNames);
  });

  it('is in docs/import.md: the first table has every format, and no other', () => {
    const text = readFileSync(join(__dirname, '../../docs/import.md'), 'utf8');
    const names = text.slice(text.indexOf('\n| '), text.indexOf('\n## ')).matchAll(/`([\w-]+)`/g);
    expect([...names].map(([, name]) => name).sort()).toEqual([...formatNames].sort());
  });

  it('masks addresses, and shortens long texts', async () => {
    const { columns } = await explain(`URL handle,Title,Price,a@b.example\nmug,${'x '.repeat(99)},1,to c@d.example\n`);
    expect(columns.map(({ name, example }) => `${name} ${example ?? ''}`).join('\n')).not.toMatch(/@[bd]\.example/);
    expect(columns[1]?.example).toHaveLength(61);
  });
});
