import { mkdirSync } from 'node:fs';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { devices } from 'playwright-core';
import { startApp, type RunningApp } from '../support/app';
import { describeInChromium, desk, launchChromium, overflowOf, withoutInternet } from '../support/chromium';
import { createTestDatabase, type TestDatabase } from '../support/test-database';
import findFaults from './find-faults.cjs';
import { seedShops, type Shops } from './seed-shops';
import { states, type PageState } from './states';

const windows = { desk: desk.viewport, phone: devices['Pixel 5'].viewport };
const colors = ['light', 'dark'] as const;
/** Also at 400% zoom on a desktop, as in WCAG 1.4.10. */
const looks = [
  ...Object.entries(windows).flatMap(([window, viewport]) => colors.map((color) => ({ window, viewport, color }))),
  { window: 'narrow phone', viewport: { width: 320, height: 640 }, color: 'light' as const },
];

/** A directory for a picture of each state, for people to look at. */
const pictures = process.env['STATES_PICTURES'];

/** What moved without the user's doing: the cumulative layout shift that Lighthouse reports. Below 0.1 is good. */
const sumOfShifts = `new Promise((resolve) => {
  const list = [];
  new PerformanceObserver((entries) => list.push(...entries.getEntries())).observe({ type: 'layout-shift', buffered: true });
  setTimeout(() => resolve(list.reduce((sum, { hadRecentInput, value }) => sum + (hadRecentInput ? 0 : value), 0)), 300);
})`;

/** How far one has to scroll on a phone at most. */
const tallest: Readonly<Record<string, number>> = {
  '/reference': 12_000,
  '/reference/graphql': 12_000,
  '/dashboard': 5_600,
};

const rows = states.flatMap(({ pages, ...state }) =>
  Object.entries(pages).map(([path, shows]) => ({ path, name: state.state, state, shows })),
);

describeInChromium('pages after somebody touched them', () => {
  let database: TestDatabase;
  let service: RunningApp;
  let browser: Browser;
  let shops: Shops;

  beforeAll(async () => {
    database = await createTestDatabase();
    shops = await seedShops(database.sql);
    service = await startApp({ database: database.database }, { RATE_LIMIT_REQUESTS: '10000' });
    browser = await launchChromium(withoutInternet);
    if (pictures !== undefined) mkdirSync(pictures, { recursive: true });
  });
  afterAll(async () => {
    await browser?.close();
    await service?.app.close();
    await database?.drop();
  });

  async function open(
    path: string,
    { key, calls, withoutJavaScript }: Omit<PageState, 'pages'>,
    viewport = desk.viewport,
  ): Promise<Page> {
    const context: BrowserContext = await browser.newContext({
      viewport,
      reducedMotion: 'reduce',
      javaScriptEnabled: withoutJavaScript !== true,
    });
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    if (key !== undefined) {
      const entered = JSON.stringify({ key: shops[key], text: 'Shop: Own shop.' });
      await context.addInitScript(`sessionStorage.setItem('catalog-key', ${JSON.stringify(entered)})`);
    }
    // The explorer reads the schema, which needs no key, from the same path.
    if (calls !== undefined)
      await context.route(/\/(?:graphql|v1\/[^?]*)(?:\?.*)?$/, (route) =>
        route.request().isNavigationRequest() || route.request().postData()?.includes('IntrospectionQuery')
          ? route.continue()
          : calls(route),
      );
    await page.goto(`${service.origin}${path}`);
    return page;
  }

  // Without scripts, nothing can measure.
  const kept = rows.filter(
    ({ state, shows }) =>
      state.typed === undefined && !state.withoutJavaScript && !Array.isArray(shows) && state.calls?.name !== 'never',
  );
  it.each(kept)('$path, $name: nothing moves when it loads', async ({ path, state, shows }) => {
    for (const viewport of Object.values(windows)) {
      const page = await open(path, state, viewport);
      await page.getByText(shows as RegExp).filter({ visible: true }).first().waitFor();
      await page.waitForLoadState('networkidle');
      const shifts = Number(await page.evaluate(sumOfShifts));
      expect([viewport, shifts < 0.1 ? 0 : shifts]).toEqual([viewport, 0]);
      await page.context().close();
    }
  }); // prettier-ignore

  it.each(rows)('$path, $name', async ({ path, state, shows }) => {
    const page = await open(path, state);
    const [text, act] = shows instanceof RegExp ? [shows, undefined] : shows;
    if (state.typed !== undefined) {
      await page.locator('button.key').click();
      await page.locator('input[name=key]').fill(state.typed === 'wrong' ? 'ck_unknown.secret' : shops.revoked);
      await page.getByRole('button', { name: 'Use this key' }).click();
      await page.locator('button.key.wrong').waitFor();
    }
    await act?.(page);
    const faults: string[] = [];
    const shown = page.locator('body').getByText(text).filter({ visible: true }).first();
    await shown.waitFor({ timeout: 20_000 }).catch(() => faults.push(`text: ${String(text)} is not there`));
    // A page that waits for a slow network stays busy, as does what scripts would show.
    if (state.calls === undefined && !state.withoutJavaScript) await page.locator('main:not(:has([aria-busy]))').waitFor();
    for (const { window, viewport, color } of looks) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme: color });
      if (pictures !== undefined) {
        await page.evaluate('scrollTo(0, 0)');
        const name = [state.state, path.slice(1).replace('/', '-') || 'home', window, color].join('_').replaceAll(' ', '-');
        await page.screenshot({ path: `${pictures}/${name}.png`, fullPage: true });
      }
      const focuses = color === 'light' && state.withoutJavaScript !== true;
      if (focuses) await page.keyboard.press('Tab');
      const height = await page.evaluate<number>('document.scrollingElement.scrollHeight');
      if (window === 'phone' && height > (tallest[path] ?? Infinity)) faults.push(`${height} pixels tall`);
      for (const fault of await page.evaluate(findFaults, { focuses })) faults.push(`${window}, ${color}: ${fault}`);
    }
    await page.evaluate("for (const fold of document.querySelectorAll('main details')) fold.open = true");
    for (const { window, viewport } of looks) {
      await page.setViewportSize(viewport);
      if ((await overflowOf(page)) > 0) faults.push(`${window}: wider than the window when all is unfolded`);
    }
    await page.context().close();
    expect(faults).toEqual([]);
  }); // prettier-ignore
});
