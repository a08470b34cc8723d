import { mkdtempSync, readdirSync, readFileSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importedColumnsOf } from '../../src/catalog/model';
import { createShopify } from '../../src/ingest/pull/shopify';
import { samples } from '../ingest/format-samples';
import { now, type ShopUnderImport, useImportHarness } from '../ingest/import-harness';
import { fc } from '../support/properties';
import type { Fault, PlatformServer } from './platform-server';
import { failure, pull } from './pull-harness';
import { newShopifyShop, shopifyToken, startShopify, type ShopifyShop } from './shopify-shop';

const platform = createShopify({ token: shopifyToken });

let shop: ShopUnderImport;
let shopify: ShopifyShop;
let server: PlatformServer;

const harness = useImportHarness();

const run = (options?: Parameters<typeof pull>[3]) => pull(shop, platform, server.url, options);

beforeEach(async () => {
  shop = await harness.createShop();
  shopify = newShopifyShop(results(3));
  server = await startShopify(shopify);
});
afterEach(() => server.close());

const results = (count: number): Record<string, string> => ({
  products: Array.from({ length: count }, (_, n) =>
    samples['shopify-products-bulk']
      .replaceAll('Product/1"', `Product/${n + 1}"`)
      .replaceAll('ProductVariant/2"', `ProductVariant/${n + 101}"`)
      .replaceAll('"handle":"mug"', `"handle":"mug-${n}"`),
  ).join(''),
  collections: samples['shopify-collections-bulk'].replace(/.*Product\/1".*\n/, (line) =>
    Array.from({ length: count }, (_, n) => line.replace('Product/1"', `Product/${count - n}"`)).join(''),
  ),
  orders: samples['shopify-orders-bulk'],
});

describe('catalog pull shopify', () => {
  it('stores what an import of the results of its bulk operations does', async () => {
    const { report } = await run();
    expect(report.files.map(({ format, records }) => [format, records])).toEqual([
      ['shopify-products-bulk', 3],
      ['shopify-collections-bulk', 2],
      ['shopify-orders-bulk', 1],
    ]);
    const other = await harness.createShop();
    for (const [type, text] of Object.entries(shopify.results))
      await other.importFiles([await harness.write(text, type)]);
    for (const table of ['products', 'variants', 'collections', 'orders'] as const) {
      const columns = importedColumnsOf(table).map(({ name }) => name);
      const stored = await shop.values(table, ...columns);
      expect(stored).not.toEqual([]);
      expect(stored).toEqual(await other.values(table, ...columns));
    }
    expect(report.lastSyncAt).toBe(now);
    const again = await run();
    expect(again.report.products).toMatchObject({ unchanged: 3, updated: 0, created: 0 });
    expect(again.report.collections).toMatchObject({ unchanged: 2 });
    expect(again.report.orders).toMatchObject({ unchanged: 1 });
  });

  it('requests everything that the formats read, and no e-mail addresses', async () => {
    await run();
    expect(shopify.started).toHaveLength(3);
    for (const query of shopify.started) expect(query).not.toMatch(/mail|phone|address1|note/i);
  });

  it('has the same result despite any transient failures', async () => {
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
          shopify.endings = new Array<typeof ended>(failures).fill(ended);
          // No request meets more faults than it has retries.
          server.faults = faults.flatMap((one, n) => (n % 6 === 5 ? [one, undefined] : [one]));
          const { report } = await pull(own, platform, server.url);
          expect([report.products.created, report.collections.created, report.orders.created]).toEqual([300, 2, 1]);
        },
      ),
      { numRuns: 15 },
    );
  });

  it('resumes an interrupted download', async () => {
    const { url } = server;
    shopify.results['products'] = results(500)['products'] ?? '';
    const isDownload = () => server.seen.some((one) => one.url.pathname.startsWith('/results/'));
    // The fourth request is the first of the result: start, two polls, result.
    server.faults = [undefined, undefined, undefined, 'cut'];
    await pull(shop, platform, url, { types: ['products'] });
    expect(isDownload()).toBe(true);
    const ranges = server.seen
      .filter((one) => one.url.pathname.startsWith('/results/'))
      .map((one) => one.headers.range);
    expect(ranges).toEqual([undefined, expect.stringMatching(/^bytes=\d{3,}-$/)]);
    expect(await shop.rows('products')).toHaveLength(500);
  });

  it("waits for the operations of the same app, and for the rate limit's points", async () => {
    Object.assign(shopify, { busy: 2, throttled: 1 });
    const { waits, log } = await run({ types: ['orders'] });
    // The rate limit, two turns of the queue, and a poll.
    expect(waits).toEqual([5000, 10_000, 10_000, 1000]);
    expect(log).toContain('orders: waiting for another bulk operation of this app in the shop');
  });

  it('gives up on an operation that fails three times', async () => {
    shopify.endings = Array.from({ length: 3 }, () => ({ status: 'FAILED', errorCode: 'INTERNAL_SERVER_ERROR' }));
    expect(await failure(run())).toBe(
      `${server.url.host}: products: the bulk operation ended with status FAILED (INTERNAL_SERVER_ERROR) after 3 attempts; try again later`,
    );
  });

  it('continues with an operation that is already running', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'pull-test-'));
    server.faults = [undefined, undefined, ...Array.from({ length: 8 }, (): Fault => 'reset')];
    await failure(run({ directory }));
    const { report } = await run({ directory });
    expect(report.products.created).toBe(3);
    expect(shopify.started).toHaveLength(3);
    expect(readdirSync(directory)).toEqual([]);
  });

  it('downloads a result again whose file has lost its end, as in a power failure', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'pull-test-'));
    server.faults = [...Array<undefined>(4), ...Array.from({ length: 8 }, (): Fault => 'reset')];
    await failure(run({ directory }));
    const file = join(directory, 'products.ndjson');
    const written = readFileSync(file, 'utf8');
    expect(written).toBe(shopify.results['products']);
    truncateSync(file, written.lastIndexOf('gid://shopify/Product/3') - '{"id":"'.length);
    const { report } = await run({ directory });
    expect([report.products.created, shopify.started.length]).toEqual([3, 3]);
  });

  it('keeps the order of collections where only products changed, and reads that of collections that did', async () => {
    const members = async () =>
      (await shop.values('products', 'memberships')).map(
        ([list]) => (list as { position: number | null }[])[0]?.position,
      );
    await run();
    const since = { text: '1h', at: '2026-02-01T00:00:00.000Z' };
    const { products = '', collections = '' } = shopify.results;
    Object.assign(shopify.results, { products: products.replace('"Mug"', '"Mug, blue"'), collections: '' });
    const first = await run({ since });
    expect([first.report.products.updated, first.report.changes.memberships, await members()]).toEqual([
      1,
      0,
      [3, 2, 1],
    ]);
    const [own = '', ...others] = collections.split('\n');
    const [last, ...rest] = others.slice(0, 3).reverse();
    Object.assign(shopify.results, { products: '', collections: `${[own, ...rest, last].join('\n')}\n` });
    const second = await run({ since });
    expect([second.report.changes.memberships, await members()]).toEqual([2, [3, 1, 2]]);
  });

  it('reads what changed since a time', async () => {
    await run({
      types: ['products'],
      since: { text: 'x', at: '2026-02-01T00:00:00.000Z' },
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
    server.faults = [{ status: 404 }];
    expect(await failure(pull(shop, wrong, server.url))).toContain('myshopify.com URL');
  });

  it.each([
    ['a token that may not read', { status: 'FAILED', errorCode: 'ACCESS_DENIED' }, 'read_products'],
    ['an operation that was canceled', { status: 'CANCELED' }, 'ended with status CANCELED after 3 attempts'],
  ])('explains %s', async (_, ending, message) => {
    shopify.endings = [ending, ending, ending];
    expect(await failure(run())).toContain(message);
  });

  it('names the settings of a refused token, but shows nothing of it', async () => {
    const message = await failure(pull(shop, createShopify({ token: 'shpat_wrong' }), server.url));
    expect(message).toContain('SHOPIFY_TOKEN');
    expect(message).not.toContain('shpat_wrong');
  });

  it('shows no signature of a URL', async () => {
    server.faults = [undefined, undefined, undefined, ...Array.from({ length: 8 }, (): Fault => ({ status: 503 }))];
    expect(await failure(run())).not.toContain('signature');
  });
});
