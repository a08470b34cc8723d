import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { revokeApiKey } from '../../src/auth/api-keys';
import { demoDomain } from '../../src/demo/demo-product';
import { ensureDemoShop, placeDemoPictures } from '../../src/demo/demo-shop';
import { createShop, setShop } from '../../src/catalog/shop/shop-store';
import { loadConfig } from '../../src/config/config';
import { openDatabase } from '../../src/database/open-database';
import pictures from '../../prisma/demo/pictures.json';
import { createTestDatabase } from '../support/test-database';

const attributes = { name: null, platform: null, currency: null, plan: 'business', productLimit: null } as const;

let test: Awaited<ReturnType<typeof createTestDatabase>>;
let dataDirectory: string;

beforeEach(async () => {
  test = await createTestDatabase();
  dataDirectory = mkdtempSync(join(tmpdir(), 'catalog-demo-'));
});

afterEach(() => test.drop());

const ensure = () => ensureDemoShop(test.database, loadConfig({ DATA_DIR: dataDirectory }), Date.now);

const keyFile = () => join(dataDirectory, 'demo-api-key');

const countKeys = async () => (await test.sql('SELECT FROM api_keys')).length;

describe('the demo shop', () => {
  it('is loaded once, with a key that every later start prints again', async () => {
    const first = await ensure();
    expect(first).toEqual({ domain: demoDomain, apiKey: expect.stringMatching(/^ck_\w+\.\w+$/) as string });
    const versions = () => test.sql('SELECT domain, live_product_count, data_version FROM shops');
    const loaded = await versions();
    expect(loaded).toMatchObject([{ domain: demoDomain, live_product_count: expect.anything() as unknown }]);
    expect(await test.sql('SELECT FROM orders')).toHaveLength(970);
    expect(await ensure()).toEqual(first);
    expect(await versions()).toEqual(loaded);
    expect(await countKeys()).toBe(1);
  });

  it('has pictures that any program can load, wherever the service listens', async () => {
    await ensure();
    const read = () =>
      test.sql<{ url: string }>(
        'SELECT image_url AS url FROM products UNION ALL SELECT image_url FROM variants UNION ALL SELECT image_url FROM collections',
      );
    for (const origin of ['http://localhost:4000', 'https://shop.example/demo/api', 'http://localhost:4001']) {
      await placeDemoPictures(test.database, origin);
      const urls = (await read()).flatMap(({ url }) => url ?? []);
      expect(urls.length).toBeGreaterThan(100);
      const addresses = Object.keys(pictures).map((name) => `${origin}/demo/${name}`);
      expect(urls.filter((url) => !addresses.includes(url))).toEqual([]);
    }
    const versions = () => test.sql('SELECT data_version FROM shops');
    const before = await versions();
    await placeDemoPictures(test.database, 'http://localhost:4001');
    expect(await versions()).toEqual(before);
  });

  it('is loaded without the limits for requests, even on a slow machine', async () => {
    const hurried = openDatabase({
      url: test.url,
      poolSize: 1,
      queueSize: 0,
      statementTimeoutMilliseconds: 1,
      connectionTimeoutMilliseconds: 1,
    });
    try {
      const demo = await ensureDemoShop(hurried, loadConfig({ DATA_DIR: dataDirectory }), Date.now);
      expect(demo?.domain).toBe(demoDomain);
      expect(await ensure()).toEqual(demo);
    } finally {
      await hurried.close();
    }
  });

  it('keeps its key in a file that only its owner may read', async () => {
    const demo = await ensure();
    expect(readFileSync(keyFile(), 'utf8')).toBe(`${demo?.apiKey}\n`);
    expect(statSync(keyFile()).mode & 0o777).toBe(0o600);
  });

  it('is loaded once when two processes start at once', async () => {
    const [one, other] = await Promise.all([ensure(), ensure()]);
    expect(one).toBeDefined();
    expect(other).toEqual(one);
    expect(await countKeys()).toBe(1);
  });

  it('is loaded after a start that was interrupted before', async () => {
    await createShop(test.database, { domain: demoDomain, ...attributes });
    await ensure();
    expect(await test.sql('SELECT FROM products')).toHaveLength(63);
  });

  it.each([
    [
      'revoked',
      async (apiKey: string) => void (await revokeApiKey(test.database, apiKey.split('.')[0] ?? '', Date.now)),
    ],
    ['lost', () => Promise.resolve(rmSync(keyFile()))],
    ['damaged', () => Promise.resolve(writeFileSync(keyFile(), 'ck_x.y\n'))],
  ])('gets a new key when the old one was %s', async (_what, spoil) => {
    const first = await ensure();
    await spoil(first?.apiKey ?? '');
    const second = await ensure();
    expect(second?.apiKey).toMatch(/^ck_\w+\.\w+$/);
    expect(second?.apiKey).not.toBe(first?.apiKey);
    expect(await ensure()).toEqual(second);
  });

  it('is not added to existing shops', async () => {
    await createShop(test.database, { domain: 'own.example', ...attributes });
    expect(await ensure()).toBeUndefined();
    expect(await test.sql('SELECT FROM shops')).toHaveLength(1);
  });

  it('stays without a key when its plan allows none', async () => {
    await createShop(test.database, { domain: demoDomain, ...attributes });
    await setShop(test.database, demoDomain, { plan: 'free', productLimit: undefined });
    expect(await ensure()).toBeUndefined();
    expect(await countKeys()).toBe(0);
  });
});

describe('prisma/demo/demo-shop.ndjson', () => {
  const lines = readFileSync(join(__dirname, '../../prisma/demo/demo-shop.ndjson'), 'utf8').trim().split('\n');
  const records = lines.map(
    (line) => JSON.parse(line) as Record<string, unknown> & { type: string; external_id: string },
  );

  it('contains no e-mail address (D25)', () => expect(lines.join('\n')).not.toContain('@'));

  it('lists every object once', () => {
    const names = records.map(({ type, external_id }) => `${type} ${external_id}`);
    expect(new Set(names).size).toBe(names.length);
  });

  it('covers what shops can have: every status, decimals of several currencies, missing dates, untracked stock', () => {
    const products = records.filter(({ type }) => type === 'product');
    const orders = records.filter(({ type }) => type === 'order');
    const variants = products.flatMap(({ variants }) => variants as Record<string, unknown>[]);
    expect(new Set(products.map(({ status }) => status))).toEqual(new Set(['ACTIVE', 'DRAFT', 'ARCHIVED']));
    expect(variants.some(({ inventory_quantity }) => inventory_quantity === null)).toBe(true);
    expect(variants.some(({ inventory_quantity }) => inventory_quantity === 0)).toBe(true);
    expect(variants.some(({ compare_at_price }) => compare_at_price !== null)).toBe(true);
    expect(orders.some(({ created_at }) => created_at === null)).toBe(true);
    const decimals = (code: string) =>
      orders
        .filter(({ currency }) => currency === code)
        .map(({ total_price }) => String(total_price).split('.')[1]?.length ?? 0);
    expect([new Set(decimals('EUR')), new Set(decimals('JPY')), new Set(decimals('KWD'))]).toEqual([
      new Set([2]),
      new Set([0]),
      new Set([3]),
    ]);
  });
});
