import { lines, now, order, product, useImportHarness, variant } from './import-harness';

const harness = useImportHarness();

describe('importing a snapshot', () => {
  it('applies several lines about one object in order, also within one file', async () => {
    const shop = await harness.createShop();
    const report = await shop.import(
      lines(
        product({ title: 'First' }),
        product({ deleted: true }),
        product({ title: 'Second' }),
        order({ order_number: '#1' }),
        order({ order_number: '#2' }),
      ),
    );
    expect(await shop.values('products', 'title', 'deleted_at')).toEqual([['Second', null]]);
    expect(await shop.values('orders', 'order_number')).toEqual([['#2']]);
    expect(report.products).toMatchObject({ read: 3, created: 1, deleted: 1, updated: 1 });
  });

  it('sets last_sync_at to now without a shop line, and changes only the members of the shop line', async () => {
    const shop = await harness.createShop();
    await shop.import(
      lines({ type: 'shop', name: 'Kiln', platform: 'Shopify', currency: 'SEK', plan: 'free', product_limit: 1 }),
    );
    const report = await shop.import(lines({ type: 'shop', currency: null, plan: 'free' }));
    const [row] = await harness.test.sql(
      'SELECT name, platform, currency, plan, product_limit, last_sync_at FROM shops WHERE shop_id = $1', [shop.id]); // prettier-ignore
    expect(row).toEqual({
      name: 'Kiln',
      platform: 'shopify',
      currency: null,
      plan: 'business',
      product_limit: null,
      last_sync_at: new Date(now),
    });
    expect(report.dropped.ignoredMembers).toEqual({ plan: 1 });
  });

  it('leaves the derived columns as the triggers would compute them', async () => {
    const shop = await harness.createShop();
    const prices = ['5', '5.0', null, '05.00', '-1', '100', '99.99', '1e2'];
    const many = Array.from({ length: 700 }, (_, index) =>
      product({
        external_id: `p${index}`,
        variants: Array.from({ length: index % 5 }, (__, n) =>
          variant({
            external_id: `v${n}`,
            price: prices[(index + n * 3) % 8],
            inventory_quantity: n === 2 ? null : index,
            position: n % 2 ? null : 1,
          }),
        ),
      }),
    );
    await shop.import(lines(...many));
    const before = await shop.fingerprint();
    await shop.deriveByTriggers();
    expect(await shop.fingerprint()).toEqual(before);
  });
});
