import { samples } from './format-samples';
import { useImportHarness } from './import-harness';

const harness = useImportHarness();

describe('a file with collections of products, but not the positions of products in them', () => {
  const formats = [
    'shopify-products-bulk',
    'woocommerce-products',
    'wix-products',
    'squarespace',
    'magento',
    'bigcommerce',
  ] as const;
  it.each(formats)('keeps the stored positions: %s', async (format) => {
    const shop = await harness.createShop();
    await shop.import(samples[format]);
    await harness.test.sql(
      `UPDATE products SET memberships = (SELECT jsonb_agg(one || '{"position": 7}') FROM jsonb_array_elements(memberships) AS m (one))
        WHERE shop_id = $1 AND memberships <> '[]'`,
      [shop.id],
    );
    const before = await shop.values('products', 'memberships');
    expect(JSON.stringify(before)).toContain('"position":7');
    await shop.import(samples[format]);
    expect(await shop.values('products', 'memberships')).toEqual(before);
  });
});
