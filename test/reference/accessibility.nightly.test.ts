import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { devices } from 'playwright-core';
import { largePackage } from '../clients/large-packages';
import { backgroundOf, describeInChromium, desk, launchChromium, withoutInternet } from '../support/chromium';
import type { DemoService } from '../support/demo-service';
import { startDemoService } from '../support/demo-service';

/**
 * The WCAG 2.2 criteria that definitely fail, by rule. Recommendations and whatever needs human judgment are left out.
 * The page needs `bypassCSP` and no animation, because colors that fade have no final contrast.
 * @param rules to check; default: all
 */
async function findViolations(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  await page.addScriptTag({
    path: largePackage('accessibility-checker-engine', 'ace.js'),
  });
  const checker = `Object.assign(new ace.Checker(), ${rules === undefined ? '{}' : JSON.stringify({ rulesetRules: { WCAG_2_2: rules } })})`;
  return page.evaluate<string[]>(`${checker}.check(document, ['WCAG_2_2']).then(({ results }) => results
    .filter(({ value: [level, outcome] }) => level === 'VIOLATION' && outcome === 'FAIL')
    .map(({ ruleId, message, snippet }) => ruleId + ': ' + message + ' ' + snippet))`);
}

const backgrounds = { light: 'rgb(251, 250, 247)', dark: 'rgb(19, 23, 22)' };

/** Fails for each criterion that the page does not meet in light colors, and for low contrast in dark ones. */
async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await backgroundOf(page)).toBe(backgrounds[colorScheme]);
    expect(await findViolations(page, colorScheme === 'dark' ? ['text_contrast_sufficient'] : undefined)).toEqual([]);
  }
}

const phone = { viewport: devices['Pixel 5'].viewport, isMobile: true, hasTouch: true };

describeInChromium('every criterion of WCAG 2.2 that can be checked holds', () => {
  let demo: DemoService;
  let browser: Browser;
  beforeAll(async () => {
    demo = await startDemoService();
    browser = await launchChromium(withoutInternet);
  });
  afterAll(async () => {
    await browser?.close();
    await demo?.close();
  });

  async function open(path: string, options: BrowserContextOptions): Promise<Page> {
    const context = await browser.newContext({ ...options, bypassCSP: true, reducedMotion: 'reduce' });
    const page = await context.newPage();
    await page.goto(`${demo.origin}${path}`);
    return page;
  }

  describe.each([
    ['desk', desk],
    ['phone', phone],
    ['narrow phone', { ...phone, viewport: { width: 320, height: 640 } }],
  ])('on a %s', (_device, options) => {
    it.each(['/', '/reference', '/reference/graphql', '/changelog', '/refernce'])('%s', async (path) => {
      const page = await open(path, options);
      await page.locator('h1').waitFor({ state: 'attached' });
      if (path === '/') await page.locator('.shelf img').first().waitFor();
      await page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true");
      await expectAccessible(page);
      await page.context().close();
    });

    it('/dashboard, with all that it folds away, and with a product', async () => {
      const page = await open('/dashboard', options);
      await page.locator('.plot svg').waitFor({ state: 'attached' });
      await page.evaluate("for (const fold of document.querySelectorAll('.dash details')) fold.open = true");
      await expectAccessible(page);
      const tile = page.locator('[data-view="search"]');
      await tile.getByRole('searchbox').fill('mug');
      await tile.getByRole('link', { name: /mug/i }).first().click();
      await page.locator('[data-view="detail"][data-shown="whole"]:not([aria-busy])').waitFor({ state: 'attached' });
      await expectAccessible(page);
      await page.context().close();
    });
  });

  it('the shell of /explorer', async () => {
    const page = await open('/explorer', desk);
    await page.locator('.graphiql-execute-button').waitFor();
    // Its content belongs to GraphiQL.
    await page.evaluate("document.querySelector('#explorer').replaceChildren()");
    expect(await findViolations(page)).toEqual([]);
  });
});
