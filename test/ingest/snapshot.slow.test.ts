import { collection, ImportHarness, lines, now, order, product, variant } from './import-harness';

let harness: ImportHarness;
beforeAll(async () => {
  harness = await ImportHarness.create();
});
afterAll(() => harness.close());

describe('importing a snapshot', () => {
  it('stores every member of every kind, with the decimals of the file (D21, D22, D23)', async () => {
    const shop = await harness.createShop();
    const variants =
      '[{"external_id":"v1","title":"L","sku":"S","barcode":"1","price":19.90,"compare_at_price":"25.000","cost_price":1e-2,' +
      '"inventory_quantity":4294967294,"weight":.5e0,"weight_unit":"kg","position":2,"image_url":"u",'.replace(
        '.5e0',
        '5.0e-1',
      ) +
      '"options":[{"name":"Size","value":"L"}],"created_at":"2026-01-01T02:00:00+02:00","updated_at":"2026-01-02T00:00:00Z"}]';
    await shop.import(
      `{"type":"product","external_id":"p1","title":"Mug ☕","tags":["a","ü"],"created_at":"0001-01-01T00:00:00Z","updated_at":"9999-12-31T23:59:59.999Z","variants":${variants}}\n`,
    );
    expect(await shop.values('variants', 'title', 'sku', 'barcode', 'price', 'compare_at_price', 'cost_price')).toEqual(
      [['L', 'S', '1', '19.90', '25.000', '0.01']],
    );
    expect(await shop.values('variants', 'inventory_quantity', 'weight', 'position', 'options', 'created_at')).toEqual([
      [4294967294, '0.50', 2, [{ name: 'Size', value: 'L' }], '2026-01-01T00:00:00+00:00'],
    ]);
    expect(
      await shop.values('products', 'title', 'tags', 'status', 'variant_count', 'min_price', 'total_stock'),
    ).toEqual([['Mug ☕', ['a', 'ü'], 'ACTIVE', 1, '19.90', 4294967294]]);
  });

  it('changes nothing the second time: every row, id and version stays', async () => {
    const shop = await harness.createShop();
    const file = lines(
      { type: 'shop', name: 'Kiln', last_sync_at: '2026-02-01T00:00:00Z' },
      product({ variants: [variant(), variant({ external_id: 'v2', price: '5', inventory_quantity: 3 })] }),
      product({ external_id: 'p2', tags: [] }),
      collection(),
      order({ total_price: '1.50' }),
    );
    await shop.import(file);
    const before = await shop.fingerprint();
    const report = await shop.import(file);
    expect(await shop.fingerprint()).toEqual(before);
    expect(report).toMatchObject({
      shops: { unchanged: 1, updated: 0 },
      products: { read: 2, unchanged: 2, created: 0, updated: 0 },
      variants: { read: 2, unchanged: 2 },
      collections: { read: 1, unchanged: 1 },
      orders: { read: 1, unchanged: 1 },
      lastSyncAt: '2026-02-01T00:00:00.000Z',
    });
  });

  it('updates what differs under the same id, and deletes variants that the product no longer has', async () => {
    const shop = await harness.createShop();
    await shop.import(
      lines(product({ variants: [variant({ price: '5' }), variant({ external_id: 'v2', price: '7' })] }), order()),
    );
    const [id] = await shop.values('products', 'id');
    const [variantId] = await shop.values('variants', 'id');
    const report = await shop.import(
      lines(product({ title: 'Cup', variants: [variant({ price: '5.0' })] }), order({ order_number: '#2' })),
    );
    expect(await shop.values('products', 'id', 'title', 'variant_count', 'max_price')).toEqual([
      [id?.[0], 'Cup', 1, '5.0'],
    ]);
    expect(await shop.values('variants', 'id', 'price')).toEqual([[variantId?.[0], '5.0']]);
    expect(report.products).toMatchObject({ updated: 1, unchanged: 0 });
    expect(report.variants).toMatchObject({ read: 1, updated: 1, removed: 1 });
    expect(report.orders).toMatchObject({ updated: 1 });
  });

  it('soft-deletes with `deleted`, and a later line without it restores the product under its old id', async () => {
    const shop = await harness.createShop();
    await shop.import(lines(product({ variants: [variant()] })));
    const [ids] = await shop.values('products', 'id');
    const deleted = await shop.import(
      lines(product({ deleted: true }), product({ external_id: 'unknown', deleted: true })),
    );
    expect(deleted.products).toMatchObject({ read: 2, deleted: 1, skipped: 1 });
    expect(await shop.values('products', 'id', 'deleted_at')).toEqual([[ids?.[0], '2026-03-01T12:00:00+00:00']]);
    await shop.import(lines(product({ variants: [variant()] })));
    expect(await shop.values('products', 'id', 'deleted_at')).toEqual([[ids?.[0], null]]);
  });

  it('applies lines about one object in order, also within one file', async () => {
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

  it('writes nothing with dryRun, and reports the same', async () => {
    const shop = await harness.createShop();
    const file = lines({ type: 'shop', name: 'Kiln' }, product({ variants: [variant()] }), collection(), order());
    const before = await shop.fingerprint();
    const report = await shop.import(file, { dryRun: true, replace: true, allowRemoving: { percent: 100 } });
    expect(await shop.fingerprint()).toEqual(before);
    expect({ ...report, dryRun: false }).toEqual(
      await shop.import(file, { replace: true, allowRemoving: { percent: 100 } }),
    );
  });

  it('removes with replace what the file does not contain', async () => {
    const shop = await harness.createShop();
    await shop.import(
      lines(
        product(),
        product({ external_id: 'p2' }),
        collection(),
        collection({ external_id: 'c2' }),
        order(),
        order({ external_id: 'o2' }),
      ),
    );
    const report = await shop.import(lines(product(), collection(), order()), {
      replace: true,
      allowRemoving: { percent: 100 },
    });
    expect(await shop.values('products', 'external_id', 'deleted_at')).toEqual([
      ['p1', null],
      ['p2', '2026-03-01T12:00:00+00:00'],
    ]);
    expect(await shop.values('collections', 'external_id')).toEqual([['c1']]);
    expect(await shop.values('orders', 'external_id')).toEqual([['o1']]);
    expect([report.products.removed, report.collections.removed, report.orders.removed]).toEqual([1, 1, 1]);
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

  it('reports members that have no meaning, and ignores ids and derived values', async () => {
    const shop = await harness.createShop();
    const file = lines(
      product({ id: 'x', min_price: '1', colour: 'red', variants: [variant({ id: 'y', colour: 'red' })] }),
      product({ external_id: 'p2', colour: 'red', 'a@b.example': 1 }),
    );
    const report = await shop.import(file);
    expect(report.dropped.ignoredMembers).toEqual({ colour: 2, 'variants.colour': 1, '[e-mail address]': 1 });
    expect(await shop.values('products', 'min_price')).toEqual([[null], [null]]);
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
    await harness.test.sql(
      'SELECT catalog_derive_products(array_agg(shop_id), array_agg(id)) FROM products WHERE shop_id = $1',
      [shop.id],
    );
    expect(await shop.fingerprint()).toEqual(before);
  });

  it('rejects a shop that does not exist', async () => {
    const shop = await harness.createShop();
    expect(await shop.refusal(lines(product()), { shopDomain: 'nobody.example' })).toMatch(
      /^there is no shop "nobody.example"/,
    );
  });
});

describe('an invalid line stops the import, reports file, line and member, and nothing is written', () => {
  const table: readonly [string, object | string, string][] = [
    ['no title', product({ external_id: 'p2', title: undefined }), 'title: expected text (this member is required), got nothing'],
    ['a null title', product({ title: null }), 'title: expected text (this member is required), got null'],
    ['no external_id', product({ external_id: undefined }), 'external_id: expected text (this member is required), got nothing'],
    ['an empty external_id', order({ external_id: '' }), 'external_id: expected text that is not empty, got ""'],
    ['a number as title', product({ title: 5.0 }), 'title: expected text, got 5'],
    ['no created_at', product({ created_at: undefined }), 'created_at: expected a timestamp such as 2026-01-31T12:00:00Z (this member is required), got nothing'],
    ['an unknown status', product({ status: 'active' }), 'status: expected ACTIVE, DRAFT, ARCHIVED, got "active"'],
    ['a price in words', product({ variants: [variant(), variant({ external_id: 'v2', price: 'cheap' })] }), 'variants[1].price: expected a decimal number such as 19.90, got "cheap"'],
    ['half a piece', product({ variants: [variant({ inventory_quantity: 1.5 })] }), 'variants[0].inventory_quantity: expected a whole number from -9007199254740991 to 9007199254740991, got "1.5"'],
    ['more stock than a number holds', product({ variants: [variant({ inventory_quantity: '9007199254740991' }), variant({ external_id: 'v2', inventory_quantity: 1 })] }), 'variants: expected a stock from -9007199254740991 to 9007199254740991 over all variants, got 9007199254740992'],
    ['less stock than a number holds', product({ variants: [variant({ inventory_quantity: -5 }), variant({ external_id: 'v2', inventory_quantity: '-9007199254740991' })] }), 'variants: expected a stock from -9007199254740991 to 9007199254740991 over all variants, got -9007199254740996'],
    ['a variant twice', product({ variants: [variant(), variant()] }), 'variants[1].external_id: "v1" appears twice'],
    ['an option without value', product({ variants: [variant({ options: [{ name: 'Size' }] })] }), 'variants[0].options[0].value: expected text (this member is required), got nothing'],
    ['a tag that is null', product({ tags: ['a', null] }), 'tags[1]: expected text, got null'],
    ['a currency', order({ currency: 'eur' }), 'currency: expected a currency code of three capital letters such as EUR, got "eur"'],
    ['an unknown type', { type: 'customer' }, 'type: expected shop, product, collection, order, got "customer"'],
    ['no type', {}, 'type: expected shop, product, collection, order, got nothing'],
    ['an array', '[1]', 'expected a JSON object'],
    ['broken JSON', '{"type":"order","email":"ann@b.example"', 'is not valid JSON (at column 40)'],
    ['an address as a value', order({ created_at: 'ann@b.example' }), 'created_at: expected a timestamp such as 2026-01-31T12:00:00Z, got "[e-mail address]"'],
  ]; // prettier-ignore

  it.each(table)('%s', async (_, line, message) => {
    const shop = await harness.createShop();
    const before = await shop.fingerprint();
    const file = lines(product()) + '\n' + (typeof line === 'string' ? line : JSON.stringify(line)) + '\n';
    const refused = await shop.refusal(file);
    expect(refused.replace(/^file, line 3(?:, |: )/, '')).toBe(message.replace(/^(is|expected a JSON)/, '$1'));
    expect(refused).toMatch(/^file, line 3/);
    expect(await shop.fingerprint()).toEqual(before);
  });
});
