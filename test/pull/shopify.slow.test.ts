import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createShopify } from '../../src/ingest/pull/shopify';
import { ImportHarness, lines, now, type ShopUnderImport } from '../ingest/import-harness';
import { fc } from '../support/properties';
import type { Fault, PlatformServer } from './platform-server';
import { failure, pull } from './pull-harness';
import { newShopifyShop, shopifyToken, startShopify, type ShopifyShop } from './shopify-shop';

const platform = createShopify({ token: shopifyToken });

let harness: ImportHarness;
let shop: ShopUnderImport;
let shopify: ShopifyShop;
let server: PlatformServer;

beforeAll(async () => {
  harness = await ImportHarness.create();
});
afterAll(() => harness.close());

beforeEach(async () => {
  shop = await harness.createShop();
  shopify = newShopifyShop(results(3));
  server = await startShopify(shopify);
});
afterEach(() => server.close());

const at = '2026-01-31T12:00:00Z';

const results = (count: number): Record<string, string> => ({
  products: lines(
    ...Array.from({ length: count }, (_, n) => [
      {
        id: `gid://shopify/Product/${n + 1}`,
        title: `Mug ${n}`,
        handle: `mug-${n}`,
        status: 'ACTIVE',
        vendor: 'Acme',
        productType: 'Cups',
        tags: ['a'],
        descriptionHtml: '<p>A</p>',
        seo: { title: null, description: 'D' },
        featuredMedia: { preview: { image: { url: 'https://cdn.example/a.jpg' } } },
        onlineStoreUrl: `https://tea.example/products/mug-${n}`,
        collectionsSelected: 'Product',
        publishedAt: at,
        createdAt: at,
        updatedAt: at,
      },
      {
        id: `gid://shopify/ProductVariant/${n + 101}`,
        title: 'S',
        sku: `s${n}`,
        barcode: null,
        price: '12.00',
        compareAtPrice: '15.00',
        inventoryQuantity: 7,
        position: 1,
        selectedOptions: [{ name: 'Size', value: 'S' }],
        image: null,
        createdAt: at,
        updatedAt: at,
        inventoryItem: {
          tracked: true,
          unitCost: { amount: '4.0' },
          measurement: { weight: { value: 0.3, unit: 'KILOGRAMS' } },
        },
        __parentId: `gid://shopify/Product/${n + 1}`,
      },
      {
        id: `gid://shopify/MediaImage/${n + 501}`,
        image: { url: 'https://cdn.example/a.jpg', altText: 'Red' },
        __parentId: `gid://shopify/Product/${n + 1}`,
      },
      { id: 'gid://shopify/Collection/3', __parentId: `gid://shopify/Product/${n + 1}` },
    ]).flat(),
  ),
  collections: lines(
    {
      id: 'gid://shopify/Collection/3',
      title: 'Cups',
      handle: 'cups',
      descriptionHtml: '<p>A</p>',
      updatedAt: at,
      seo: { title: 'T', description: null },
      image: { url: 'https://cdn.example/c.jpg' },
      productsCount: { count },
      ruleSet: { appliedDisjunctively: false },
    },
    {
      id: 'gid://shopify/Collection/4',
      title: 'Gifts',
      handle: 'gifts',
      descriptionHtml: '',
      updatedAt: at,
      seo: { title: null, description: null },
      image: null,
      productsCount: { count: 0 },
      ruleSet: null,
    },
  ),
  orders: lines(
    {
      id: 'gid://shopify/Order/5',
      name: '#1001',
      currencyCode: 'EUR',
      totalPriceSet: { shopMoney: { amount: '39.90' } },
      subtotalPriceSet: { shopMoney: { amount: '35.0' } },
      totalTaxSet: { shopMoney: { amount: '0.00' } },
      totalShippingPriceSet: { shopMoney: { amount: '4.90' } },
      displayFinancialStatus: 'PAID',
      displayFulfillmentStatus: 'UNFULFILLED',
      tags: ['b'],
      billingAddress: { firstName: 'Ann', lastName: 'Berg' },
      shippingAddress: null,
      customer: null,
      createdAt: at,
      updatedAt: at,
    },
    {
      id: 'gid://shopify/LineItem/6',
      name: 'Mug - S',
      sku: 's0',
      quantity: 2,
      originalUnitPriceSet: { shopMoney: { amount: '20.0' } },
      discountedTotalSet: { shopMoney: { amount: '35.0' } },
      product: { id: 'gid://shopify/Product/1' },
      variant: { id: 'gid://shopify/ProductVariant/101' },
      __parentId: 'gid://shopify/Order/5',
    },
  ),
});

describe('catalog pull shopify', () => {
  it('reads products, variants with costs and stock, collections and orders by bulk operations', async () => {
    const { report } = await pull(shop, platform, server.url);
    expect(report.files.map(({ format, records, missingColumns }) => [format, records, missingColumns])).toEqual([
      ['shopify-products-bulk', 3, []],
      ['shopify-collections-bulk', 2, []],
      ['shopify-orders-bulk', 1, []],
    ]);
    expect(
      await shop.values('variants', 'external_id', 'price', 'cost_price', 'inventory_quantity', 'weight'),
    ).toContainEqual(['101', '12.00', '4.0', 7, '0.3']);
    expect((await shop.rows('products'))[0]).toMatchObject({
      url: 'https://tea.example/products/mug-0',
      images: [{ url: 'https://cdn.example/a.jpg', alt_text: 'Red', position: null }],
      memberships: [{ collection_external_id: '3', position: null }],
    });
    expect(
      await shop.values('collections', 'external_id', 'title', 'collection_type', 'products_count', 'published'),
    ).toEqual([
      ['3', 'Cups', 'smart', 3, true],
      ['4', 'Gifts', 'manual', 0, true],
    ]);
    expect((await shop.rows('orders'))[0]).toMatchObject({
      external_id: '5',
      order_number: '#1001',
      customer_name: 'Ann Berg',
      currency: 'EUR',
      items_count: 2,
      line_items: [
        {
          title: 'Mug - S',
          sku: 's0',
          quantity: 2,
          unit_price: '20.0',
          total: '35.0',
          product_external_id: '1',
          variant_external_id: '101',
        },
      ],
    });
    expect(report.lastSyncAt).toBe(now);
    const again = await pull(shop, platform, server.url);
    expect(again.report.products).toMatchObject({ unchanged: 3, updated: 0, created: 0 });
    expect(again.report.collections).toMatchObject({ unchanged: 2 });
    expect(again.report.orders).toMatchObject({ unchanged: 1 });
  });

  it('asks for everything that the formats read, and for no address of e-mail', async () => {
    await pull(shop, platform, server.url);
    expect(shopify.started).toHaveLength(3);
    for (const query of shopify.started) expect(query).not.toMatch(/mail|phone|address1|note/i);
  });

  it('comes to the same whatever faults there are, as long as they pass', async () => {
    shopify.results['products'] = results(300)['products'] ?? '';
    const fault = fc.oneof(
      fc.constant(undefined),
      fc.constantFrom<Fault>(
        'cut',
        'reset',
        { status: 429, headers: { 'Retry-After': '2.0' } },
        { status: 502 },
        { status: 503 },
      ),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fault, { maxLength: 14 }),
        fc.record({
          busy: fc.nat({ max: 3 }),
          throttled: fc.nat({ max: 3 }),
          lost: fc.nat({ max: 2 }),
          failures: fc.nat({ max: 2 }),
        }),
        async (faults, { busy, throttled, lost, failures }) => {
          const own = await harness.createShop();
          const ended = { status: 'FAILED', errorCode: 'TIMEOUT' };
          const isTooMuch = lost > 0 && failures > 0;
          Object.assign(shopify, { busy, throttled, lost: isTooMuch ? 0 : lost, started: [] });
          shopify.endings = Array.from({ length: failures }, () => ended);
          // No request meets more of them than it is repeated.
          server.faults = faults.flatMap((one, n) => (n % 6 === 5 ? [one, undefined] : [one]));
          const { report } = await pull(own, platform, server.url);
          expect([report.products.created, report.collections.created, report.orders.created]).toEqual([300, 2, 1]);
        },
      ),
      { numRuns: 15 },
    );
  });

  it('resumes a result that broke off', async () => {
    const { url } = server;
    shopify.results['products'] = results(500)['products'] ?? '';
    const isDownload = () => server.seen.some((one) => one.url.pathname.startsWith('/results/'));
    // The first request of a result is the fourth: start, two looks, result.
    server.faults = [undefined, undefined, undefined, 'cut'];
    await pull(shop, platform, url, { types: ['products'] });
    expect(isDownload()).toBe(true);
    const ranges = server.seen
      .filter((one) => one.url.pathname.startsWith('/results/'))
      .map((one) => one.headers.range);
    expect(ranges).toEqual([undefined, expect.stringMatching(/^bytes=\d{3,}-$/)]);
    expect(await shop.rows('products')).toHaveLength(500);
  });

  it('waits for the operations of the same app, and for the bucket of points', async () => {
    Object.assign(shopify, { busy: 2, throttled: 1 });
    const { waits, log } = await pull(shop, platform, server.url, { types: ['orders'] });
    // The bucket, two turns of the queue, and a look.
    expect(waits).toEqual([5000, 10_000, 10_000, 1000]);
    expect(log).toContain('orders: waiting for another bulk operation of this app in the shop');
  });

  it('gives up on an operation that fails three times', async () => {
    shopify.endings = Array.from({ length: 3 }, () => ({ status: 'FAILED', errorCode: 'INTERNAL_SERVER_ERROR' }));
    expect(await failure(pull(shop, platform, server.url))).toBe(
      `${server.url.host}: products: the bulk operation ended with status FAILED (INTERNAL_SERVER_ERROR) after 3 attempts; try again later`,
    );
  });

  it('continues with the operation that runs already', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'pull-test-'));
    server.faults = [undefined, undefined, ...Array.from({ length: 8 }, (): Fault => 'reset')];
    await failure(pull(shop, platform, server.url, { directory }));
    const { report } = await pull(shop, platform, server.url, { directory });
    expect(report.products.created).toBe(3);
    expect(shopify.started).toHaveLength(3);
    expect(readdirSync(directory)).toEqual([]);
  });

  it('reads what changed since a time', async () => {
    await pull(shop, platform, server.url, {
      types: ['products'],
      since: { text: 'x', at: () => '2026-02-01T00:00:00.000Z' },
    });
    expect(shopify.started[0]).toContain(`products(query: "updated_at:>='2026-02-01T00:00:00.000Z'")`);
  });

  it('gets a token with client credentials', async () => {
    const own = createShopify({ clientId: 'app', clientSecret: 'shpss_0123' });
    expect((await pull(shop, own, server.url)).report.products.created).toBe(3);
    const wrong = createShopify({ clientId: 'app', clientSecret: 'shpss_wrong' });
    const message = await failure(pull(shop, wrong, server.url));
    expect(message).toContain('returned 400 (Client authentication failed)');
    expect(message).toContain('SHOPIFY_CLIENT_ID');
    expect(message).not.toContain('shpss_wrong');
  });

  it.each([
    ['a token that may not read', { status: 'FAILED', errorCode: 'ACCESS_DENIED' }, 'read_products'],
    ['an operation that was cancelled', { status: 'CANCELED' }, 'ended with status CANCELED after 3 attempts'],
  ])('explains %s', async (_, ending, message) => {
    shopify.endings = [ending, ending, ending];
    expect(await failure(pull(shop, platform, server.url))).toContain(message);
  });

  it('says which settings a refused token is in, and nothing of the token', async () => {
    const message = await failure(pull(shop, createShopify({ token: 'shpat_wrong' }), server.url));
    expect(message).toContain('SHOPIFY_TOKEN');
    expect(message).not.toContain('shpat_wrong');
  });

  it('shows no signature of an address', async () => {
    server.faults = [undefined, undefined, undefined, ...Array.from({ length: 8 }, (): Fault => ({ status: 503 }))];
    expect(await failure(pull(shop, platform, server.url))).not.toContain('signature');
  });
});
