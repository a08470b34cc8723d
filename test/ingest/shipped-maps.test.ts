import { ImportHarness } from './import-harness';
import { samples } from './format-samples';

let harness: ImportHarness;
beforeAll(async () => {
  harness = await ImportHarness.create();
});
afterAll(() => harness.close());

async function importSample(
  name: 'opencart' | 'shopware-orders',
): Promise<(table: string, columns: string) => Promise<unknown[]>> {
  const shop = await harness.createShop();
  await shop.import(samples[name]);
  return (table, columns) =>
    harness.test.sql(`SELECT ${columns} FROM ${table} WHERE shop_id = '${shop.id}' ORDER BY external_id`);
}

it('reads products of OpenCart, in the first of its languages', async () => {
  const rowsOf = await importSample('opencart');
  expect(
    await rowsOf('products', 'external_id, title, handle, status, vendor, tags, image_url, seo_title, created_at::text'),
  ).toEqual([
    { external_id: '40', title: 'Mug', handle: 'mug', status: 'ACTIVE', vendor: 'Acme', tags: ['a', 'b'], image_url: 'catalog/mug.jpg', seo_title: 'Mugs', created_at: '2026-01-31 12:00:00+00' },
    expect.objectContaining({ external_id: '41', title: 'Cup', handle: null, status: 'DRAFT', tags: [] }),
  ]); // prettier-ignore
  expect(await rowsOf('variants', 'sku, barcode, price, inventory_quantity, weight, weight_unit')).toEqual([
    { sku: 'M', barcode: '4006381333931', price: '10.0000', inventory_quantity: '7', weight: '0.30000000', weight_unit: 'kg' },
    { sku: null, barcode: null, price: '5.0000', inventory_quantity: '0', weight: null, weight_unit: null },
  ]); // prettier-ignore
});

it('reads products of Magento, with dates as its locale writes them', async () => {
  const shop = await harness.createShop();
  const content =
    'sku,attribute_set_code,product_type,name,product_online,price,qty,manage_stock,created_at,updated_at\n' +
    'B,Default,simple,Bowl,1,40.0000,100.0000,1,"10/11/20, 4:58 PM","10/26/21, 12:05 AM"\n';
  expect(await shop.refusal(content)).toMatch(
    /line 2, column "created_at": .*--date-format DD\/MM\/YYYY, MM\/DD\/YYYY or/,
  );
  await shop.import(content, { dateFormat: { first: 'month', offsetMinutes: 0 } });
  expect(await shop.values('products', 'created_at', 'updated_at', 'total_stock')).toEqual([
    ['2020-10-11T16:58:00+00:00', '2021-10-26T00:05:00+00:00', 100],
  ]);
});

it('reads orders of Shopware, with the names of customers from two columns, and items from a list', async () => {
  const rowsOf = await importSample('shopware-orders');
  expect(
    await rowsOf('orders', 'external_id, order_number, customer_name, total_price, items_count, created_at::text'),
  ).toEqual([
    { external_id: '0192f0c1', order_number: '10001', customer_name: 'Ann Berg', total_price: '39.9', items_count: '3', created_at: '2026-01-10 11:00:00+00' },
    { external_id: '0192f0c2', order_number: '10002', customer_name: 'Ng', total_price: '5', items_count: '1', created_at: '2026-01-11 11:00:00+00' },
  ]); // prettier-ignore
});
