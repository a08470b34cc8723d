import type { Browser, BrowserContext, Page, Request } from 'playwright-core';
import { operations } from '../../rest/operations';
import {
  backgroundOf,
  describeInChromium,
  desk,
  launchChromium,
  openWatched,
  withoutInternet,
} from '../support/chromium';
import { keepSecret } from '../support/private-texts';
import { seedApiKey, seedShop } from '../support/seed';
import type { DemoService } from '../support/demo-service';
import { startDemoService } from '../support/demo-service';

describeInChromium('in Chromium, without the internet', () => {
  let demo: DemoService;
  let browser: Browser;
  const contexts: BrowserContext[] = [];

  beforeAll(async () => {
    demo = await startDemoService();
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

  it.each(operations.map(({ operationId }) => operationId))(
    '%s and its GraphQL equivalent run from the page, with equal data',
    async (operationId) => {
      const { page, foreign, complaints } = await open('/reference');
      const form = consoleOf(page, operationId);
      await runBoth(form);
      expect(await form.locator('[data-comparison]').innerText()).toBe(equal);
      expect(await form.locator('[data-state]').innerText()).toMatch(/^200 · \d+ ms · \d+ calls left$/);
      for (const surface of ['rest', 'graphql'])
        expect(await form.locator(`[data-${surface}-response]`).textContent()).toContain('"data"');
      expect(await form.locator('[data-headers]').textContent()).toContain('ratelimit-remaining: ');
      expect({ foreign, complaints }).toEqual({ foreign: [], complaints: [] });
    },
  );

  it('shows and copies the call in every language as it is filled in, and what the server says of it', async () => {
    const { page } = await open('/reference', { ...desk, permissions: ['clipboard-read', 'clipboard-write'] });
    const form = consoleOf(page, 'listProducts');
    await form.getByText('Parameters of this request').click();
    await form.getByLabel('status').selectOption('DRAFT');
    await form.getByLabel('q', { exact: true }).fill('é & "ü"');
    await form.getByLabel('limit').fill('500');
    const snippet = (language: string) => form.locator(`[data-snippet="${language}"]`).textContent();
    expect(await snippet('curl')).toContain(`--data-urlencode 'q=é & "ü"' \\\n  -d status=DRAFT \\\n  -d limit=500`);
    expect(await snippet('client')).toContain(`client.products.list({ q: 'é & "ü"', status: 'DRAFT', limit: 500 })`);
    for (const language of ['fetch', 'python', 'php']) expect(await snippet(language)).toContain('é & "ü"');
    expect(JSON.parse((await form.locator('[data-graphql-variables]').textContent()) ?? '')).toEqual({
      first: 500,
      filter: { query: 'é & "ü"', status: 'DRAFT' },
    });
    for (const [language, name] of Object.entries({ client: 'client', php: 'PHP', python: 'Python' })) {
      await form.getByRole('tab', { name }).click();
      await form.getByRole('button', { name: `Copy as ${name}` }).click();
      const written = (await snippet(language))?.replaceAll('$KEY', demo.apiKey);
      await page.waitForFunction(`navigator.clipboard.readText().then((text) => text === ${JSON.stringify(written)})`);
    }
    await runBoth(form);
    expect(await form.locator('[data-state]').innerText()).toMatch(/^400 · /);
    await form.getByText('What BAD_USER_INPUT means').click();
    await page.waitForURL(/#BAD_USER_INPUT$/);
  });

  it('keeps the chosen language in all boxes and pages', async () => {
    const { page } = await open('/reference');
    await consoleOf(page, 'listOrders').getByRole('tab', { name: 'Python' }).click();
    for (const form of ['getShop', 'listOrders'])
      expect(await consoleOf(page, form).locator('[data-snippet=python]').isVisible()).toBe(true);
    await page.reload();
    expect(await consoleOf(page, 'listProducts').locator('[data-snippet=python]').isVisible()).toBe(true);
    await consoleOf(page, 'listProducts').getByRole('tab', { name: 'Python' }).press('ArrowRight');
    expect(await focused(page)).toBe('PHP');
  });

  it('authorizes by client credentials, with the scopes that are ticked', async () => {
    const { page, foreign } = await open('/reference');
    const [id = '', secret = ''] = demo.apiKey.split('.');
    const credential = page.locator('form[data-credential=key]');
    await page.locator('button.key').click();
    await credential.getByText('Client id and secret instead').click();
    await credential.getByLabel('Client id').fill(id);
    await credential.getByLabel('Client secret').fill('wrong');
    await credential.getByLabel('catalog:read').check();
    await credential.getByRole('button', { name: 'Use this key' }).click();
    await page.getByText(/^invalid_client: /).waitFor();
    await credential.getByLabel('Client secret').fill(secret);
    await credential.getByRole('button', { name: 'Use this key' }).click();
    await page.locator('[data-key-name]', { hasText: 'Your client' }).waitFor();

    const products = consoleOf(page, 'listProducts');
    await runBoth(products);
    expect(await products.locator('[data-comparison]').innerText()).toBe(equal);
    const orders = consoleOf(page, 'listOrders');
    await runBoth(orders);
    expect(await orders.locator('[data-state]').innerText()).toMatch(/^403 · /);
    expect(await orders.locator('[data-comparison]').innerText()).toMatch(/What FORBIDDEN means$/);
    expect(foreign).toEqual([]);
  });

  it('says once, at the key, that a key is wrong or missing, and stores none unless asked to', async () => {
    const { page } = await open('/reference');
    await page.route('**/reference', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replace(/<meta name="demo-key"[^>]*>/, '') });
    });
    await page.reload();
    expect(await page.locator('[data-key-name]').innerText()).toBe('Add a key');
    const form = consoleOf(page, 'getShop');
    const state = page.locator('[data-key-state]');
    await form.getByRole('button', { name: 'Send' }).click();
    await state.getByText(/^Add a key to/).waitFor();
    expect(await focused(page)).toBe('key');
    await page.keyboard.type('ck_wrong.key');
    await page.keyboard.press('Enter');
    await form.getByRole('button', { name: 'Send' }).click();
    await state.getByText(/credential|key/i).waitFor();
    await page.locator('button.key.wrong').waitFor();
    await page.locator('#key-text').fill(demo.apiKey);
    await page.keyboard.press('Enter');
    await runBoth(form);
    expect(await form.locator('[data-comparison]').innerText()).toBe(equal);
    await page.locator('button.key').click();
    await page.locator('[data-key-state]', { hasText: /^Shop: Nordlicht/ }).waitFor();
  });

  describe('a key that is entered on one page', () => {
    const pages = ['/', '/reference', '/reference/graphql', '/dashboard', '/explorer'];
    let ownShop: string;
    let ownKey: string;
    beforeAll(async () => {
      ownShop = await seedShop(demo.sql, { name: 'Own shop' });
      ownKey = keepSecret((await seedApiKey(demo.sql, ownShop)).apiKey);
    });

    /** A page of the demo on which another key is entered, and the credentials that it sends from then on. */
    async function enter(path: string, fill: (page: Page) => Promise<void>) {
      const credentials = new Set<string | undefined>();
      const { page, complaints } = await open(path);
      await page.locator('[data-key-name]', { hasText: 'Demo key' }).waitFor();
      await page.locator('button.key').click();
      await page.waitForLoadState('networkidle');
      page.on('request', (request) => {
        if (/\/(?:graphql|v1\/.*)$/.test(request.url())) credentials.add(request.headers()['authorization']);
      });
      await fill(page);
      await page.getByRole('button', { name: 'Use this key' }).click();
      return { page, complaints, credentials };
    }
    const byKey = (key: string) => (page: Page) => page.locator('#key-text').fill(key);

    it.each(pages)(
      '%s is the key of all pages of the tab, and is never replaced by that of the demo',
      async (first) => {
        const { page, complaints, credentials } = await enter(first, byKey(ownKey));
        await page.locator('[data-key-name]', { hasText: 'Your key' }).waitFor();
        for (const path of pages) {
          await page.goto(`${demo.origin}${path}`);
          await page.waitForLoadState('networkidle');
          expect([path, await page.locator('[data-key-name]').innerText()]).toEqual([path, 'Your key']);
          await page.locator('button.key').click();
          expect(await page.locator('[data-key-state]').innerText()).toBe(
            'Shop: Own shop. All pages in this tab use this key.',
          );
        }
        expect([...credentials]).toEqual([`Bearer ${ownKey}`]);
        expect(complaints).toEqual([]);
        await page.getByRole('button', { name: 'Back to the demo key' }).click();
        await page.reload();
        await page.locator('[data-key-name]', { hasText: 'Demo key' }).waitFor();
      },
    );

    it('may also be a client id with its secret', async () => {
      const [id = '', secret = ''] = ownKey.split('.');
      const { page, credentials } = await enter('/reference', async (opened) => {
        await opened.getByText('Client id and secret instead').click();
        await opened.getByLabel('Client id').fill(id);
        await opened.getByLabel('Client secret').fill(secret);
      });
      await page.locator('[data-key-name]', { hasText: 'Your client' }).waitFor();
      await page.goto(`${demo.origin}/dashboard`);
      await page.getByRole('heading', { name: 'Own shop' }).waitFor();
      await page.goto(`${demo.origin}/explorer`);
      await page.locator('.result-window', { hasText: '"data"' }).waitFor();
      expect(credentials).not.toContain(`Bearer ${demo.apiKey}`);
    });

    it.each(pages)(
      '%s is red with its reason when it is refused, on each page, and no other key is used',
      async (first) => {
        const { page, credentials } = await enter(first, byKey('nonsense'));
        await page.locator('button.key.wrong', { hasText: 'Your key was rejected' }).waitFor();
        const reason = await page.locator('[data-key-state]').innerText();
        expect(reason).toMatch(/key|credential|token/i);
        for (const path of pages) {
          await page.goto(`${demo.origin}${path}`);
          await page.waitForLoadState('networkidle');
          await page.locator('button.key.wrong').waitFor();
          expect(await page.locator('[data-key-state]').textContent()).toBe(reason);
        }
        // The explorer's introspection needs none.
        expect([...credentials].filter((each) => each !== undefined)).toEqual(['Bearer nonsense']);
      },
    );

    it('may lack the scope for reading its shop', async () => {
      const narrow = await seedApiKey(demo.sql, ownShop, { scopes: ['catalog:read'] });
      const { page } = await enter('/', byKey(keepSecret(narrow.apiKey)));
      await page.locator('[data-key-name]', { hasText: 'Your key' }).waitFor();
      expect(await page.locator('[data-key-state]').textContent()).toMatch(
        /account:read.* All pages in this tab use this key\.$/,
      );
      expect(await page.locator('.key.wrong').count()).toBe(0);
    });
  });

  it('marks responses and samples, folds the lines after the hundredth, copies them all, and turns the page', async () => {
    const { page } = await open('/reference', { ...desk, permissions: ['clipboard-read', 'clipboard-write'] });
    const form = consoleOf(page, 'listProducts');
    const answer = form.locator('.answer');
    expect(await answer.getAttribute('class')).not.toContain('real');
    await form.locator('.asks summary').click();
    await form.locator('[name=q]').fill('');
    await form.locator('[name=limit]').fill('20');
    await runBoth(form);
    expect(await answer.getAttribute('class')).toContain('real');
    const shown = form.locator('[data-rest-response] code');
    const first = (await shown.innerText()).split('\n');
    expect(first.length).toBeLessThanOrEqual(102);
    await answer.locator('[data-copy]').click();
    const copied = JSON.parse(await page.evaluate<string>('navigator.clipboard.readText()')) as Page1;
    await shown.getByRole('button', { name: /^Show all \d+ lines$/ }).click();
    expect(JSON.parse(await shown.innerText())).toEqual(copied);
    await form.getByRole('tab', { name: 'Python' }).click();
    await form.getByRole('button', { name: 'Copy as Python' }).waitFor();
    await form.getByRole('button', { name: 'Next page' }).click();
    await form.locator('[data-rest-response]').filter({ hasNotText: copied.data[0]?.id ?? '' }).waitFor();
    expect(await form.locator('[name=cursor]').inputValue()).toBe(copied.next_cursor);
  }); // prettier-ignore

  it('can be used with the keyboard alone', async () => {
    const { page } = await open('/reference');
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Skip to content');
    await page.keyboard.press('Enter');
    const seen: string[] = [];
    for (let steps = 0; steps < 80 && (seen.at(-1) ?? '') !== 'Send'; steps += 1) {
      await page.keyboard.press('Tab');
      seen.push(await focused(page));
    }
    expect(seen.at(-1)).toBe('Send');
    await page.keyboard.press('Enter');
    await consoleOf(page, 'getShop').locator('[data-comparison]', { hasText: equal }).waitFor();
  });

  it('finds parameters, members, types and codes as one types, and opens them', async () => {
    const { page } = await open('/');
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox', { name: 'Search the docs' });
    await page.locator('#hits [role=option]').first().waitFor();
    await field.fill('total_stock');
    await page
      .getByRole('option', { name: /^total_stock/ })
      .first()
      .waitFor();
    await field.press('Enter');
    await page.waitForURL(/\/reference#listProducts\.answer\.data\.total_stock$/);
    await page.keyboard.press('/');
    await field.fill('RATE_LIMITED');
    await field.press('ArrowDown');
    await field.press('ArrowUp');
    await page.keyboard.press('Escape');
    expect(await page.locator('#palette').isVisible()).toBe(false);
    await page.keyboard.press('Control+k');
    await field.fill('zzzz no such thing');
    await page.getByText('No results for “zzzz no such thing”').waitFor();
  });

  it('finds what an engineer types, whatever its case, separators and plural', async () => {
    const { page } = await open('/reference');
    await page.keyboard.press('Control+k');
    await page.locator('#hits [role=option]').first().waitFor();
    const field = page.getByRole('combobox', { name: 'Search the docs' });
    const missed: string[] = [];
    for (const [typed, name] of searches) {
      await field.fill(typed);
      const first = (await page.locator('#hits b').allTextContents()).slice(0, 6);
      if (!first.some((each) => each.startsWith(name))) missed.push(`${typed}: ${first.join(', ')}, not ${name}`);
    }
    expect(missed).toEqual([]);
  });

  it('has one theme for all pages, chosen by the user or the system', async () => {
    const { page } = await open('/', { ...desk, colorScheme: 'light' });
    const button = page.locator('.theme');
    expect(await button.getAttribute('aria-label')).toBe('Theme: system');
    await button.click();
    await button.click();
    expect(await backgroundOf(page)).toBe('rgb(19, 23, 22)');
    await page.goto(`${demo.origin}/reference`);
    expect(await backgroundOf(page)).toBe('rgb(19, 23, 22)');
    await page.locator('.theme').click();
    expect(await backgroundOf(page)).toBe('rgb(251, 250, 247)');
  });

  it('shows a live response and the shop first', async () => {
    const { page, complaints } = await open('/');
    await page.locator('[data-comparison]', { hasText: equal }).waitFor();
    expect(await page.locator('[data-state]').innerText()).toMatch(/^200 · /);
    expect(await page.locator('[data-rest-response]').innerText()).toContain('"handle": "enamel-mug-moewe"');
    await page.locator('.shelf img').first().waitFor();
    expect(await page.locator('.facts').innerText()).toMatch(
      /Products\s+63\s+Collections\s+11\s+Orders\s+970\s+Currencies\s+7/,
    );
    expect(complaints).toEqual([]);
  });

  it('sends every call of its pages below the path of PUBLIC_URL', async () => {
    const prefixed = await startDemoService({ PUBLIC_URL: 'https://shop.example/catalog' });
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
      const [id = '', secret = ''] = prefixed.apiKey.split('.');
      const credential = page.locator('form[data-credential=key]');
      await page.locator('button.key').click();
      await credential.getByText('Client id and secret instead').click();
      await credential.getByLabel('Client id').fill(id);
      await credential.getByLabel('Client secret').fill(secret);
      await credential.getByRole('button', { name: 'Use this key' }).click();
      await page.locator('[data-key-name]', { hasText: 'Your client' }).waitFor();
      const form = consoleOf(page, 'listProducts');
      expect(await form.locator('[data-snippet=curl]').innerText()).toContain(
        `"${prefixed.origin}/catalog/v1/products"`,
      );
      await runBoth(form);
      expect(await form.locator('[data-comparison]').innerText()).toBe(equal);
      await page.keyboard.press('Control+k');
      await page.locator('#hits [role=option]').first().waitFor();

      const dashboard = await visit('/dashboard');
      await dashboard.page.locator('#stock [data-output] *').first().waitFor();
      const explorer = await visit('/explorer');
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
});

/** What is typed, and the beginning of a name that must be among the first six results. */
const searches: readonly (readonly [typed: string, name: string])[] = [
  // Operations.
  ['getproducts', 'Get product'], ['getProduct', 'Get product'], ['listproducts', 'List products'], ['LISTORDERS', 'List orders'],
  ['list_collections', 'List collections'], ['getshop', 'Get shop'], ['/v1/products', 'List products'], ['GET /v1/orders', 'List orders'],
  ['productFigures', 'productFigures'], ['order_figures', 'orderFigures'],
  // Headers.
  ['authorization', 'Credentials'], ['bearer', 'Credentials'], ['etag', 'Caching'], ['If-None-Match', 'If-None-Match'], ['retry-after', 'Rate limit'],
  ['RateLimit-Remaining', 'Rate limit'], ['x-request-id', 'X-Request-Id'], ['content-type', '415 UNSUPPORTED_MEDIA_TYPE'], ['gzip', 'Caching'],
  ['last-event-id', 'Mirroring a shop'], ['x-graphql-cost', 'Query cost'],
  // Statuses and codes.
  ['304', 'Caching'], ['400', '400 BAD_USER_INPUT'], ['401', '401 UNAUTHORIZED'], ['403', '403 FORBIDDEN'], ['404', '404 NOT_FOUND'],
  ['414', 'Parameters, URLs and IDs'], ['429', '429 RATE_LIMITED'], ['500', '500 INTERNAL_SERVER_ERROR'], ['503', '503 SERVICE_UNAVAILABLE'],
  ['rate_limited', '429 RATE_LIMITED'], ['unauthorized', '401 UNAUTHORIZED'], ['resync', '410 RESYNC_REQUIRED'],
  // Formats.
  ['csv', 'Mirroring a shop'], ['ndjson', 'Mirroring a shop'], ['json', 'First call'], ['markdown', 'Reference as Markdown'], ['openapi', 'OpenAPI document'],
  ['swagger', 'OpenAPI document'], ['SDL', 'GraphQL schema'], ['google feed', 'Mirroring a shop'],
  // Settings.
  ['timeout', '503 SERVICE_UNAVAILABLE'], ['limit', 'limit'], ['page size', 'Pagination'], ['per_page', 'Pagination'], ['rate limit', 'Rate limit'],
  ['RATE_LIMIT_REQUESTS', 'Rate limit'], ['max cost', 'Query cost'],
  // OAuth.
  ['oauth', 'Token endpoint'], ['client_id', 'Credentials'], ['client secret', 'Credentials'], ['client_credentials', 'Credentials'], ['grant_type', 'Token endpoint'],
  ['jwt', 'Token endpoint'], ['jwks', 'Public keys'], ['refresh token', 'Token endpoint'], ['scope', 'Credentials'], ['catalog:read', 'Token endpoint'],
  ['invalid_client', 'Token endpoint'], ['basic auth', 'Token endpoint'],
  // Guides and pages.
  ['pagination', 'Pagination'], ['caching', 'Caching'], ['mirroring', 'Mirroring a shop'], ['mcp', 'Tools for language models'], ['first call', 'First call'],
  ['quick start', 'First call'], ['changelog', 'Changelog'], ['explorer', 'Explorer'], ['playground', 'Explorer'], ['dashboard', 'Dashboard'],
  // Other names for it, and typos.
  ['webhooks', 'changes'], ['paging', 'Pagination'], ['cursor', 'cursor'], ['login', 'Credentials'], ['llm', 'Tools for language models'], ['sse', 'Mirroring a shop'],
  ['throttling', 'Rate limit'], ['refund', 'financial_status'], ['inventory', 'total_stock'], ['sku', 'sku'], ['revenue', 'orderFigures'], ['health', 'Readiness'],
  ['collectoins', 'List collections'], ['pagniation', 'Pagination'], ['prodcuts', 'List products'],
]; // prettier-ignore

interface Page1 {
  readonly data: readonly { readonly id: string }[];
  readonly next_cursor: string;
}

const equal = '= GraphQL returned the same data';

/** Sends the call and waits for both responses. */
async function runBoth(form: ReturnType<Page['locator']>) {
  const comparison = form.locator('[data-comparison]');
  await form.getByRole('button', { name: 'Send' }).click();
  await comparison.filter({ hasText: /^(= GraphQL returned|The responses differ|At least)/ }).waitFor();
}

/** How a person would refer to the element with the focus. */
const focused = (page: Page) =>
  page.evaluate<string>('document.activeElement.name || document.activeElement.textContent.trim()');
