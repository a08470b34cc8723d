import { readFileSync } from 'node:fs';
import type { Browser, BrowserContext, Locator, Page, Request } from 'playwright-core';
import { readViewDocument, views } from '../../src/http/endpoints/dashboard/views';
import type { RateLimiter } from '../../src/rate-limit/rate-limiter';
import { createMemoryRateLimiter } from '../../src/rate-limit/rate-limiter';
import type { RunningApp } from '../support/app';
import { startApp } from '../support/app';
import { describeInChromium, desk, launchChromium, openWatched, withoutInternet } from '../support/chromium';
import { keepSecret } from '../support/private-texts';
import { seedApiKey, seedOrder, seedProduct, seedShop, seedVariant } from '../support/seed';
import type { Sql, TestDatabase } from '../support/test-database';
import { createTestDatabase } from '../support/test-database';
import { seedFigures } from './seed-figures';

/** Tiles that load without being opened. */
const runsAlone = views.filter(({ id, area }) => id !== 'search' && area !== 'drawer').map(({ id }) => id);

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
    await sql(
      `INSERT INTO key_usage SELECT shop_id, client_id, current_date, 12, 1, 2, 3456, 7, now() FROM api_keys WHERE shop_id = $1`,
      [shopId],
    );
    service = await startApp({ database: database.database }, { RATE_LIMIT_REQUESTS: '10000', KEY_USAGE: 'false' });
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

  /** A page under observation, and the requests it sends to /graphql. */
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

  /** One page for all tests that only read or search. */
  const readShown = (): ReturnType<typeof openShown> =>
    (shared ??= openShown().then((opened) => {
      contexts.splice(contexts.indexOf(opened.page.context()), 1);
      return opened;
    }));

  it('sends the operation that each tile shows, with the variables and the cost that it shows', async () => {
    const { page, sent } = await openShown();
    await search(page, 'Cup 02');
    await tile(page, 'search').getByRole('link', { name: 'Cup 02' }).first().click();
    await upToDate(page, 'detail');
    await upToDate(page, 'orders-of-product');
    for (const { id } of views) {
      const shown = await tile(page, id).locator('[data-document] code').textContent();
      const variables = JSON.parse(
        (await tile(page, id).locator('[data-variables] code').textContent()) ?? '',
      ) as object;
      expect(shown).toBe(readViewDocument(id));
      expect(sent).toContainEqual({ query: shown, variables });
      expect(await tile(page, id).locator('[data-cost]').textContent()).toMatch(/^Cost: \d+ of 10000 points\.$/);
    }
    expect(sent).toHaveLength(views.length);
  });

  describe('shows what SQL finds:', () => {
    const counts = async (query: string) =>
      (await sql<{ name: string; count: string }>(query, [shopId])).map(({ name, count }) => [name, count]);
    const products = '(SELECT * FROM products WHERE shop_id = $1 AND deleted_at IS NULL) p';

    const figure = async (page: Page, id: string) =>
      (await page.locator(`[data-figure="${id}"]`).innerText()).split(/\n+/);

    it('products, by status and without stock', async () => {
      const { page } = await readShown();
      const of = Object.fromEntries(
        await counts(`SELECT status AS name, count(*)::text FROM ${products} GROUP BY 1`),
      ) as Record<string, string>;
      const [, total, more] = await figure(page, 'products');
      expect([total, more]).toEqual(['42', `${of['ACTIVE']} active, ${of['DRAFT']} draft, ${of['ARCHIVED']} archived`]);
    });

    it('stock', async () => {
      const { page } = await readShown();
      const stock = `SELECT title, status, coalesce((SELECT sum(inventory_quantity) FROM variants v WHERE v.product_id = p.id), 0)::int AS stock, (SELECT coalesce(every(inventory_quantity IS NOT NULL), false) FROM variants v WHERE v.product_id = p.id) AS counted FROM ${products}`;
      const all = await sql<{ title: string; status: string; stock: number; counted: boolean }>(stock, [shopId]);
      const none = all.filter((each) => each.stock <= 0 && each.counted).length;
      const unknown = all.filter((each) => each.stock <= 0 && !each.counted).length;
      expect([none > 0, unknown > 0]).toEqual([true, true]);
      const few = all.filter((each) => each.status === 'ACTIVE' && each.stock > 0 && each.stock <= 12).length;
      expect((await figure(page, 'out-of-stock')).slice(1)).toEqual([String(none), `${few} low, ${unknown} unknown`]);
      const lowest = all
        .filter((each) => each.status === 'ACTIVE' && each.stock > 0 && each.stock <= 12)
        .map((each) => each.stock);
      const items = tile(page, 'stock').locator('li');
      const left = await items.locator('.left b').allTextContents();
      expect(left.map(Number)).toEqual(lowest.toSorted((one, other) => one - other).slice(0, 7));
      for (const [index, title] of (await items.locator('.what b').allTextContents()).entries())
        expect(all).toContainEqual({ title, status: 'ACTIVE', stock: Number(left[index]), counted: true });
    });

    it('prices in bands', async () => {
      const { page } = await readShown();
      const section = tile(page, 'breakdown');
      await section.getByRole('radio', { name: 'Prices' }).check();
      const prices = await sql<{ price: string | null }>(
        `SELECT (SELECT min(price) FROM variants v WHERE v.product_id = p.id) AS price FROM ${products}`,
        [shopId],
      );
      const bounds = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000];
      const bandOf = (price: string | null) => {
        if (price === null) return 'none';
        const above = bounds.findIndex((bound) => Number(price) < bound);
        return above === 0
          ? '< 1'
          : `${bounds[above - 1]?.toLocaleString('en')}–${bounds[above]?.toLocaleString('en')}`;
      };
      const expected = new Map<string, number>();
      for (const { price } of prices) expected.set(bandOf(price), (expected.get(bandOf(price)) ?? 0) + 1);
      const none = expected.get('none') ?? 0;
      expected.delete('none');
      const shown = await section.locator('.hbars li').all();
      const rows = await Promise.all(
        shown.map(
          async (each) =>
            [await each.locator('span').innerText(), Number(await each.locator('b').innerText())] as const,
        ),
      );
      expect(sorted(rows.filter(([, count]) => count > 0))).toEqual(sorted([...expected]));
      expect(await section.locator('.rest').innerText()).toBe(
        `By lowest variant price in EUR; ${none} without a price.`,
      );
    });

    it.each([
      [
        'Vendors',
        'SELECT vendor AS name',
        '',
        (rest: number, none?: string) => `Products from other vendors: ${rest}; ${none} without a vendor.`,
      ],
      [
        'Tags',
        'SELECT tag AS name',
        'LEFT JOIN LATERAL (SELECT DISTINCT tag FROM unnest(tags) AS tag) AS own ON true',
        (rest: number, none?: string) => `Uses of other tags: ${rest}; ${none} without a tag.`,
      ],
    ] as const)('%s with the most products, and all others', async (kind, select, join, wordsOf) => {
      const { page } = await readShown();
      const all = await counts(
        `SELECT * FROM (${select}, count(*)::text AS count FROM ${products} ${join} GROUP BY 1) AS counted
          ORDER BY count::int DESC, name COLLATE "C"`,
      );
      const named = all.filter(([name]) => name !== null);
      const rest = named.slice(7).reduce((sum, [, count]) => sum + Number(count), 0);
      const none = all.find(([name]) => name === null)?.[1];
      expect([rest > 0, none === undefined]).toEqual([true, false]);
      const section = tile(page, 'breakdown');
      await section.getByRole('radio', { name: kind }).check();
      const items = await section.locator('.hbars li').all();
      const rows = await Promise.all(
        items.map(async (each) => [await each.locator('span').innerText(), await each.locator('b').innerText()]),
      );
      expect(rows).toEqual(named.slice(0, 7));
      expect(await section.locator('.rest').innerText()).toBe(wordsOf(rest, none));
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
      const choose = async (name: string, value: string) => {
        if ((await page.locator(`select[name=${name}]`).inputValue()) === value) return;
        await page.locator(`select[name=${name}]`).selectOption(value);
        for (const id of ['orders-by-day', 'figures']) await upToDate(page, id);
      };
      await choose('zone', zone);
      await choose('period', period);
      const days = zone === 'UTC' ? 'UTC' : timezoneId;
      const { timeZone } = JSON.parse((await section.locator('[data-variables] code').textContent()) ?? '') as {
        timeZone: string;
      };
      // ICU knows some time zones by an older name; PostgreSQL knows both.
      const local = `(created_at AT TIME ZONE $2)`;
      expect(await localDate(timeZone)).toBe(await localDate(days));
      const expected = await sql<Record<'currency' | 'date' | 'status' | 'count' | 'sum', string>>(
        `SELECT coalesce(currency, 'unknown currency') AS currency, to_char(date_trunc('${interval}', ${local}), 'YYYY-MM-DD') AS date,
                coalesce(financial_status, 'No status') AS status, count(*)::text AS count, sum(total_price::numeric)::text AS sum
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
      const totalOf = (own: typeof expected) => own.reduce((sum, { count }) => sum + Number(count), 0);
      expect((await figure(page, 'orders'))[1]).toBe(String(totalOf(expected)));
      for (const currency of ['EUR', 'USD', 'unknown currency']) {
        const other = section.locator(`.multi[data-currency="${currency}"]`);
        const own = expected.filter((each) => each.currency === currency);
        expect(own.length).toBeGreaterThan(0);
        if (await other.isVisible()) {
          expect(await other.innerText()).toMatch(new RegExp(`${totalOf(own)} orders?$`));
          await other.click();
        }
        const part = section.locator(`.currency[data-currency="${currency}"]`);
        await part.waitFor();
        expect(await page.locator('select[name=currency]').inputValue()).toBe(currency);
        const rows = await readRows(part, `Orders in ${currency}`);
        const amounts = (row: readonly (string | null)[]) => [...row.slice(0, 3), Number(row[3])];
        expect(sorted(rows.map(amounts))).toEqual(
          sorted(own.map(({ date, status, count, sum }) => amounts([date, status, count, sum]))),
        );
        expect(await part.locator('.big').innerText()).toMatch(
          new RegExp(
            ` in ${totalOf(own)} orders?, including pending and voided; with tax and shipping, before refunds$`,
          ),
        );
      }
    });

    const localDate = async (zone: string) =>
      (
        await sql<{ date: string }>(
          "SELECT to_char(timestamptz '2026-07-01 12:00Z' AT TIME ZONE $1, 'HH24:MI') AS date",
          [zone],
        )
      )[0]?.date;

    it('orders and revenue compared with the preceding period of the same length', async () => {
      const { page } = await openShown({ ...desk, timezoneId: 'UTC' });
      await page.locator('select[name=period]').selectOption('30-days');
      await upToDate(page, 'figures');
      const midnight = `date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'`;
      const read = async (from: string, to: string) =>
        (
          await sql<{ count: string; sum: string }>(
            `SELECT count(*)::text, coalesce(sum(total_price::numeric) FILTER (WHERE currency = 'EUR'), 0)::text AS sum FROM orders
              WHERE shop_id = $1 AND created_at >= ${from} AND created_at < ${to}`,
            [shopId],
          )
        )[0] ?? { count: '0', sum: '0' };
      const now = await read(`${midnight} - interval '29 days'`, `${midnight} + interval '1 day'`);
      const before = await read(`${midnight} - interval '59 days'`, `now() - interval '30 days'`);
      const share = (one: number, other: number) =>
        `${one > other ? '+' : one < other ? '−' : '±'}${Math.abs(Math.round((100 * (one - other)) / other))}%`;
      const money = (amount: string) =>
        new Intl.NumberFormat('en-US', { style: 'currency', currency: 'EUR', maximumFractionDigits: 0 }).format(
          Number(amount),
        );
      expect((await figure(page, 'orders')).slice(1, 3)).toEqual([
        now.count,
        `${share(Number(now.count), Number(before.count))} from ${before.count}`,
      ]);
      expect((await figure(page, 'revenue')).slice(1, 3)).toEqual([
        money(now.sum),
        `${share(Number(now.sum), Number(before.sum))} from ${money(before.sum)}`,
      ]);
    });

    it('no comparison with a period that began before the first order', async () => {
      const { page } = await openShown({ ...desk, timezoneId: 'UTC' });
      await page.locator('select[name=period]').selectOption('90-days');
      await upToDate(page, 'figures');
      expect((await figure(page, 'orders'))[2]).toBe('No previous period to compare');
    });

    it('orders between two dates that the user chose, in either order', async () => {
      const { page } = await openShown({ ...desk, timezoneId: 'UTC' });
      await page.locator('select[name=period]').selectOption('dates');
      const dateOf = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
      await page.getByLabel('First day').fill(dateOf(5));
      await page.getByLabel('Last day').fill(dateOf(20));
      for (const id of ['orders-by-day', 'figures']) await upToDate(page, id);
      const [{ count } = { count: '' }] = await sql<{ count: string }>(
        `SELECT count(*)::text FROM orders WHERE shop_id = $1 AND (created_at AT TIME ZONE 'UTC')::date BETWEEN $2::date AND $3::date`,
        [shopId, dateOf(20), dateOf(5)],
      );
      expect((await figure(page, 'orders'))[1]).toBe(count);
      expect(new URL(page.url()).searchParams.get('from')).toBe(dateOf(5));
    });

    it.each([
      ['Total', 'total_price::numeric DESC'],
      ['Placed', 'created_at ASC'],
    ])('the orders sorted by %s, and the next page', async (column, order) => {
      const { page } = await openShown();
      const section = tile(page, 'latest-orders');
      await section.getByRole('button', { name: column }).click();
      await upToDate(page, 'latest-orders');
      const expected = await sql<{ name: string }>(
        `SELECT order_number AS name FROM orders WHERE shop_id = $1 ORDER BY ${order} LIMIT 16`,
        [shopId],
      );
      const names = () => section.locator('tbody a').allTextContents();
      expect(await names()).toEqual(expected.slice(0, 8).map(({ name }) => name));
      expect(await focused(page)).toBe(column);
      await section.getByRole('button', { name: 'Next page' }).click();
      await upToDate(page, 'latest-orders');
      expect(await names()).toEqual(expected.slice(8).map(({ name }) => name));
      await section.getByRole('button', { name: 'First page' }).click();
      await upToDate(page, 'latest-orders');
      expect(await names()).toEqual(expected.slice(0, 8).map(({ name }) => name));
    });

    it('the latest orders, with their statuses in words', async () => {
      const { page } = await readShown();
      const expected = await sql<Record<'name' | 'status' | 'placed', string | null>>(
        `SELECT order_number AS name, financial_status AS status, to_char(created_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS placed FROM orders
          WHERE shop_id = $1 ORDER BY created_at DESC, id DESC LIMIT 8`,
        [shopId],
      );
      const rows = tile(page, 'latest-orders').locator('tbody tr');
      const labels: Readonly<Record<string, string>> = { PAID: 'Paid', PENDING: 'Pending', REFUNDED: 'Refunded' };
      expect(await rows.locator('a').allTextContents()).toEqual(expected.map(({ name }) => name));
      expect(await momentsOf(rows)).toEqual(expected.map(({ placed }) => placed));
      expect((await rows.locator('.status').allTextContents()).map((text) => text.slice(1))).toEqual(
        expected.map(({ status }) => (status === null ? 'No status' : labels[status])),
      );
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
      const kinds = (await tile(page, 'search').locator('li small').allTextContents()).filter((text) =>
        text.startsWith(kind),
      );
      expect(kinds).toHaveLength(count);
      expect(complaints).toEqual([]);
    });

    it('a product and an order in detail', async () => {
      const { page } = await openShown();
      await search(page, 'CUP-5-1');
      await tile(page, 'search').getByRole('link', { name: 'Cup 05' }).first().click();
      await upToDate(page, 'detail');
      const [product] = await sql<Record<'id' | 'handle', string>>(
        `SELECT id, handle FROM products WHERE shop_id = $1 AND title = 'Cup 05'`,
        [shopId],
      );
      expect(new URL(page.url()).hash).toBe(`#product/${product?.id}`);
      const variants = await sql<Record<'title' | 'sku' | 'price' | 'stock', string>>(
        `SELECT v.title, sku, price::text, inventory_quantity::text AS stock FROM variants v JOIN products p ON p.id = product_id
          WHERE v.shop_id = $1 AND p.title = 'Cup 05' ORDER BY v.position`,
        [shopId],
      );
      expect(await tile(page, 'detail').innerText()).toContain(product?.handle);
      expect(await tile(page, 'detail').innerText()).toContain('Variants, 2 of 2');
      const rows = await Promise.all(
        (await tile(page, 'detail').locator('.variants li').all()).map(async (row) => [
          await row.locator('b').innerText(),
          await row.locator('code').innerText(),
          Number((await row.locator('> span').nth(1).innerText()).replace(/[€,]/g, '')),
          await row.locator('> span').nth(2).innerText(),
        ]),
      );
      expect(rows).toEqual(variants.map(({ title, sku, price, stock }) => [title, sku, Number(price), stock]));
      await page.goBack();
      expect(await page.locator('#drawer').isVisible()).toBe(false);
      await search(page, '5001');
      await tile(page, 'search').getByRole('link', { name: '5001' }).click();
      await tile(page, 'detail').getByRole('heading', { name: '5001' }).waitFor();
      expect(await tile(page, 'detail').innerText()).toMatch(/Customer\s+Zoë Müller/);
      await page.keyboard.press('Escape');
      await page.waitForURL(({ hash }) => hash === '');
      expect(await page.locator('#drawer').isVisible()).toBe(false);
    });
  });

  it('keeps the drawer open on the second click of a double-click', async () => {
    const { page } = await openShown();
    for (const link of [page.locator('#stock li a').first(), page.locator('#latest-orders tbody a').first()]) {
      await link.click();
      await upToDate(page, 'detail');
      await page.mouse.down({ clickCount: 2 });
      await page.mouse.up({ clickCount: 2 });
      expect(await page.locator('#drawer').isVisible()).toBe(true);
      await page.mouse.click(5, 300);
      await page.waitForURL(({ hash }) => hash === '');
    }
  });

  it('agrees with its URL on the currency after another key', async () => {
    const seedKey = async (name: string, ...currencies: readonly string[]) => {
      const id = await seedShop(sql, { name });
      for (const currency of currencies) await seedOrder(sql, id, { currency, created_at: new Date() });
      return keepSecret((await seedApiKey(sql, id)).apiKey);
    };
    const { page } = await open();
    await page.goto(`${page.url()}?currency=GBP`);
    const field = page.locator('select[name=currency]');
    const use = async (name: string, ...currencies: readonly string[]) => {
      await giveKey(page, await seedKey(name, ...currencies));
      await page.getByRole('heading', { name }).waitFor();
      return [await field.inputValue(), new URL(page.url()).searchParams.get('currency') ?? ''];
    };
    expect(await use('First', 'GBP', 'GBP', 'CHF')).toEqual(['GBP', 'GBP']);
    await field.selectOption('CHF');
    expect(await use('Second', 'GBP', 'GBP', 'CHF')).toEqual(['CHF', 'CHF']);
    expect(await use('Third', 'JPY')).toEqual(['JPY', 'JPY']);
    expect(await use('Fourth')).toEqual(['', '']);
    expect(await field.locator('option').allTextContents()).toEqual(['Currency']);
  });

  it('refuses dates out of range, says so, and keeps the dates in use', async () => {
    const { page, sent } = await openShown({ ...desk, timezoneId: 'UTC' });
    const first = page.getByLabel('First day');
    const words = () => new URL(page.url()).searchParams;
    const shown = async () => {
      for (const id of ['figures', 'orders-by-day', 'best-sellers']) await upToDate(page, id);
      return first.inputValue();
    };
    await page.goto(`${service.origin}/dashboard?period=dates&from=0001-01-01&to=9999-12-31&zone=UTC`);
    expect(await shown()).toMatch(/^20/);
    expect([words().get('from'), words().get('to')]).toEqual([
      await shown(),
      await page.getByLabel('Last day').inputValue(),
    ]);
    await page.goto(`${service.origin}/dashboard?period=dates&from=2026-11-01&to=2026-11-30&zone=UTC`);
    expect(await shown()).toBe('2026-11-01');
    const reason = page.getByText('First day must be a date from 2000-01-01 to 2999-12-31. Restored');
    // The month alone already makes a valid date, which is shown.
    for (const [enter, leave, restored] of [
      [() => first.pressSequentially('06011999'), () => first.press('Enter'), '2026-06-01'],
      [() => first.pressSequentially('06011999'), () => page.locator('h1').click(), '2026-06-01'],
      [() => first.fill(''), () => first.blur(), '2026-11-01'],
    ] as const) {
      await enter();
      await leave();
      await reason.filter({ hasText: restored }).waitFor();
      expect([await shown(), words().get('from')]).toEqual([restored, restored]);
      await page.getByLabel('Last day').fill('2026-11-29');
      await first.fill('2026-11-01');
      await first.blur();
      expect(await reason.isVisible()).toBe(false);
    }
    expect(JSON.stringify(sent)).not.toMatch(/"range":{"from":"(?!20)/);
  });

  it('offers “Try again” once for all that failed, and keeps the focus there', async () => {
    const { page } = await openShown();
    const failing = new Map<string, 'abort' | 'refuse'>();
    await page.route('**/graphql', (route) => {
      const { query } = route.request().postDataJSON() as { query: string };
      const how = failing.get(/^query (\w+)/m.exec(query)?.[1] ?? '');
      if (how === 'abort') return route.abort();
      if (how === undefined) return route.continue();
      const errors = [{ message: 'Internal error.', extensions: { code: 'INTERNAL_SERVER_ERROR' } }];
      return route.fulfill({ status: 500, json: { errors } });
    });
    const again = (id: string) => tile(page, id).getByRole('button', { name: 'Try again' });
    const retry = async (id: string) => {
      const old = await again(id).elementHandle();
      await again(id).press('Enter');
      await old?.waitForElementState('hidden');
    };
    failing.set('Shop', 'refuse');
    await page.reload();
    await again('shop').waitFor();
    await page.locator('[aria-busy]').first().waitFor({ state: 'detached' });
    failing.clear();
    for (const [name, how] of [['Stock', 'refuse'], ['Breakdown', 'abort'], ['Figures', 'abort']] as const) failing.set(name, how);
    await retry('shop');
    for (const id of ['stock', 'breakdown', 'figures']) await again(id).waitFor();
    expect(await page.evaluate('document.activeElement.id')).toBe('shop');
    await retry('stock');
    await again('stock').waitFor();
    expect(await focused(page)).toBe('Try again');
    failing.clear();
    await retry('stock');
    for (const id of runsAlone) await upToDate(page, id);
    expect(await page.evaluate('document.activeElement.id')).toBe('stock');
    expect(await page.getByText('Try again').count()).toBe(0);
  }); // prettier-ignore

  it('offers a way on from its welcome, and nothing that needs JavaScript without it', async () => {
    const demo = await start({ demoApiKey: apiKey }, { KEY_USAGE: 'false' });
    const { page } = await open(desk, demo);
    const errors = [{ message: 'The key was revoked.', extensions: { code: 'UNAUTHORIZED' } }];
    await page.route('**/graphql', (route) => route.fulfill({ status: 401, json: { errors } }));
    await page.reload();
    await page.getByText('The key was revoked.').waitFor();
    await page.keyboard.press('Escape');
    await welcomeOf(page).getByRole('button', { name: 'Use the demo key' }).waitFor();
    await welcomeOf(page).getByRole('button', { name: 'Add a key' }).click();
    expect(await focused(page)).toBe('key');
    const { page: plain } = await open({ ...desk, javaScriptEnabled: false }, demo);
    await welcomeOf(plain).waitFor();
    expect(await welcomeOf(plain).getByRole('button').count()).toBe(0);
  });

  it('writes amounts with their digits and times in English, whatever the language of the browser', async () => {
    const id = await seedShop(sql, { last_sync_at: new Date(Date.now() - 13.2 * 3_600_000) });
    for (const [currency, total] of [['BHD', '0.004'], ['NOK', '0'], ['KWD', '1.004']] as const) await seedOrder(sql, id, { order_number: currency, currency, total_price: total, subtotal_price: '1.000', total_tax: '0.004', total_shipping: '0', created_at: new Date() });
    const { page } = await openWithKey({ ...desk, locale: 'de-DE' }, keepSecret((await seedApiKey(sql, id)).apiKey));
    await page.getByText('last sync: 13 hours ago').waitFor();
    const section = tile(page, 'orders-by-day');
    for (const [currency, marks] of [
      ['BHD', ['BHD 0', 'BHD 0.001', 'BHD 0.002', 'BHD 0.003', 'BHD 0.004']],
      ['NOK', ['NOK 0', 'NOK 0.5', 'NOK 1']],
    ] as const) {
      await page.locator('select[name=currency]').selectOption(currency);
      const part = section.locator(`.currency[data-currency=${currency}]`);
      await part.waitFor();
      expect((await part.locator('.ys span').allTextContents()).map((text) => text.replace('\u00a0', ' '))).toEqual(marks);
    }
    await page.locator('#latest-orders').getByRole('link', { name: 'KWD' }).click();
    await upToDate(page, 'detail');
    expect(await tile(page, 'detail').innerText()).toMatch(/Tax\s+KWD\s0.004\s+Total\s+KWD\s1.004\s+Details/);
  }); // prettier-ignore

  it('limits the height of a long title among the key metrics', async () => {
    const id = await seedShop(sql);
    await seedProduct(sql, id, { title: 'Large stoneware mug '.repeat(15) });
    const { page } = await openWithKey(desk, keepSecret((await seedApiKey(sql, id)).apiKey));
    await upToDate(page, 'figures');
    expect((await page.locator('[data-figure=last-change]').boundingBox())?.height).toBeLessThan(200);
  });

  it('opens an object by its URL, and the page with its chosen period', async () => {
    const { page } = await openShown();
    await page.locator('select[name=period]').selectOption('30-days');
    await tile(page, 'orders-by-day').getByRole('radio', { name: 'Orders' }).check();
    expect(new URL(page.url()).searchParams.get('period')).toBe('30-days');
    await page.goto(`${page.url()}#product/nothing-of-this-name`);
    await page.reload();
    await tile(page, 'detail')
      .getByText('Not found. It may have been deleted, or the key may not have the scope to read it.')
      .waitFor();
    expect(await page.locator('select[name=period]').inputValue()).toBe('30-days');
    expect(await tile(page, 'orders-by-day').locator('input[value=count]').isChecked()).toBe(true);
  });

  it.each([
    ['Escape', (page: Page) => page.keyboard.press('Escape')],
    ['a click on Close', (page: Page) => page.getByRole('button', { name: 'Close' }).click()],
    ['a click beside it', (page: Page) => page.mouse.click(5, 300)],
  ])('Back leads out of the dashboard after the drawer was closed by %s', async (_what, close) => {
    const { page } = await open();
    let address = `${service.origin}/dashboard`;
    for (const opensList of [true, false]) {
      await page.goto('about:blank');
      await page.goto(address);
      if (opensList) {
        if (await page.locator('.welcome').isVisible()) await giveKey(page, apiKey);
        await upToDate(page, 'stock');
        await page.locator('#stock li a').first().click();
      }
      await upToDate(page, 'detail');
      address = page.url();
      // From one object to another and back.
      await page.evaluate("location.hash = '#product/nothing'");
      await tile(page, 'detail').getByText('Not found.').waitFor();
      await page.goBack();
      await tile(page, 'detail').getByText('Not found.').waitFor({ state: 'detached' });
      await page.goForward();
      await tile(page, 'detail').getByText('Not found.').waitFor();
      await close(page);
      await page.waitForURL(({ hash }) => hash === '');
      expect(await page.locator('#drawer').isVisible()).toBe(false);
      await page.goBack();
      await page.waitForURL('about:blank');
    }
  });

  it('shows best sellers in one currency at a time: the rows, and what they are sorted by', async () => {
    const { page } = await openShown({ ...desk, timezoneId: 'UTC' });
    await page.locator('select[name=period]').selectOption('all');
    const section = tile(page, 'best-sellers');
    for (const [currency, sign] of [['EUR', '€'], ['USD', '$'], ['unknown currency', '']] as const) {
      await page.locator('select[name=currency]').selectOption(currency);
      await section.getByRole('button', { name: `Revenue (${currency})` }).click();
      await section.locator('th[aria-sort=descending]', { hasText: `Revenue (${currency})` }).waitFor();
      await upToDate(page, 'best-sellers');
      const expected = await sql<{ sum: string }>(
        `SELECT sum((line->>'total')::numeric)::text AS sum FROM orders, jsonb_array_elements(line_items) AS line
          WHERE shop_id = $1 AND currency IS NOT DISTINCT FROM $2 GROUP BY line->>'sku', line->>'title'`,
        [shopId, currency === 'unknown currency' ? null : currency],
      );
      const shown = await section.locator('tbody td:last-child').allTextContents();
      expect(shown.every((text) => text.startsWith(sign))).toBe(true);
      const amounts = shown.map((text) => Number(text.replace(/[^\d.]/g, '')));
      const sums = expected.map(({ sum }) => Number(sum));
      expect(amounts).toEqual(amounts.toSorted((one, other) => other - one));
      expect(amounts.reduce((one, other) => one + other, 0)).toBeCloseTo(sums.reduce((one, other) => one + other, 0));
    }
    expect(new URL(page.url()).searchParams.get('currency')).toBe('unknown currency');
  }); // prettier-ignore

  it('moves the focus to the first row that “Show more” added', async () => {
    const { page } = await openShown();
    const id = await seedShop(sql, { name: 'Many lines' });
    const lines = Array.from({ length: 12 }, (_, index) => ({ title: `Line ${index}`, sku: `L-${index}`, quantity: 1, unit_price: '1.00', total: '1.00', product_external_id: null, variant_external_id: null })); // prettier-ignore
    await seedOrder(sql, id, { currency: 'EUR', line_items: lines, created_at: new Date() });
    await giveKey(page, keepSecret((await seedApiKey(sql, id)).apiKey));
    await page.getByRole('heading', { name: 'Many lines' }).waitFor();
    const section = tile(page, 'best-sellers');
    await section.getByRole('button', { name: 'Show more' }).press('Enter');
    await section.locator('tbody tr').nth(11).waitFor();
    const ninth = await section.locator('tbody tr').nth(8).innerText();
    expect(await page.evaluate('document.activeElement.innerText')).toBe(ninth);
  });

  it('shows what each key did', async () => {
    const { page } = await openShown();
    const cells = await tile(page, 'usage').locator('tbody tr').first().locator('td').allInnerTexts();
    expect(cells.slice(-5)).toEqual(['12', '1', '2', '3,456', '7']);
  });

  it('saves each table as CSV, and the chart as PNG', async () => {
    const { page } = await openShown();
    for (const { id, saves = [] } of views) {
      if (!saves.includes('CSV')) continue;
      const waiting = page.waitForEvent('download');
      await tile(page, id).locator('[data-save=CSV]').click();
      const lines = readFileSync(await (await waiting).path(), 'utf8').split('\r\n');
      expect({ id, lines: lines.length > 2, head: lines[0]?.startsWith('\ufeff') }).toEqual({
        id,
        lines: true,
        head: true,
      });
      // Text that a spreadsheet would run as a formula stays text.
      expect(lines.filter((line) => /(?:^|[,;|\t])"?[=+@＝＋－＠]/.test(line))).toEqual([]);
    }
    const waiting = page.waitForEvent('download');
    await tile(page, 'orders-by-day').locator('[data-save=PNG]').click();
    const picture = await waiting;
    expect(picture.suggestedFilename()).toMatch(/^orders-by-day-(?:30-days|90-days|52-weeks|all)\.png$/);
    const bytes = readFileSync(await picture.path());
    expect(bytes.subarray(1, 4).toString()).toBe('PNG');
  });

  it('shows the numbers of a bar on hover and by arrow keys', async () => {
    const { page } = await openShown();
    const plot = tile(page, 'orders-by-day').locator('.plot');
    await plot.focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await plot.locator('.hover').waitFor();
    expect(await plot.locator('.hover').innerText()).toMatch(/orders/);
    await page.keyboard.press('Escape');
    expect(await plot.locator('.hover').isVisible()).toBe(false);
    await plot.locator('.field-of').hover();
    await plot.locator('.hover').waitFor();
  });

  it('keeps the table of the chart open while switching the measure', async () => {
    const { page } = await openShown();
    const section = tile(page, 'orders-by-day');
    await section.getByText('View as table').click();
    await section.getByRole('radio', { name: 'Orders' }).check();
    await section.locator('.big', { hasText: /totaling/ }).waitFor();
    expect(await section.locator('.numbers').getAttribute('open')).toBe('');
    await section.locator('.numbers table').waitFor();
  });

  it('leads to the explorer with the query and the variables of a tile', async () => {
    const demo = await start({ demoApiKey: apiKey }, { RATE_LIMIT_REQUESTS: '1000' });
    const { page, complaints } = await open(desk, demo);
    await upToDate(page, 'stock');
    await tile(page, 'orders-by-day').locator('.plot').waitFor();
    await tile(page, 'orders-by-day').locator('[data-explore]').click();
    await page.locator('.result-window', { hasText: '"orderFigures"' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('names the query of each fold, even if only an icon is visible', async () => {
    const { page } = await readShown();
    for (const { id, title } of views) {
      // Omits what is not displayed, as screen readers do.
      const name = await tile(page, id).locator('.behind > summary').innerText();
      expect(name.replace(/\s*:\s*/, ': ')).toBe(`View query: ${title}`);
    }
  });

  it('can be used with the keyboard alone', async () => {
    const { page } = await open();
    const tabTo = async (name: string) => {
      const seen: string[] = [];
      while (seen.length < 120 && seen.at(-1) !== name) {
        await page.keyboard.press('Tab');
        seen.push(await focused(page));
      }
      expect(seen.at(-1)).toBe(name);
    };
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Skip to content');
    await tabTo('Add a key');
    await page.keyboard.press('Enter');
    expect(await focused(page)).toBe('key');
    await page.keyboard.type(apiKey);
    await page.keyboard.press('Enter');
    for (const id of runsAlone) await upToDate(page, id);
    await tabTo('period');
    await page.keyboard.press('ArrowDown');
    await tile(page, 'orders-by-day').getByText('"interval": "DAY"').waitFor({ state: 'attached' });
    await upToDate(page, 'orders-by-day');
    await page.keyboard.press('Shift+Tab');
    expect(await focused(page)).toBe('text');
    await page.keyboard.type('CUP-5-1');
    await upToDate(page, 'search');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Escape');
    expect([await focused(page), await tile(page, 'search').locator('li').count()]).toEqual(['text', 0]);
    await page.keyboard.press('Enter');
    await upToDate(page, 'search');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await tile(page, 'detail').getByRole('heading', { name: 'Cup 05' }).waitFor();
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Close');
    await tabTo('View query: Details');
    await page.keyboard.press('Enter');
    expect(await tile(page, 'detail').locator('[data-document]').isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    expect(await focused(page)).toBe('text');
  });

  it('searches on Enter only for a letter or digit', async () => {
    const { page, sent } = await openShown();
    const { length } = sent;
    const field = tile(page, 'search').getByRole('searchbox');
    for (const text of ['', '!!!']) {
      await field.fill(text);
      await field.press('Enter');
    }
    await field.fill('Cup 02');
    await field.press('Enter');
    await upToDate(page, 'search');
    expect(sent.slice(length).map(({ variables }) => (variables as { text: string }).text)).toEqual(['Cup 02']);
  });

  it('keeps the key only in this tab, for all its pages', async () => {
    const { page } = await openShown();
    const leftovers = 'JSON.stringify([localStorage.length, sessionStorage.length, document.cookie, location.href])';
    expect(await page.evaluate(leftovers)).toBe(JSON.stringify([0, 1, '', `${service.origin}/dashboard`]));
    expect(await page.content()).not.toContain(apiKey);
    await page.reload();
    for (const id of runsAlone) await upToDate(page, id);
    expect(await page.locator('input[name=key]').inputValue()).toBe('');
    expect(await page.locator('[data-key-name]').innerText()).toBe('Your key');
    await page.locator('button.key').click();
    await page.getByRole('button', { name: 'Remove the key' }).click();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    for (const id of runsAlone) expect(await tile(page, id).locator('[data-output]').innerText()).toBe('');
    await welcomeOf(page).getByRole('button', { name: 'Add a key' }).click();
    expect(await focused(page)).toBe('key');
    await page.evaluate("location.hash = '#product/cup-02'");
    await page.getByText(/^The dashboard needs a key/).waitFor();
  });

  describe('gives a reason if there is nothing to show:', () => {
    const openShop = async (id: string) => {
      const { page, complaints } = await openWithKey(desk, keepSecret((await seedApiKey(sql, id)).apiKey));
      for (const each of runsAlone) await upToDate(page, each);
      expect(complaints).toEqual([]);
      expect(await page.locator('tbody:empty, ul:empty').count()).toBe(0);
      return (each: string) => tile(page, each).locator('[data-output]').innerText();
    };

    it('a shop without anything', async () => {
      const wordsOf = await openShop(await seedShop(sql));
      for (const id of ['breakdown', 'changed-last']) expect(await wordsOf(id)).toBe('This shop has no products.');
      for (const id of ['orders-by-day', 'latest-orders']) expect(await wordsOf(id)).toBe('This shop has no orders.');
      expect(await wordsOf('usage')).toBe('No key was used in the last 30 days.');
      expect(await wordsOf('figures')).toMatch(/Orders\s+0\s+This shop has no orders\./);
    });

    it('orders with and without a date, of which those with one come first', async () => {
      const id = await seedShop(sql);
      await seedOrder(sql, id, { order_number: '7001', created_at: null });
      await seedOrder(sql, id, { order_number: '7002', created_at: new Date() });
      const wordsOf = await openShop(id);
      expect(await wordsOf('figures')).toMatch(/Orders\s+1\s+.*Orders without a date: 1/);
      expect(await wordsOf('orders-by-day')).toContain('Orders without a date: 1.');
      expect(await wordsOf('latest-orders')).toMatch(/7002[^]*7001/);
    });

    it('stock that no one counts, and none that is low', async () => {
      const id = await seedShop(sql);
      for (const quantity of [null, 34]) {
        const product = await seedProduct(sql, id, { title: `Cup ${quantity}`, status: 'ACTIVE' });
        await seedVariant(sql, id, product, { inventory_quantity: quantity });
      }
      const wordsOf = await openShop(id);
      expect(await wordsOf('figures')).toMatch(/Out of stock\s+0\s+0 low, 1 unknown/);
      expect(await wordsOf('stock')).toBe('No active products have 1 to 12 in stock.');
    });
  });

  it('shows the rest if a scope is missing, and the tile says so', async () => {
    const catalogOnly = await seedApiKey(sql, shopId, { scopes: ['catalog:read', 'account:read'] });
    const { page, complaints } = await openWithKey(desk, catalogOnly.apiKey);
    for (const id of ['stock', 'breakdown', 'changed-last']) await upToDate(page, id);
    for (const id of ['figures', 'orders-by-day', 'latest-orders']) {
      const problem = tile(page, id).locator('.problem');
      await problem.first().waitFor();
      expect(await problem.first().innerText()).toMatch(/orders:read/);
    }
    expect(await page.locator('[data-figure=products]').isVisible()).toBe(true);
    expect(complaints).toEqual([]);
  });

  it('renews a token once for all tiles', async () => {
    const { page } = await openShown();
    let tokens = 0;
    await page.route('**/oauth/token', (route) =>
      route.fulfill({ json: { access_token: apiKey, expires_in: (tokens += 1) === 1 ? 60 : 3600 } }),
    );
    await page.evaluate(`sessionStorage.setItem('catalog-key', '{"client":{"id":"a","secret":"b","scopes":[]}}')`);
    await page.reload();
    for (const id of runsAlone) await upToDate(page, id);
    expect(tokens).toBe(2);
  });

  it('refuses what cannot be a key before it is sent', async () => {
    const { page, sent } = await openWithKey(desk, 'ключ 1');
    await page.getByText(/^Expected printable ASCII/).waitFor();
    await giveKey(page, ' ', { isOpen: true });
    await page.getByText(/^Enter a key, or a client ID/).waitFor();
    expect(sent).toEqual([]);
  });

  it('accepts a key while parts of the page are still loading, and says which part did not load', async () => {
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
    await page.locator('[data-key-name]', { hasText: 'Your key' }).waitFor();
    await upToDate(page, 'breakdown');
    load();
    await search(page, 'Cup 02');
    await tile(page, 'stock').getByText('This tile did not load: reload the page.').waitFor();
    // Without the script of the shop, no tile waits for its period.
    await page.route('**/shop.js', (route) => route.abort());
    await page.reload();
    await tile(page, 'shop').getByText('This tile did not load: reload the page.').waitFor();
    await page.locator('[aria-busy]').first().waitFor({ state: 'detached' });
  });

  it('waits for the limit as Retry-After says, says so, and then shows all numbers', async () => {
    let window = createMemoryRateLimiter({ points: 4 });
    const localRateLimiter: RateLimiter = {
      limit: 4,
      consume: (bucket) => window.consume(bucket),
    };
    const limited = await start({ localRateLimiter });
    const { page, sent } = await open(desk, limited);
    await page.clock.install();
    await page.reload();
    // One call finds out which shop the key belongs to.
    await giveKey(page, apiKey);
    // Exactly once on the page.
    await page.getByText(/Next attempt at [\d:]+\s[AP]M\.$/).waitFor();
    await page.locator('[data-shown=whole]').nth(2).waitFor({ state: 'attached' });
    expect(await page.locator('[data-shown=whole]').count()).toBe(3);
    const before = sent.length;
    window = createMemoryRateLimiter({ points: 100 });
    await page.clock.fastForward(61_000);
    for (const id of runsAlone) await upToDate(page, id);
    expect(await tile(page, 'stock').locator('li').count()).toBe(4);
    expect(sent.length - before).toBe(runsAlone.length - 3);
    expect(await page.getByText('Next attempt').isVisible()).toBe(false);
  });
});

const welcomeOf = (page: Page): Locator => page.locator('.welcome');

const tile = (page: Page, id: string): Locator => page.locator(`[data-view="${id}"]`);

async function giveKey(page: Page, key: string, { isOpen = false } = {}) {
  if (!isOpen) await page.locator('button.key').click();
  await page.locator('input[name=key]').fill(key);
  await page.getByRole('button', { name: 'Use this key' }).click();
}

const upToDate = (page: Page, id: string) =>
  page.locator(`[data-view="${id}"][data-shown="whole"]:not([aria-busy])`).waitFor({ state: 'attached' });

async function search(page: Page, text: string, { waits = true } = {}) {
  await tile(page, 'search').getByRole('searchbox').fill(text);
  if (waits) await upToDate(page, 'search');
}

const momentsOf = async (rows: Locator): Promise<(string | null)[]> =>
  Promise.all((await rows.locator('time').all()).map((each) => each.getAttribute('datetime')));

/** The rows of a table, found by its caption in the page's own document, including hidden rows. */
async function readRows(place: Locator, caption: string): Promise<string[][]> {
  // A table in a collapsed section is created when the section opens.
  for (const fold of await place.locator('details.numbers:not([open]) > summary').all()) await fold.click();
  await place.locator('table').first().waitFor({ state: 'attached' });
  const rows = place
    .locator('table')
    .filter({ has: place.page().locator('caption', { hasText: caption }) })
    .locator('tbody tr');
  return Promise.all((await rows.all()).map((row) => row.locator('td').allTextContents()));
}

const sorted = <Row>(rows: readonly Row[]): Row[] =>
  rows.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));

/** How a person would refer to the element with the focus. */
const focused = (page: Page) =>
  page.evaluate<string>('document.activeElement.name || document.activeElement.textContent.trim()');
