import type { Browser, BrowserContext, Page, Request } from 'playwright-core';
import { devices } from 'playwright-core';
import { operations } from '../../rest/operations';
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
import { startDemo } from './start-demo';

const phone = { viewport: devices['Pixel 5'].viewport, isMobile: true, hasTouch: true };
const windows = [
  ['desk', 'light', desk],
  ['desk', 'dark', desk],
  ['phone', 'light', phone],
  ['phone', 'dark', phone],
] as const;

describeInChromium('in Chromium, without the internet', () => {
  let demo: Awaited<ReturnType<typeof startDemo>>;
  let browser: Browser;
  const contexts: BrowserContext[] = [];

  beforeAll(async () => {
    demo = await startDemo({ RATE_LIMIT_REQUESTS: '1000' });
    browser = await launchChromium(withoutInternet);
  });
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()));
  });
  afterAll(async () => {
    await browser?.close();
    await demo?.close();
  });

  async function open(path: string, options: Parameters<Browser['newContext']>[0] = desk) {
    const { context, ...opened } = await openWatched(browser, `${demo.origin}${path}`, options);
    contexts.push(context);
    return opened;
  }

  const consoleOf = (page: Page, operationId: string) => page.locator(`form[data-operation="${operationId}"]`);

  describe.each(windows)('on a %s in %s colours', (_device, colorScheme, options) => {
    it.each(['/', '/reference'])(
      '%s fits its window, asks no other host for anything, and every criterion of WCAG 2.2 that can be checked holds',
      async (path) => {
        const { page, foreign, complaints } = await open(path, { ...options, colorScheme, bypassCSP: true });
        await page.locator('h1').waitFor();
        expect(await overflowOf(page)).toBe(0);
        expect(await backgroundOf(page)).toBe(colorScheme === 'dark' ? 'rgb(20, 23, 28)' : 'rgb(255, 255, 255)');
        expect(await findViolations(page)).toEqual([]);
        expect({ foreign, complaints }).toEqual({ foreign: [], complaints: [] });
      },
    );
  });

  it.each(operations.map(({ operationId }) => operationId))(
    '%s and its twin run from the page, with equal data',
    async (operationId) => {
      const { page, foreign, complaints } = await open('/reference');
      const form = consoleOf(page, operationId);
      // The demo shop's products have ids of this database: a list names one.
      if (operationId === 'getProduct') await runBoth(consoleOf(page, 'listProducts'));
      await runBoth(form);
      expect(await form.locator('[data-comparison]').innerText()).toBe('Both sides returned equal data.');
      for (const surface of ['rest', 'graphql']) {
        expect(await form.locator(`[data-${surface}-state]`).innerText()).toMatch(
          /^Status 200, \d+ ms, \d+ requests left\.$/,
        );
        expect(await form.locator(`[data-${surface}-response]`).innerText()).toContain('"data"');
      }
      expect({ foreign, complaints }).toEqual({ foreign: [], complaints: [] });
    },
  );

  it('shows the call and the variables of what is filled in, and what the server says of it', async () => {
    const { page } = await open('/reference');
    const form = consoleOf(page, 'listProducts');
    await form.getByLabel('status').selectOption('DRAFT');
    await form.getByLabel('q', { exact: true }).fill('é & "ü"');
    await form.getByLabel('limit').fill('500');
    expect(await form.locator('[data-rest-call]').innerText()).toContain(
      `${demo.origin}/v1/products?q=%C3%A9+%26+%22%C3%BC%22&status=DRAFT&limit=500`,
    );
    expect(JSON.parse(await form.locator('[data-graphql-variables]').innerText())).toEqual({
      first: 500,
      filter: { query: 'é & "ü"', status: 'DRAFT' },
    });
    await runBoth(form);
    expect(await form.locator('[data-rest-state]').innerText()).toMatch(/^Status 400.* What BAD_USER_INPUT means$/);
    expect(await form.locator('[data-graphql-state]').innerText()).toMatch(/What BAD_USER_INPUT means$/);
    await form.locator('[data-rest-state] a').click();
    await page.waitForURL(/#BAD_USER_INPUT$/);
  });

  it('authorises by client credentials, with the scopes that are ticked', async () => {
    const { page, foreign } = await open('/reference');
    const [id = '', secret = ''] = demo.demoApiKey.split('.');
    const credential = page.locator('form[data-credential=client]');
    await credential.getByLabel('Client id').fill(id);
    await credential.getByLabel('Client secret').fill('wrong');
    await credential.getByLabel('catalog:read').check();
    await credential.getByRole('button').click();
    await page.getByText(/^No token\. invalid_client: /).waitFor();
    await credential.getByLabel('Client secret').fill(secret);
    await credential.getByRole('button').click();
    await page.getByText(/^A token with catalog:read is used by all consoles below/).waitFor();

    const products = consoleOf(page, 'listProducts');
    await runBoth(products);
    expect(await products.locator('[data-comparison]').innerText()).toBe('Both sides returned equal data.');
    const orders = consoleOf(page, 'listOrders');
    await runBoth(orders);
    expect(await orders.locator('[data-rest-state]').innerText()).toMatch(/^Status 403.* What FORBIDDEN means$/);
    expect(await orders.locator('[data-graphql-state]').innerText()).toMatch(/^Status 200.* What FORBIDDEN means$/);
    expect(foreign).toEqual([]);
  });

  it('can be used with the keyboard alone', async () => {
    const { page } = await open('/reference');
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    const seen: string[] = [];
    // From the content on: the key, the client's credentials, the scopes, then the first operation.
    const state = consoleOf(page, 'getShop').locator('[data-comparison]');
    for (let steps = 0; steps < 60 && (seen.at(-1) ?? '') !== 'Run both'; steps += 1) {
      await page.keyboard.press('Tab');
      seen.push(await focused(page));
    }
    expect(seen).toEqual(expect.arrayContaining(['Use this key', 'Fetch a token', 'If-None-Match', 'Run both']));
    await page.keyboard.press('Enter');
    await state.getByText('Both sides returned equal data.').waitFor();
  });

  it('asks for a credential where there is none, and keeps none', async () => {
    const { page } = await open('/reference');
    await page.evaluate('document.querySelector("meta[name=demo-key]").remove()');
    expect(await page.evaluate('localStorage.length + sessionStorage.length + document.cookie.length')).toBe(0);
    await page.route('**/reference', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replace(/<meta name="demo-key"[^>]*>/, '') });
    });
    await page.reload();
    const form = consoleOf(page, 'getShop');
    await form.getByRole('button').click();
    await form.getByText(/^Expected a credential, got none/).waitFor();
    expect(await focused(page)).toBe('key');
    await page.keyboard.type(demo.demoApiKey);
    await page.keyboard.press('Enter');
    await runBoth(form);
    expect(await form.locator('[data-comparison]').innerText()).toBe('Both sides returned equal data.');
  });

  it('sends every call of its pages below the path of PUBLIC_URL', async () => {
    const prefixed = await startDemo({ PUBLIC_URL: 'https://shop.example/catalog', RATE_LIMIT_REQUESTS: '1000' });
    try {
      const paths: string[] = [];
      const visit = async (path: string) => {
        const onRequest = (request: Request) => void paths.push(new URL(request.url()).pathname);
        const address = `${prefixed.origin}/catalog${path}`;
        const { context, ...opened } = await openWatched(browser, address, { ...desk, onRequest });
        contexts.push(context);
        return opened;
      };
      const { page, complaints } = await visit('/reference');
      const [id = '', secret = ''] = prefixed.demoApiKey.split('.');
      const credential = page.locator('form[data-credential=client]');
      await credential.getByLabel('Client id').fill(id);
      await credential.getByLabel('Client secret').fill(secret);
      await credential.getByRole('button').click();
      await page.getByText(/^A token with /).waitFor();
      const form = consoleOf(page, 'listProducts');
      expect(await form.locator('[data-rest-call]').innerText()).toContain(`"${prefixed.origin}/catalog/v1/products?`);
      await runBoth(form);
      expect(await form.locator('[data-comparison]').innerText()).toBe('Both sides returned equal data.');

      const dashboard = await visit('/dashboard');
      await dashboard.page.locator('#stock [data-output] *').first().waitFor();
      const explorer = await visit('/explorer');
      await explorer.page.getByRole('button', { name: /execute query/i }).click();
      await explorer.page.locator('.result-window', { hasText: '"data"' }).waitFor();

      expect([complaints, dashboard.complaints, explorer.complaints]).toEqual([[], [], []]);
      expect(paths.filter((path) => !path.startsWith('/catalog/'))).toEqual([]);
      expect(paths).toEqual(
        expect.arrayContaining(['/catalog/oauth/token', '/catalog/v1/products', '/catalog/graphql']),
      );
    } finally {
      await prefixed.close();
    }
  });

  it('is readable without JavaScript', async () => {
    const { page } = await open('/reference', { ...desk, javaScriptEnabled: false });
    await page.locator('#getShop h2').waitFor();
    expect(await page.locator('#errors').innerText()).toContain('RATE_LIMITED');
    expect(await page.locator('#credential').innerText()).toContain('The consoles need JavaScript');
  });
});

/** Presses the button and waits for both answers. */
async function runBoth(form: ReturnType<Page['locator']>) {
  await form.getByRole('button', { name: 'Run both' }).click();
  await form.locator('[data-comparison]', { hasText: /^(Both|The|At)/ }).waitFor();
}

/** What a person would call the element that has the focus. */
const focused = (page: Page) =>
  page.evaluate<string>('document.activeElement.name || document.activeElement.textContent.trim()');
