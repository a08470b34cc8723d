import type { Browser, Page, Route } from 'playwright-core';
import { describeInChromium, desk, launchChromium, openWatched, withoutInternet } from '../support/chromium';
import type { DemoService } from '../support/demo-service';
import { startDemoService } from '../support/demo-service';
import { keepSecret } from '../support/private-texts';
import { seedApiKey, seedProduct, seedShop, seedVariant } from '../support/seed';

/** What pages show while, and after, a person changes the key; and when the server is not the one that answers. */
describeInChromium('pages of another key', () => {
  let demo: DemoService;
  let browser: Browser;
  /** Keys of two shops beside the demo's. */
  const keys = { first: '', second: '' };
  let page: Page;

  beforeAll(async () => {
    demo = await startDemoService();
    browser = await launchChromium(withoutInternet);
    for (const name of ['first', 'second'] as const) {
      const shop = await seedShop(demo.sql, { name: `Shop ${name}` });
      await seedVariant(demo.sql, shop, await seedProduct(demo.sql, shop, { title: `Product ${name}` }));
      keys[name] = keepSecret((await seedApiKey(demo.sql, shop)).apiKey);
    }
  });
  afterEach(() => page.context().close());
  afterAll(async () => {
    await browser?.close();
    await demo?.close();
  });

  async function open(path: string, options: Parameters<Browser['newContext']>[0] = desk): Promise<void> {
    ({ page } = await openWatched(browser, `${demo.origin}${path}`, options));
  }

  const keyName = () => page.locator('[data-key-name]');
  const keyState = () => page.locator('[data-key-state]');
  /** Opens the overlay of the key, unless it is open. */
  async function openKey(): Promise<void> {
    if (!(await page.locator('#key-text').isVisible())) await page.locator('button.key').click();
  }
  async function enter(key: string): Promise<void> {
    await openKey();
    await page.locator('#key-text').fill(key);
    await page.getByRole('button', { name: 'Use this key' }).click();
  }

  /** Holds requests until `release`, which resolves once the page has received their responses. */
  async function hold(pattern: string, isHeld: (route: Route) => boolean) {
    const held: Route[] = [];
    let isReleased = false;
    await page.route(pattern, (route) => {
      if (isReleased || !isHeld(route)) return route.continue();
      held.push(route);
      return undefined;
    });
    return {
      held,
      async release() {
        isReleased = true;
        for (const route of held) {
          const finished = page.waitForEvent('requestfinished', (request) => request === route.request());
          await route.continue();
          await finished;
        }
        // The scripts of the page have run, too.
        await page.evaluate('new Promise((resolve) => setTimeout(resolve))');
      },
    };
  }
  const isOf = (key: string) => (route: Route) => route.request().headers()['authorization'] === `Bearer ${key}`;

  it('have the key that was entered last, whichever is checked first', async () => {
    await open('/reference');
    const checks = await hold('**/v1/shop', isOf(keys.first));
    await enter(keys.first);
    await keyState().getByText('Checking…').waitFor();
    await enter(keys.second);
    await keyName().getByText('Your key').waitFor();
    await checks.release();
    expect(await keyState().textContent()).toMatch(/^Shop: Shop second\./);
  });

  it('keep the demo key when a person goes back to it during a check', async () => {
    await open('/reference');
    const checks = await hold('**/v1/shop', isOf(keys.first));
    await enter(keys.first);
    await keyState().getByText('Checking…').waitFor();
    await page.getByRole('button', { name: 'Back to the demo key' }).click();
    await checks.release();
    expect(await keyName().textContent()).toBe('Demo key');
  });

  it('empty the form once a key is accepted, so that the next one is the one that is used', async () => {
    await open('/reference');
    await enter(keys.first);
    await keyName().getByText('Your key').waitFor();
    const [id = '', secret = ''] = keys.second.split('.');
    await openKey();
    await page.getByText('Client id and secret instead').click();
    await page.getByLabel('Client id').fill(id);
    await page.getByLabel('Client secret').fill(secret);
    await page.getByRole('button', { name: 'Use this key' }).click();
    await keyName().getByText('Your client').waitFor();
    expect(await keyState().textContent()).toMatch(/^Shop: Shop second\./);
    expect(await page.getByLabel('Client secret').inputValue()).toBe('');
  });

  it.each([
    [502, 'text/html', '<h1>Bad gateway</h1>'],
    [503, 'application/json', '{"error":{"code":"SERVICE_UNAVAILABLE","message":"Busy."}}'],
    [401, 'application/json', '{"message":"No."}'],
    [404, 'application/json', '{"message":"No."}'],
    [200, 'text/html', '<h1>Log in</h1>'],
  ])('do not accept a key that a response of %d %s could not confirm', async (status, contentType, body) => {
    await open('/reference');
    await page.route('**/v1/shop', (route) => route.fulfill({ status, contentType, body }));
    await enter(keys.first);
    await page.locator('button.key.wrong').waitFor();
    expect(await keyName().textContent()).toBe(
      status === 401 ? 'Your key was rejected' : 'Your key could not be checked',
    );
    expect(await keyState().textContent()).toBe(status === 503 ? 'Busy.' : `Unexpected response (status ${status}).`);
  });

  it.each([
    ['/dashboard', '**/graphql', 500, '#shop [data-state]'],
    ['/dashboard', '**/graphql', 401, '#shop [data-state]'],
    ['/reference', '**/v1/shop', 401, '[data-key-state]'],
  ])('of %s explain a foreign response to %s of %d', async (path, pattern, status, place) => {
    await open(path);
    await page.route(pattern, (route) => route.fulfill({ status, json: { message: 'x' } }));
    if (path === '/dashboard') await page.reload();
    else await page.locator('form[data-operation=getShop] .send').click();
    await page.locator(place, { hasText: `Unexpected response (status ${status}).` }).waitFor();
  });

  it('show the shop of the current key on the home page, whichever is loaded first', async () => {
    await open('/');
    await page.locator('.shelf img').first().waitFor();
    const loads = await hold('**/graphql', (route) => isOf(keys.first)(route));
    await enter(keys.first);
    await keyName().getByText('Your key').waitFor();
    await enter(keys.second);
    await page.getByRole('heading', { name: 'Shop second' }).waitFor();
    await loads.release();
    await page.getByRole('heading', { name: 'Shop second' }).waitFor();
    const again = await hold('**/graphql', isOf(keys.second));
    await page.reload();
    await enter('nonsense');
    await page.locator('button.key.wrong').waitFor();
    await again.release();
    expect(await page.locator('[data-shop]').isVisible()).toBe(false);
  });

  it('of the reference forget responses and IDs of the previous shop', async () => {
    await open('/reference');
    const form = page.locator('form[data-operation=getProduct]');
    await form.locator('.send').click();
    await form.locator('.answer.real').waitFor();
    expect(await form.locator('[data-in=path]').inputValue()).not.toBe('');
    await enter(keys.second);
    await keyName().getByText('Your key').waitFor();
    expect(await form.locator('.answer.real').count()).toBe(0);
    expect(await form.locator('[data-state]').textContent()).toBe('sample');
    await form.locator('.send').click();
    await form.locator('.answer.real').waitFor();
    expect(await form.locator('[data-rest-response]').textContent()).toContain('Product second');

    await page.goto(`${demo.origin}/reference/graphql`);
    const example = page.locator('form[aria-label="Example of variant"]');
    const variables = example.locator('[data-graphql-variables]');
    const box = page.locator('.op').filter({ has: example });
    const readVariables = async () => JSON.parse((await variables.textContent()) ?? '') as unknown;
    const sample = await readVariables();
    await example.locator('.send').click();
    await box.locator('.answer.real').waitFor();
    expect(await box.locator('[data-graphql-response]').textContent()).toContain('Product second');
    expect(await readVariables()).not.toEqual(sample);
    await page.locator('button.key').click();
    await page.getByRole('button', { name: 'Back to the demo key' }).click();
    expect(await readVariables()).toEqual(sample);
    expect(await box.locator('.answer.real').count()).toBe(0);
  });

  it('of the reference show the response of the last call, whichever arrives last', async () => {
    await open('/reference');
    const form = page.locator('form[data-operation=listProducts]');
    await form.getByText('Parameters of this request').click();
    const calls = await hold('**/v1/products?*limit=1', () => true);
    for (const limit of ['1', '2']) {
      await form.getByLabel('limit').fill(limit);
      const sent = page.waitForRequest((request) => request.url().endsWith(`limit=${limit}`));
      await form.locator('.send').click();
      await sent;
    }
    await form.locator('.answer.real').waitFor();
    const shown = await form.locator('[data-rest-response]').textContent();
    await calls.release();
    expect(await form.locator('[data-rest-response]').textContent()).toBe(shown);
  });

  it('press nothing but the hit when Enter opens it', async () => {
    await open('/changelog');
    const theme = page.locator('.theme');
    await theme.focus();
    await page.keyboard.press('/');
    await page.locator('#hits [role=option]').first().waitFor();
    await page.getByRole('combobox', { name: 'Search the docs' }).fill('rate limit');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/reference/);
    expect(await page.locator('.theme').getAttribute('aria-label')).toBe('Theme: system');
  });

  it('show all of the key’s form in a small window', async () => {
    await open('/reference', { viewport: { width: 640, height: 400 } });
    await openKey();
    await page.getByText('Client id and secret instead').click();
    const box = await page.locator('#key').boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(400);
    await page.getByRole('button', { name: 'Use this key' }).click({ trial: true });
  });

  it('of the explorer follow the address, keep what was typed, and run again with another key', async () => {
    const asked = (query: string) => `/explorer#${new URLSearchParams({ query }).toString()}`;
    await open(asked('{ shop { name } }'));
    const result = (text: string) => page.locator('.result-window', { hasText: text });
    await result('Nordlicht').waitFor();
    await enter(keys.first);
    await result('Shop first').waitFor();
    await page.goto(`${demo.origin}${asked('{ shop { domain } }')}`);
    await result('"domain"').waitFor();
    const tabs = page.locator('[data-example]');
    await tabs.nth(1).click();
    expect(new URL(page.url()).hash).toBe('');
    const editor = page.locator('.graphiql-query-editor .CodeMirror');
    await editor.waitFor();
    await editor.locator('textarea').first().focus();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('# mine\n');
    await editor.getByText('# mine').waitFor();
    await tabs.nth(0).click();
    await editor.getByText('# mine').waitFor({ state: 'detached' });
    await tabs.nth(1).click();
    await editor.getByText('# mine').waitFor();
  });
});
