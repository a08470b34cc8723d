import { sumDecimals } from '../../src/ingest/values/decimal-sum';
import { decodeEntities } from '../../src/ingest/values/html-entities';
import { ImportHarness, lines } from './import-harness';
import { fc } from '../support/properties';

let harness: ImportHarness;
beforeAll(async () => {
  harness = await ImportHarness.create();
});
afterAll(() => harness.close());

const order = (values: object = {}): object => ({
  id: 727,
  number: '727',
  status: 'processing',
  currency: 'USD',
  date_created: '2026-01-22T16:28:02',
  date_created_gmt: '2026-01-22T19:28:02',
  date_modified_gmt: '2026-01-22T19:30:00',
  date_paid_gmt: '2026-01-22T19:28:08',
  date_completed_gmt: null,
  shipping_total: '10.00',
  total: '29.35',
  total_tax: '1.35',
  billing: { first_name: 'Zoë', last_name: 'O&#039;Neil', email: 'zoe@b.example', phone: '1' },
  shipping: { first_name: '', last_name: '' },
  line_items: [
    { id: 1, quantity: 2, subtotal: '6.00', total: '5.00', price: 3 },
    { id: 2, quantity: 1, subtotal: '12.5', total: '12.5' },
  ],
  refunds: [],
  ...values,
});

describe("importing orders of WooCommerce's REST API", () => {
  it.each([
    ['an array', JSON.stringify([order()])],
    ['an array of many lines', JSON.stringify([order()], null, 2)],
    ['one object a line', lines(order())],
  ])('reads %s', async (_, file) => {
    const shop = await harness.createShop();
    const report = await shop.import(file);
    expect(await shop.values('orders', 'external_id', 'order_number', 'customer_name', 'currency', 'total_price', 'subtotal_price', 'total_tax', 'total_shipping', 'items_count', 'created_at', 'updated_at')).toEqual([
      ['727', '727', "Zoë O'Neil", 'USD', '29.35', '18.50', '1.35', '10.00', 3, '2026-01-22T19:28:02+00:00', '2026-01-22T19:30:00+00:00'],
    ]); // prettier-ignore
    expect(report.files[0]).toMatchObject({ format: 'woocommerce-orders-json', missingColumns: [] });
    expect(report.dropped.emails).toBe(1);
    expect(JSON.stringify(await shop.rows('orders'))).not.toContain('@');
  });

  it.each([
    ['completed', {}, 'PAID', 'FULFILLED'],
    ['wc-completed', { refunds: [{ id: 1, total: '-5.00' }] }, 'PARTIALLY_REFUNDED', 'FULFILLED'],
    ['processing', {}, 'PAID', 'UNFULFILLED'],
    ['pending', { date_paid_gmt: null }, 'PENDING', null],
    ['on-hold', {}, 'PENDING', null],
    ['failed', {}, 'PENDING', null],
    ['cancelled', {}, 'VOIDED', null],
    ['refunded', { date_completed_gmt: '2026-01-23T00:00:00' }, 'REFUNDED', 'FULFILLED'],
    ['refunded', {}, 'REFUNDED', null],
    ['packed-by-robots', {}, 'PAID', null],
    ['packed-by-robots', { date_paid_gmt: null }, 'PENDING', null],
  ])('reads the status %s with %o', async (status, values, financial, fulfillment) => {
    const shop = await harness.createShop();
    await shop.import(lines(order({ status, ...values })));
    expect(await shop.values('orders', 'financial_status', 'fulfillment_status')).toEqual([[financial, fulfillment]]);
  });

  it('leaves drafts out and reports it', async () => {
    const shop = await harness.createShop();
    const report = await shop.import(JSON.stringify([order(), order({ id: 2, status: 'checkout-draft' }), order({ id: 3, status: 'trash' })])); // prettier-ignore
    expect(report.orders.read).toBe(1);
    expect(report.warnings).toEqual([expect.stringContaining('2 drafts and deleted orders were not read')]);
  });

  it('reports the object that it cannot read', async () => {
    const shop = await harness.createShop();
    expect(await shop.refusal(JSON.stringify([order(), order({ id: 2, total: 'x' })]))).toBe(
      'file, line 1, [1].total: expected a decimal number such as 19.90, got "x"',
    );
  });
});

const product = (values: object = {}): object => ({
  id: 22,
  name: 'Mug &amp; Saucer',
  slug: 'mug',
  type: 'simple',
  status: 'publish',
  description: '<p>one</p>\n',
  sku: 'MUG',
  price: '9.00',
  regular_price: '12.50',
  sale_price: '9.00',
  on_sale: true,
  manage_stock: true,
  stock_quantity: -2,
  weight: '.5',
  date_created_gmt: '2026-01-01T00:00:00',
  date_modified_gmt: '2026-01-02T00:00:00',
  categories: [{ id: 9, name: 'Kitchen &amp; Bath', slug: 'kitchen' }],
  tags: [{ id: 1, name: 'new', slug: 'new' }],
  brands: [{ id: 4, name: 'Kiln', slug: 'kiln' }],
  images: [{ id: 1, src: 'https://a.example/1.jpg' }],
  attributes: [{ id: 6, name: 'Size', options: ['L', 'M'], variation: true }],
  variations: [],
  parent_id: 0,
  meta_data: [
    { id: 1, key: '_other', value: { a: 1 } },
    { id: 2, key: 'rank_math_title', value: 'Mugs' },
  ],
  ...values,
});

const variation = (values: object = {}): object => ({
  id: 23,
  name: 'L',
  type: 'variation',
  status: 'publish',
  parent_id: 22,
  sku: 'MUG-L',
  regular_price: '5',
  sale_price: '4',
  on_sale: false,
  manage_stock: 'parent',
  stock_quantity: 7,
  weight: '',
  image: { id: 2, src: 'https://a.example/l.jpg' },
  attributes: [{ id: 6, name: 'Size', option: 'L' }],
  menu_order: 2,
  date_created_gmt: '2026-01-01T00:00:00',
  date_modified_gmt: '2026-01-03T00:00:00',
  ...values,
});

describe("importing products of WooCommerce's REST API", () => {
  it('reads a simple product', async () => {
    const shop = await harness.createShop();
    const report = await shop.import(JSON.stringify([product()]));
    expect(report.files[0]).toMatchObject({ format: 'woocommerce-products-json', missingColumns: [] });
    expect(await shop.values('products', 'external_id', 'title', 'handle', 'status', 'vendor', 'product_type', 'tags', 'image_url', 'seo_title', 'published_at', 'created_at', 'updated_at')).toEqual([
      ['22', 'Mug & Saucer', 'mug', 'ACTIVE', 'Kiln', 'Kitchen & Bath', ['new'], 'https://a.example/1.jpg', 'Mugs', '2026-01-01T00:00:00+00:00', '2026-01-01T00:00:00+00:00', '2026-01-02T00:00:00+00:00'],
    ]); // prettier-ignore
    expect(await shop.values('variants', 'external_id', 'title', 'price', 'compare_at_price', 'inventory_quantity', 'weight', 'weight_unit', 'options')).toEqual([
      ['22', 'Default Title', '9.00', '12.50', -2, '0.5', null, []],
    ]); // prettier-ignore
    expect(await shop.values('collections', 'external_id', 'title', 'handle', 'products_count')).toEqual([
      ['9', 'Kitchen & Bath', 'kitchen', 1],
    ]);
  });

  const older = { name: undefined, type: undefined, parent_id: undefined, _links: { up: [{ href: 'https://a.example/wp-json/wc/v3/products/22' }] } }; // prettier-ignore
  it.each([
    ['beside their product', lines(variation(), product({ type: 'variable', variations: [23, 24] }), variation({ id: 24, menu_order: 1, attributes: [] }))],
    ['of older versions', lines(product({ type: 'variable', variations: [23, 24] }), variation({ ...older }), variation({ ...older, id: 24, menu_order: 1, attributes: [] }))],
    ['within their product', JSON.stringify([product({ type: 'variable', variations: [variation(), variation({ id: 24, menu_order: 1, attributes: [] })] })])],
  ])('reads variations %s', async (_, file) => {
    const shop = await harness.createShop();
    const report = await shop.import(file);
    expect(await shop.values('variants', 'external_id', 'position', 'price', 'compare_at_price', 'inventory_quantity', 'weight', 'image_url', 'options')).toEqual([
      ['23', 2, '5', null, null, '0.5', 'https://a.example/l.jpg', [{ name: 'Size', value: 'L' }]],
      ['24', 1, '5', null, null, '0.5', 'https://a.example/l.jpg', []],
    ]); // prettier-ignore
    expect(report.warnings).toEqual([expect.stringContaining('2 variations share the stock of their product')]);
  }); // prettier-ignore

  it('keeps the variants of products whose variations are in another file', async () => {
    const shop = await harness.createShop();
    const variable = product({ type: 'variable', variations: [23] });
    await shop.import(lines(variable, variation(), product({ id: 30 })));
    const report = await shop.import(lines(variable, product({ id: 30 })));
    expect(report.variants).toMatchObject({ removed: 0 });
    expect(report.warnings).toEqual([expect.stringContaining('does not have the variations of 1 variable product')]);
    await shop.import(
      lines(variable, product({ id: 40, type: 'variable', variations: [41] }), variation({ id: 41, parent_id: 40 })),
    );
    expect(await shop.values('variants', 'external_id')).toEqual([['23'], ['30'], ['41']]);
    await shop.import(lines(product({ type: 'variable', variations: undefined })));
    expect(await shop.values('variants', 'external_id')).toEqual([['23'], ['30'], ['41']]);
    await shop.import(lines(product({ type: 'variable', variations: [] })));
    expect(await shop.values('variants', 'external_id')).toEqual([['30'], ['41']]);
  });

  it('keeps what the members of the file do not provide', async () => {
    const shop = await harness.createShop();
    await shop.import(lines(product()));
    const before = await shop.values('variants', 'sku', 'price', 'inventory_quantity', 'weight');
    const { id, name, type, status, regular_price } = product() as Record<string, unknown>;
    const report = await shop.import(lines({ id, name, type, status, regular_price }));
    expect(await shop.values('variants', 'sku', 'price', 'inventory_quantity', 'weight')).toEqual(before);
    expect(await shop.values('products', 'vendor', 'handle', 'tags')).toEqual([['Kiln', 'mug', ['new']]]);
    expect(report.files[0]?.missingColumns).toContain('stock_quantity');
  });
});

describe('values of WooCommerce', () => {
  it('adds decimals up exactly', () => {
    const cents = fc.array(fc.integer({ min: -1e9, max: 1e9 }), { maxLength: 20 });
    const toText = (value: number): string => `${value < 0 ? '-' : ''}${Math.floor(Math.abs(value) / 100)}.${String(Math.abs(value) % 100).padStart(2, '0')}`; // prettier-ignore
    fc.assert(
      fc.property(cents, (values) => {
        const total = values.reduce((sum, value) => sum + value, 0);
        expect(sumDecimals(values.map(toText))).toBe(values.length === 0 ? '0' : toText(total));
      }),
      { examples: [[[]], [[0]], [[0, 0]], [[5, -5]]] },
    );
    expect(sumDecimals(['0.1', '0.2', '1', '-2.345'])).toBe('-1.045');
  });

  it.each([
    ['a &amp; b &ndash; &eacute;&#8217;&#x1F3FA;', 'a & b – é’🏺'],
    ['&amp;lt;', '&lt;'],
    ['AT&T &unknown; &#0; &#xD800; &#99999999; &', 'AT&T &unknown; &#0; &#xD800; &#99999999; &'],
  ])('decodes %s', (html, text) => {
    expect(decodeEntities(html)).toBe(text);
  });
});
