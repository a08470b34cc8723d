import type { Browser, BrowserContext, Locator, Page, Request } from 'playwright-core';
import { devices } from 'playwright-core';
import { readViewDocument, views } from '../../src/http/endpoints/dashboard/views';
import type { RateLimiter } from '../../src/rate-limit/rate-limiter';
import { createMemoryRateLimiter } from '../../src/rate-limit/memory-rate-limiter';
import type { RunningApp } from '../support/app';
import { startApp } from '../support/app';
import {
  backgroundOf,
  describeInChromium,
  desk,
  findViolations,
  launchChromium,
  openWatched,
  overflowOf,
  withoutInternet,
} from '../support/chromium';
import { keepSecret } from '../support/private-texts';
import { seedApiKey } from '../support/seed';
import type { Sql, TestDatabase } from '../support/test-database';
import { createTestDatabase } from '../support/test-database';
import { seedFigures } from './seed-figures';

const phone = { ...desk, viewport: { width: 320, height: 640 }, isMobile: true, hasTouch: true };
const widePhone = { ...phone, viewport: devices['Pixel 5'].viewport };
const windows = [
  ['desk', 'light', desk],
  ['desk', 'dark', desk],
  ['narrow phone', 'light', phone],
  ['phone', 'dark', widePhone],
] as const;

/** Tiles that run without being asked to. */
const runsAlone = views.map(({ id }) => id).filter((id) => id !== 'search' && id !== 'detail');

describeInChromium('the dashboard in Chromium, without the internet', () => {
  let database: TestDatabase;
  let sql: Sql;
  let service: RunningApp;
  let browser: Browser;
  let shopId: string;
  let apiKey: string;
  const contexts: BrowserContext[] = [];
  const others: RunningApp[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    ({ sql } = database);
    shopId = await seedFigures(sql, Date.now());
    apiKey = (await seedApiKey(sql, shopId)).apiKey;
    service = await startApp({ database: database.database }, { RATE_LIMIT_REQUESTS: '10000' });
    browser = await launchChromium(withoutInternet);
  });
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()));
    for (const { app } of others.splice(0)) await app.close();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.app.close();
    await database?.drop();
  });

  const start = async (parts: object, settings: Readonly<Record<string, string>> = {}): Promise<RunningApp> => {
    const app = await startApp({ database: database.database, ...parts }, settings);
    others.push(app);
    return app;
  };

  /** A watched page, and what it sends to /graphql. */
  async function open(options: Parameters<Browser['newContext']>[0] = desk, { origin } = service) {
    const sent: { query: string; variables: unknown }[] = [];
    const onRequest = (request: Request) => {
      if (request.url() === `${origin}/graphql`) sent.push(request.postDataJSON() as (typeof sent)[number]);
    };
    const { context, ...opened } = await openWatched(browser, `${origin}/dashboard`, { ...options, onRequest });
    contexts.push(context);
    return { ...opened, sent };
  }

  async function openWithKey(options?: Parameters<Browser['newContext']>[0], key = apiKey, app = service) {
    const opened = await open(options, app);
    await giveKey(opened.page, key);
    return opened;
  }

  async function openShown(options?: Parameters<Browser['newContext']>[0]) {
    const opened = await openWithKey(options);
    for (const id of runsAlone) await upToDate(opened.page, id);
    return opened;
  }

  let shared: ReturnType<typeof openShown> | undefined;

  /** One page for all tests that only read it, or search. */
  const readShown = (): ReturnType<typeof openShown> =>
    (shared ??= openShown().then((opened) => {
      contexts.splice(contexts.indexOf(opened.page.context()), 1);
      return opened;
    }));

  describe.each(windows)('on a %s in %s colours', (_device, colorScheme, options) => {
    it('fits its window, asks no other host for anything, and every criterion of WCAG 2.2 that can be checked holds', async () => {
      const { page, foreign, complaints } = await openShown({ ...options, colorScheme, bypassCSP: true });
      await search(page, 'Cup 0');
      await tile(page, 'search').getByRole('button', { name: 'Cup 02' }).click();
      await upToDate(page, 'detail');
      for (const summary of await page.locator('details > summary').all()) await summary.click();
      expect(await overflowOf(page)).toBe(0);
      expect(await backgroundOf(page)).toBe(colorScheme === 'dark' ? 'rgb(20, 23, 28)' : 'rgb(255, 255, 255)');
      expect(await page.locator('.plot canvas').count()).toBe(3);
      expect(await findViolations(page)).toEqual([]);
      expect({ foreign, complaints }).toEqual({ foreign: [], complaints: [] });
    });
  });

  it('sends the operation that each tile shows, with the variables and the cost that it shows', async () => {
    const { page, sent } = await openShown();
    await search(page, 'Cup 02');
    await tile(page, 'search').getByRole('button', { name: 'Cup 02' }).first().click();
    await upToDate(page, 'detail');
    for (const { id } of views) {
      const shown = await tile(page, id).locator('[data-document] code').textContent();
      const variables = JSON.parse(
        (await tile(page, id).locator('[data-variables] code').textContent()) ?? '',
      ) as object;
      expect(shown).toBe(readViewDocument(id));
      expect(sent).toContainEqual({ query: shown, variables });
      expect(await tile(page, id).locator('[data-cost]').textContent()).toMatch(/^It costs \d+ of 10000 points\.$/);
    }
    expect(sent).toHaveLength(views.length);
  });

  describe('shows what SQL finds:', () => {
    const counts = async (query: string) =>
      (await sql<{ name: string; count: string }>(query, [shopId])).map(({ name, count }) => [name, count]);
    const products = '(SELECT * FROM products WHERE shop_id = $1 AND deleted_at IS NULL) p';

    it('products by status', async () => {
      const { page } = await readShown();
      const expected = await counts(`SELECT status AS name, count(*)::text FROM ${products} GROUP BY 1`);
      expect(expected.length).toBe(3);
      expect(sorted(await rowsOf(page, 'products-by-status', 'Products by status'))).toEqual(sorted(expected));
      expect(await tile(page, 'products-by-status').innerText()).toContain('42 products.');
    });

    it('stock', async () => {
      const { page } = await readShown();
      const stock = `SELECT title, status, coalesce((SELECT sum(inventory_quantity) FROM variants v WHERE v.product_id = p.id), 0)::int AS stock FROM ${products}`;
      const all = await sql<{ title: string; status: string; stock: number }>(stock, [shopId]);
      const none = all.filter((each) => each.stock <= 0).length;
      expect(await tile(page, 'stock').innerText()).toContain(`${none} of ${all.length} products have no stock.`);
      const lowest = all.filter((each) => each.status === 'ACTIVE' && each.stock > 0).map((each) => each.stock);
      const rows = await rowsOf(page, 'stock', 'Active products with the least stock');
      expect(rows.map(([, count]) => Number(count))).toEqual(lowest.toSorted((one, other) => one - other).slice(0, 8));
      for (const [title, count] of rows) expect(all).toContainEqual({ title, status: 'ACTIVE', stock: Number(count) });
    });

    it('price bands', async () => {
      const { page } = await readShown();
      const prices = await sql<{ price: string | null }>(
        `SELECT (SELECT min(price) FROM variants v WHERE v.product_id = p.id) AS price FROM ${products}`,
        [shopId],
      );
      const bounds = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000];
      const bandOf = (price: string | null) => {
        if (price === null) return 'without a price';
        const above = bounds.findIndex((bound) => Number(price) < bound);
        return above === 0 ? 'below 1' : `${bounds[above - 1]} to below ${bounds[above]}`;
      };
      const expected = new Map<string, number>();
      for (const { price } of prices) expected.set(bandOf(price), (expected.get(bandOf(price)) ?? 0) + 1);
      const rows = await rowsOf(page, 'price-bands', 'Products by price in EUR');
      expect(sorted(rows.map(([band = '', count]) => [band.replaceAll('.00', ''), count]))).toEqual(
        sorted([...expected].map(([band, count]) => [band, String(count)])),
      );
    });

    it.each([
      ['Top vendors', 'SELECT vendor AS name', ''],
      [
        'Top tags',
        'SELECT tag AS name',
        'LEFT JOIN LATERAL (SELECT DISTINCT tag FROM unnest(tags) AS tag) AS own ON true',
      ],
    ])('%s', async (caption, select, join) => {
      const { page } = await readShown();
      const all = await counts(
        `SELECT * FROM (${select}, count(*)::text AS count FROM ${products} ${join} GROUP BY 1) AS counted
          ORDER BY count::int DESC, name COLLATE "C"`,
      );
      const named = all.filter(([name]) => name !== null);
      const rest = named.slice(8).reduce((sum, [, count]) => sum + Number(count), 0);
      const none = all.find(([name]) => name === null)?.[1];
      expect([rest > 0, none === undefined]).toEqual([true, false]);
      expect(await rowsOf(page, 'vendors-and-tags', caption)).toEqual([
        ...named.slice(0, 8),
        ['(all others)', String(rest)],
        ['(none)', none],
      ]);
    });

    it.each([
      ['America/New_York', 'browser', '90-days', 'day', '90 days'],
      ['Asia/Kolkata', 'browser', '30-days', 'day', '30 days'],
      ['America/New_York', 'UTC', '90-days', 'day', '90 days'],
      ['Australia/Lord_Howe', 'browser', '52-weeks', 'week', '363 days'],
      ['Pacific/Kiritimati', 'browser', 'all', 'month', '100 years'],
    ])('orders in %s, days of %s, %s', async (timezoneId, zone, period, interval, length) => {
      const { page } = await openShown({ ...desk, timezoneId });
      const section = tile(page, 'orders-by-day');
      await section.locator('select[name=zone]').selectOption(zone);
      await upToDate(page, 'orders-by-day');
      await section.locator('select[name=period]').selectOption(period);
      await upToDate(page, 'orders-by-day');
      const days = zone === 'UTC' ? 'UTC' : timezoneId;
      const { timeZone } = JSON.parse((await section.locator('[data-variables] code').textContent()) ?? '') as {
        timeZone: string;
      };
      // ICU knows some zones by an older name; PostgreSQL knows both.
      const local = `(created_at AT TIME ZONE $2)`;
      expect(await localDate(timeZone)).toBe(await localDate(days));
      const expected = await sql<Record<'currency' | 'date' | 'status' | 'count' | 'sum', string>>(
        `SELECT coalesce(currency, 'without currency') AS currency, to_char(date_trunc('${interval}', ${local}), 'YYYY-MM-DD') AS date,
                coalesce(financial_status, 'without status') AS status, count(*)::text AS count, sum(total_price::numeric)::text AS sum
           FROM orders
          WHERE shop_id = $1
            AND ${local} >= ${
              interval === 'week'
                ? `date_trunc('week', now() AT TIME ZONE $2) - interval '51 weeks'`
                : `date_trunc('day', now() AT TIME ZONE $2) + interval '1 day' - interval '${length}'`
            }
          GROUP BY 1, 2, 3`,
        [shopId, days],
      );
      for (const currency of ['EUR', 'USD', 'without currency']) {
        const part = section.locator(`[data-currency="${currency}"]`);
        const own = expected.filter((each) => each.currency === currency);
        expect(own.length).toBeGreaterThan(0);
        const rows = await readRows(part, `Orders in ${currency}`);
        const amounts = (row: readonly (string | null)[]) => [...row.slice(0, 3), Number(row[3])];
        expect(sorted(rows.map(amounts))).toEqual(
          sorted(own.map(({ date, status, count, sum }) => amounts([date, status, count, sum]))),
        );
        const total = own.reduce((sum, { count }) => sum + Number(count), 0);
        expect(await part.locator('h3').innerText()).toMatch(new RegExp(`^${currency}: ${total} orders?, `));
      }
    });

    const localDate = async (zone: string) =>
      (
        await sql<{ date: string }>(
          "SELECT to_char(timestamptz '2026-07-01 12:00Z' AT TIME ZONE $1, 'HH24:MI') AS date",
          [zone],
        )
      )[0]?.date;

    it('what changed last', async () => {
      const { page } = await readShown();
      for (const [table, name, caption] of [
        ['products', 'title', 'Products changed last'],
        ['orders', 'order_number', 'Orders changed last'],
      ] as const) {
        const expected = await sql<{ name: string; moment: string }>(
          `SELECT ${name} AS name, to_char(updated_at, 'YYYY-MM-DD HH24:MI') || ' UTC' AS moment FROM ${table}
            WHERE shop_id = $1 ORDER BY updated_at DESC, id DESC LIMIT 6`,
          [shopId],
        );
        expect(await rowsOf(page, 'changed-last', caption)).toEqual(expected.map((each) => [each.name, each.moment]));
      }
    });

    it('what changed since, once each', async () => {
      const { page } = await openShown();
      expect(await tile(page, 'changes').innerText()).toContain('Watching from now on.');
      const read = async () => {
        await tile(page, 'changes').getByRole('button', { name: 'Read what changed' }).click();
        await upToDate(page, 'changes');
      };
      await read();
      expect(await tile(page, 'changes').innerText()).toContain('Nothing has changed since.');
      await sql(`UPDATE products SET vendor = vendor || '.' WHERE shop_id = $1 AND title = 'Cup 01'`, [shopId]);
      await read();
      await sql(`UPDATE orders SET items_count = 3 WHERE shop_id = $1 AND order_number = '5001'`, [shopId]);
      await read();
      expect(
        (await rowsOf(page, 'changes', 'Changes, the latest first')).filter(([type]) => type !== 'VARIANT'),
      ).toEqual([
        ['ORDER', '5001', 'changed'],
        ['PRODUCT', 'Cup 01', 'changed'],
      ]);
    });

    it.each([
      ['a title', 'Cup 1', 'Product', 10],
      ['a SKU', 'CUP-5-1', 'SKU', 1],
      ['an order number', '5001', 'Order', 1],
      ['an order number without its sign', '5002', 'Order', 1],
      ['an order number with a sign that it lacks', '#5001', 'Order', 1],
      ['markup', '<img src=x', 'Product', 1],
    ])('objects by %s', async (_what, text, kind, count) => {
      const { page, complaints } = await readShown();
      await search(page, text);
      const rows = (await rowsOf(page, 'search', 'Results')).filter(([found]) => found === kind);
      expect(rows).toHaveLength(count);
      expect(complaints).toEqual([]);
    });

    it('nothing where nothing is found, and asks for a text where there is none', async () => {
      const { page } = await readShown();
      await search(page, 'no such thing');
      expect(await tile(page, 'search').innerText()).toContain('Nothing was found.');
      await tile(page, 'search').getByRole('textbox').fill(' ');
      await tile(page, 'search').getByRole('button', { name: 'Search' }).click();
      await tile(page, 'search').getByText('Search: expected a title, SKU or order number, got nothing.').waitFor();
    });

    it('a product and an order in detail', async () => {
      const { page } = await openShown();
      await search(page, 'CUP-5-1');
      await tile(page, 'search').getByRole('button', { name: 'Cup 05' }).first().click();
      await upToDate(page, 'detail');
      const [product] = await sql<{ handle: string }>(
        `SELECT handle FROM products WHERE shop_id = $1 AND title = 'Cup 05'`,
        [shopId],
      );
      const variants = await sql<Record<'title' | 'sku' | 'price' | 'stock', string>>(
        `SELECT v.title, sku, price::text, inventory_quantity::text AS stock FROM variants v JOIN products p ON p.id = product_id
          WHERE v.shop_id = $1 AND p.title = 'Cup 05' ORDER BY v.position`,
        [shopId],
      );
      expect(await tile(page, 'detail').innerText()).toContain(product?.handle);
      expect(
        sorted(
          (await rowsOf(page, 'detail', 'Variants, 2 of 2')).map((row) => [...row.slice(0, 2), Number(row[2]), row[3]]),
        ),
      ).toEqual(sorted(variants.map(({ title, sku, price, stock }) => [title, sku, Number(price), stock])));
      await search(page, '5001');
      await tile(page, 'search').getByRole('button', { name: '5001' }).click();
      await tile(page, 'detail').getByRole('heading', { name: '5001' }).waitFor();
      expect(await tile(page, 'detail').innerText()).toMatch(/Customer\s+Zoë Müller/);
    });
  });

  it('can be used with the keyboard alone', async () => {
    const { page } = await open();
    const tabTo = async (name: string) => {
      const seen: string[] = [];
      while (seen.length < 80 && seen.at(-1) !== name) {
        await page.keyboard.press('Tab');
        seen.push(await focused(page));
      }
      expect(seen.at(-1)).toBe(name);
    };
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    await tabTo('key');
    await page.keyboard.type(apiKey);
    await page.keyboard.press('Enter');
    for (const id of runsAlone) await upToDate(page, id);
    await tabTo('period');
    await page.keyboard.press('ArrowDown');
    await tile(page, 'orders-by-day').getByText('"interval": "DAY"').waitFor({ state: 'attached' });
    await upToDate(page, 'orders-by-day');
    await tabTo('text');
    await page.keyboard.type('CUP-5-1');
    await page.keyboard.press('Enter');
    await upToDate(page, 'search');
    await tabTo('Cup 05');
    await page.keyboard.press('Enter');
    await upToDate(page, 'detail');
    expect(await focused(page)).toBe('Detail');
    await tile(page, 'detail').getByRole('heading', { name: 'Cup 05' }).waitFor();
    await tabTo('The query behind this: Detail');
    await page.keyboard.press('Enter');
    expect(await tile(page, 'detail').locator('[data-document]').isVisible()).toBe(true);
  });

  it('keeps the key in memory alone, and asks again after a reload', async () => {
    const { page } = await openShown();
    const leftovers = 'JSON.stringify([localStorage.length, sessionStorage.length, document.cookie, location.href])';
    expect(await page.evaluate(leftovers)).toBe(JSON.stringify([0, 0, '', `${service.origin}/dashboard`]));
    expect(await page.content()).not.toContain(apiKey);
    await page.reload();
    expect(await page.locator('input[name=key]').inputValue()).toBe('');
    await page.getByText('No key yet.').waitFor();
    await search(page, 'Cup', { waits: false });
    await tile(page, 'search')
      .getByText(/^Expected an API key, got none/)
      .waitFor();
    expect(await focused(page)).toBe('key');
  });

  it.each([
    ['catalog:read', ['products-by-status', 'vendors-and-tags'], ['shop', 'orders-by-day']],
    ['orders:read', ['orders-by-day'], ['shop', 'products-by-status']],
  ])('shows the figures of what a key with %s alone may see', async (scope, shown, refused) => {
    const { page } = await openWithKey(desk, keepSecret((await seedApiKey(sql, shopId, { scopes: [scope] })).apiKey));
    for (const id of shown) await upToDate(page, id);
    for (const id of refused)
      await tile(page, id).locator('.problem', { hasText: 'Use a key that carries it.' }).waitFor();
  });

  it('shows the rest where a scope is missing, and the tile says so', async () => {
    const catalogOnly = await seedApiKey(sql, shopId, { scopes: ['catalog:read', 'account:read'] });
    const { page, complaints } = await openWithKey(desk, catalogOnly.apiKey);
    for (const id of ['shop', 'products-by-status', 'stock', 'price-bands', 'vendors-and-tags'])
      await upToDate(page, id);
    for (const id of ['orders-by-day', 'changed-last']) {
      const problem = tile(page, id).locator('.problem');
      await problem.first().waitFor();
      expect(await problem.first().innerText()).toMatch(/orders:read.*Use a key that carries it\.$/);
    }
    expect(await rowsOf(page, 'changed-last', 'Products changed last')).toHaveLength(6);
    expect(complaints).toEqual([]);
  });

  it.each([
    ['unknown', () => Promise.resolve('ck_unknown.secret')],
    ['revoked', async () => (await seedApiKey(sql, shopId, { revoked_at: new Date() })).apiKey],
  ])('says in every tile that a key is %s', async (_what, createKey) => {
    const { page } = await openWithKey(desk, keepSecret(await createKey()));
    for (const id of runsAlone) {
      const problem = tile(page, id).locator('.problem');
      await problem.waitFor();
      expect(await problem.innerText()).toMatch(/ Check the key\.$/);
    }
    await giveKey(page, apiKey);
    for (const id of runsAlone) await upToDate(page, id);
  });

  it('refuses what cannot be a key before it is sent', async () => {
    const { page, sent } = await openWithKey(desk, 'ключ 1');
    await page.getByText(/^API key: expected letters/).waitFor();
    await giveKey(page, ' ');
    await page.getByText('API key: expected a key, got nothing.').waitFor();
    expect(sent).toEqual([]);
  });

  it('takes a key while parts of it are still loading, and says which part did not load', async () => {
    const { page } = await open();
    let load = (): void => undefined;
    const loading = new Promise<void>((resolve) => (load = resolve));
    await page.route('**/search.js', async (route) => {
      await loading;
      await route.continue();
    });
    await page.route('**/stock.js', (route) => route.abort());
    await page.reload();
    await giveKey(page, apiKey);
    await page.getByText('The key is used by all tiles.').waitFor();
    await upToDate(page, 'products-by-status');
    load();
    await search(page, 'Cup 02');
    await tile(page, 'stock').getByText('This tile did not load: reload the page.').waitFor();
  });

  it('waits for the limit as Retry-After says, says so, and then shows all numbers', async () => {
    let window = createMemoryRateLimiter({ points: 3 });
    const localRateLimiter: RateLimiter = {
      limit: 3,
      consume: (bucket) => window.consume(bucket),
      close: () => window.close(),
    };
    const limited = await start({ localRateLimiter });
    const { page, sent } = await open(desk, limited);
    await page.clock.install();
    await page.reload();
    await giveKey(page, apiKey);
    const waiting = page.locator('[data-state]', { hasText: /Next attempt in \d+ s\.$/ });
    await waiting.nth(runsAlone.length - 4).waitFor();
    const shown = page.locator('[data-state]', { hasText: 'Up to date.' });
    await shown.nth(2).waitFor();
    expect(await shown.count()).toBe(3);
    const before = sent.length;
    window = createMemoryRateLimiter({ points: 100 });
    await page.clock.fastForward(61_000);
    for (const id of runsAlone) await upToDate(page, id);
    expect(await rowsOf(page, 'products-by-status', 'Products by status')).toHaveLength(3);
    expect(sent.length - before).toBe(runsAlone.length - 3);
  });

  it('has the demo key outside production, and none in production', async () => {
    const demoApiKey = apiKey;
    const demo = await start({ demoApiKey }, { RATE_LIMIT_REQUESTS: '1000' });
    const { page, foreign, complaints } = await open(desk, demo);
    await page.getByText('The key of the demo shop is used by all tiles.').waitFor();
    for (const id of runsAlone) await upToDate(page, id);
    expect({ foreign, complaints }).toEqual({ foreign: [], complaints: [] });
    const live = await start({ demoApiKey }, { NODE_ENV: 'production', PUBLIC_URL: 'https://api.example.com' });
    const { page: bare, sent } = await open(desk, live);
    await bare.getByText('No key yet.').waitFor();
    expect(await bare.content()).not.toContain(demoApiKey);
    expect(sent).toEqual([]);
  });

  it('says what it is without JavaScript', async () => {
    const { page } = await open({ ...desk, javaScriptEnabled: false });
    expect(await page.locator('main').innerText()).toContain('The dashboard needs JavaScript.');
    expect(await page.locator('[data-document]').count()).toBe(views.length);
  });
});

const tile = (page: Page, id: string): Locator => page.locator(`[data-view="${id}"]`);

async function giveKey(page: Page, key: string) {
  await page.locator('input[name=key]').fill(key);
  await page.getByRole('button', { name: 'Show this shop' }).click();
}

const upToDate = (page: Page, id: string) =>
  tile(page, id)
    .locator('[data-state]', { hasText: /^Up to date\.$/ })
    .waitFor();

async function search(page: Page, text: string, { waits = true } = {}) {
  await tile(page, 'search').getByRole('textbox').fill(text);
  await tile(page, 'search').getByRole('button', { name: 'Search' }).click();
  if (waits) await upToDate(page, 'search');
}

/** The rows of a table by its caption, read from the page's own document; hidden ones too. */
async function readRows(place: Locator, caption: string): Promise<string[][]> {
  const rows = place
    .locator('table')
    .filter({ has: place.page().locator('caption', { hasText: caption }) })
    .locator('tbody tr');
  return Promise.all((await rows.all()).map((row) => row.locator('td').allTextContents()));
}

const rowsOf = (page: Page, id: string, caption: string) => readRows(tile(page, id), caption);

const sorted = <Row>(rows: readonly Row[]): Row[] =>
  rows.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));

/** What a person would call the element that has the focus. */
const focused = (page: Page) =>
  page.evaluate<string>('document.activeElement.name || document.activeElement.textContent.trim()');
