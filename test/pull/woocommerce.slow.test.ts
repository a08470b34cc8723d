import { mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createWooCommerce } from '../../src/ingest/pull/woocommerce';
import { now, type ShopUnderImport, useImportHarness } from '../ingest/import-harness';
import { fc } from '../support/properties';
import type { Fault, PlatformServer } from './platform-server';
import { json, startPlatform } from './platform-server';
import { failure, pull } from './pull-harness';
import { startWooCommerce, wooKey, wooOrder, wooProduct, wooVariation, type WooShop } from './woocommerce-shop';

const platform = createWooCommerce(wooKey);

let shop: ShopUnderImport;
let woo: WooShop;
let server: PlatformServer;

const harness = useImportHarness();

const run = (options?: Parameters<typeof pull>[3]) => pull(shop, platform, server.url, options);

/** A failure for each attempt of a request. */
const outage = Array.from({ length: 8 }, (): Fault => ({ status: 503 }));

beforeEach(async () => {
  shop = await harness.createShop();
  woo = { products: [], variations: new Map(), orders: [] };
  server = await startWooCommerce(woo);
});
afterEach(() => server.close());

function fill(products: number, orders: number): void {
  woo.products = Array.from({ length: products }, (_, n) => wooProduct(n + 1));
  woo.orders = Array.from({ length: orders }, (_, n) => wooOrder(100_000 + n));
}

function addVariable(id: number, variations: number): void {
  const all = Array.from({ length: variations }, (_, n) => wooVariation(id * 1000 + n, `Size ${n}`));
  woo.products.push(wooProduct(id, { type: 'variable', variations: all.map((variation) => variation.id) }));
  woo.variations.set(id, all);
}

const ids = async (table: 'products' | 'variants' | 'orders'): Promise<number[]> =>
  (await shop.values(table, 'external_id')).map(([id]) => Number(id)).sort((a, b) => a - b);

describe('catalog pull woocommerce', () => {
  it('reads products with all of their variations, categories and orders, over several pages', async () => {
    fill(205, 101);
    addVariable(900, 130);
    woo.orders.push(wooOrder(200_000, { refunds: [{ id: 5, total: '-5.00' }] }));
    const { report } = await run();
    expect(report.products).toMatchObject({ read: 206, created: 206 });
    expect(report.variants).toMatchObject({ read: 205 + 130, created: 205 + 130 });
    expect(report.orders).toMatchObject({ read: 102, created: 102 });
    expect(await shop.values('collections', 'external_id', 'title', 'handle', 'products_count')).toEqual([
      ['9', 'Cups & more', 'cups', 206],
    ]);
    const [order] = (await shop.rows('orders')).filter(({ external_id: id }) => id === '200000');
    expect(order).toMatchObject({
      customer_name: 'Ann Berg',
      total_price: '39.90',
      subtotal_price: '35.00',
      financial_status: 'PARTIALLY_REFUNDED',
      fulfillment_status: 'UNFULFILLED',
      items_count: 2,
      line_items: [
        {
          title: 'Mug & cup',
          sku: 'S1',
          quantity: 2,
          unit_price: '17.50',
          total: '33.00',
          product_external_id: '1',
          variant_external_id: '1',
        },
      ],
    });
    expect((await shop.rows('products')).find(({ external_id: id }) => id === '1')).toMatchObject({
      url: 'https://shop.example/product/1',
      images: [{ url: 'https://shop.example/a.jpg', alt_text: 'Red', position: null }],
      memberships: [{ collection_external_id: '9', position: 0 }],
    });
    expect(report.files).toEqual([
      expect.objectContaining({ file: `products of ${server.url.host}`, missingColumns: [] }),
      expect.objectContaining({ file: `orders of ${server.url.host}`, missingColumns: [] }),
    ]);
    expect(report.lastSyncAt).toBe(now);
    expect(report.dropped.emails).toBe(0);
  });

  it('changes nothing when it is repeated', async () => {
    fill(120, 5);
    addVariable(900, 3);
    await run();
    const before = await shop.fingerprint();
    const { report } = await run();
    expect(report.products).toMatchObject({ unchanged: 121, updated: 0, created: 0 });
    expect(report.orders).toMatchObject({ unchanged: 5, updated: 0 });
    const withoutShop = (rows: unknown) => (rows as { t: string }[]).filter(({ t }) => t !== 'shops');
    expect(withoutShop(await shop.fingerprint())).toEqual(withoutShop(before));
  });

  it('requests only the names of people, and sends the key in no URL', async () => {
    fill(1, 1);
    await run();
    for (const { url } of server.seen) {
      expect(url.href).not.toMatch(/ck_0123|cs_4567/);
      const fields = url.searchParams.get('_fields')?.split(',') ?? [];
      expect(fields).not.toEqual([]);
      expect(fields.filter((field) => /mail|phone|note|^billing$|^shipping$/.test(field))).toEqual([]);
    }
  });

  it('misses nothing that existed throughout, whatever is deleted and added meanwhile', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ after: fc.nat({ max: 6 }), share: fc.double({ min: 0, max: 1, noNaN: true }) }), {
          maxLength: 8,
        }),
        fc.integer({ min: 195, max: 420 }),
        async (deletions, size) => {
          const own = await harness.createShop();
          fill(size, 0);
          const deleted = new Set<number>();
          server.seen.length = 0;
          const changing = await startWooCommerce(
            new Proxy(woo, {
              get(target, name: keyof WooShop) {
                if (name === 'products') {
                  const requests = changing.seen.length;
                  for (const { after, share } of deletions.filter((one) => one.after === requests - 1)) {
                    const victim = target.products[Math.floor(share * (target.products.length - 1))];
                    if (victim === undefined || after < 0) continue;
                    target.products = target.products.filter((one) => one !== victim);
                    deleted.add(victim.id);
                    target.products.push(wooProduct(10_000 + deleted.size + size));
                  }
                }
                return target[name];
              },
            }),
          );
          try {
            await pull(own, platform, changing.url, { types: ['products'] });
            const found = new Set((await own.values('products', 'external_id')).map(([id]) => Number(id)));
            const missed = Array.from({ length: size }, (_, n) => n + 1).filter(
              (id) => !deleted.has(id) && !found.has(id),
            );
            expect(missed).toEqual([]);
          } finally {
            await changing.close();
          }
        },
      ),
      { numRuns: 12 },
    );
  });

  it('has the same result despite any transient failures', async () => {
    fill(230, 3);
    addVariable(900, 4);
    const fault: fc.Arbitrary<Fault | undefined> = fc.oneof(
      fc.constant(undefined),
      fc.constantFrom<Fault>('cut', 'reset', 'no JSON', 'byte order mark'),
      fc.constantFrom(429, 408, 500, 502, 503, 504, 520).map((status) => ({ status, body: 'Bad Gateway' })),
      fc.constantFrom(0, 1, 300).map((seconds) => ({ status: 429, headers: { 'Retry-After': String(seconds) } })),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fault, { maxLength: 7 }), async (faults) => {
        const own = await harness.createShop();
        server.faults = [...faults];
        const { report, waits } = await pull(own, platform, server.url);
        expect([report.products.created, report.variants.created, report.orders.created]).toEqual([231, 234, 3]);
        const asked = faults.flatMap((one) =>
          one === undefined || one === 'byte order mark'
            ? []
            : [(Number(typeof one === 'object' && one.headers?.['Retry-After']) || 0.5) * 1000],
        );
        expect(waits.length).toBe(asked.length);
        for (const [at, wait] of waits.entries()) expect(wait).toBeGreaterThanOrEqual(asked[at] as number);
      }),
      { numRuns: 15 },
    );
  });

  it('gives up after eight attempts, and writes nothing', async () => {
    fill(5, 0);
    const before = await shop.fingerprint();
    server.faults = [...outage];
    expect(await failure(run())).toBe(`${server.url.host}: returned 503 after 8 attempts; try again later`);
    expect(await shop.fingerprint()).toEqual(before);
  });

  it('does not wait longer than a quarter of an hour', async () => {
    server.faults = [{ status: 429, headers: { 'Retry-After': '86400' } }];
    expect(await failure(run())).toBe(`${server.url.host}: returned 429; try again in 1440 minutes`);
  });

  it('continues in its directory after an interruption, and removes its files at the end', async () => {
    fill(450, 2);
    const directory = mkdtempSync(join(tmpdir(), 'pull-test-'));
    server.faults = [undefined, undefined, ...outage];
    expect(await failure(run({ directory }))).toContain('after 8 attempts');
    expect(readdirSync(directory).sort()).toEqual(['products.ndjson', 'pull.json']);
    expect(statSync(join(directory, 'products.ndjson')).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(directory, 'products.ndjson'), 'utf8')).not.toContain('@');

    expect(await failure(run({ directory, types: ['orders'] }))).toContain(
      ': repeat that command, or use another directory',
    );

    server.seen.length = 0;
    const { report, log } = await run({ directory, dryRun: true });
    expect(server.seen[0]?.url.searchParams.get('offset')).toBe('198');
    expect(log).toContain('Continuing with the products after ID 199.');
    expect(log).toContain('products: 450 of 450');
    expect(report.products.created).toBe(450);
    expect(report.orders.created).toBe(2);
    expect(readdirSync(directory)).toEqual([]);
  });

  it('starts over if its files are more than a day old', async () => {
    fill(150, 0);
    const directory = mkdtempSync(join(tmpdir(), 'pull-test-'));
    server.faults = [undefined, ...outage];
    await failure(run({ directory }));
    server.seen.length = 0;
    const later = Date.parse(now) + 25 * 3_600_000;
    const { report } = await run({ directory, clock: () => later });
    expect(server.seen[0]?.url.searchParams.get('offset')).toBe('0');
    expect(report.products.created).toBe(150);
    expect(report.lastSyncAt).toBe(new Date(later).toISOString());
  });

  it('reads what changed since a time, and leaves the rest, including the product counts of categories', async () => {
    fill(3, 2);
    await run();
    const date_modified_gmt = '2026-02-28T23:00:00';
    const cups = { id: 9, name: 'Cups', slug: 'cups' };
    woo.products[1] = wooProduct(2, { date_modified_gmt, categories: [] });
    woo.products[2] = wooProduct(3, { date_modified_gmt, categories: [cups, { id: 10, name: 'New', slug: 'new' }] });
    const { report } = await run({
      since: { text: '1d', at: new Date(Date.parse(now) - 86_400_000).toISOString() },
    });
    expect(report.products).toMatchObject({ read: 2, updated: 2 });
    expect(report.collections).toMatchObject({ read: 2, created: 1 });
    expect(await ids('products')).toEqual([1, 2, 3]);
    expect(await shop.values('collections', 'title', 'products_count')).toEqual([
      ['New', 1],
      ['Cups', 3],
    ]);
    const memberships = (await shop.values('products', 'memberships')) as readonly {
      collection_external_id: string;
    }[][][];
    expect(memberships.map(([some = []]) => some.map((one) => one.collection_external_id))).toEqual([
      ['9'],
      [],
      ['9', '10'],
    ]);
  });

  it('resumes with the time since when the interrupted pull read changes', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'pull-test-'));
    fill(150, 0);
    server.faults = [undefined, ...outage];
    const at = '2025-06-30T12:00:00.000Z';
    await failure(run({ directory, since: { text: '1h', at } }));
    await run({ directory, since: { text: '1h', at: now } });
    const times = server.seen.map(({ url }) => url.searchParams.get('modified_after'));
    expect(new Set(times)).toEqual(new Set(['2025-06-30T11:00:00.000']));
  });

  it('removes with --replace what the platform no longer has, but not everything', async () => {
    fill(20, 20);
    await run();
    woo.products.pop();
    const { report } = await run({ replace: true });
    expect(report.products).toMatchObject({ unchanged: 19, removed: 1 });
    woo.orders = [];
    const directory = mkdtempSync(join(tmpdir(), 'pull-test-'));
    expect(await failure(run({ replace: true, directory }))).toContain('orders');
    expect(readdirSync(directory)).toEqual([]);
    expect(await ids('orders')).toHaveLength(20);
  });

  it('reads a platform that has only drafts of orders', async () => {
    fill(1, 0);
    woo.orders.push(wooOrder(1, { status: 'checkout-draft' }));
    const { report } = await run({ replace: true });
    expect(report.products.created).toBe(1);
    expect(report.orders.read).toBe(0);
  });

  it('ends if the platform counts objects that it does not list', async () => {
    fill(150, 0);
    const hiding = await startPlatform(({ url }) => {
      const offset = Number(url.searchParams.get('offset'));
      const shown = woo.products.slice(offset, offset + 100).filter(({ id }) => id <= 100);
      return json(shown, { 'X-WP-Total': '150' });
    });
    try {
      expect(await failure(pull(shop, platform, hiding.url))).toContain('ended after ID 100');
      expect(hiding.seen.length).toBeLessThan(200);
    } finally {
      await hiding.close();
    }
  });

  it.each([
    ['another order of lists', () => ({ body: '[{"id":2},{"id":1}]' }), 'sorted by id as requested'],
    ['no list', () => ({ body: '{}' }), 'is this a WooCommerce shop?'],
    ['no REST API', () => ({ status: 404 }), 'its permalinks are not set to plain'],
    [
      'a redirect',
      () => ({ status: 301, headers: { Location: 'https://www.shop.example/x?secret=1' } }),
      'redirects to https://www.shop.example/x: set --url to that URL without the API path',
    ],
  ] as const)('explains %s', async (_, fault: () => Fault, message) => {
    fill(1, 0);
    server.faults = [fault()];
    expect(await failure(run())).toContain(message);
  });

  it('names the settings of a refused key, but shows nothing of it', async () => {
    fill(1, 0);
    const message = await failure(pull(shop, createWooCommerce({ key: 'ck_x', secret: 'cs_y' }), server.url));
    expect(message).toContain('returned 401 (Sorry, you cannot list resources.)');
    expect(message).toContain('WOOCOMMERCE_KEY');
    expect(message).not.toMatch(/ck_x|cs_y/);
  });
});
