import type { Browser, Page } from 'playwright-core';
import { exampleDocument, examples } from '../../src/http/endpoints/explorer/examples';
import { sandboxFrame, sandboxScript } from '../../src/http/endpoints/explorer/sandbox';
import { startReviews } from '../federation/support/reviews-process';
import type { DemoService } from '../support/demo-service';
import { startDemoService } from '../support/demo-service';
import { collectComplaints, describeInChromium, launchChromium } from '../support/chromium';

describeInChromium('in Chromium', () => {
  let demo: DemoService;
  let browser: Browser;
  let origin: string;

  beforeAll(async () => {
    demo = await startDemoService();
    ({ origin } = demo);
    browser = await launchChromium();
  });

  afterAll(async () => {
    await browser?.close();
    await demo?.close();
  });

  test('/explorer runs its examples immediately, each without an error, and requests nothing from other servers', async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    const { addresses, complaints } = watch(page);
    const operations: string[] = [];
    const answers: Promise<unknown>[] = [];
    page.on('response', (response) => {
      const { operationName } = (response.request().postDataJSON() ?? {}) as { operationName?: string };
      if (operationName === undefined || operationName === 'IntrospectionQuery') return;
      operations.push(operationName);
      answers.push(response.json());
    });
    await page.goto(`${origin}/explorer`);
    await page.locator('.result-window', { hasText: '"totalCount"' }).waitFor();
    for (const [at, { name, query }] of examples.entries()) {
      const [, operation] = /query (\w+)/.exec(query) ?? [];
      if (at > 0) {
        const answered = page.waitForResponse(
          (response) => response.request().postData()?.includes(`"${operation}"`) === true,
        );
        await page.getByRole('tab', { name }).click();
        await answered;
      }
      expect(operations.at(-1)).toBe(operation);
    }
    for (const answer of await Promise.all(answers)) {
      expect(answer).toEqual({ data: expect.any(Object) as object });
    }
    expect(new Set(addresses.map((address) => new URL(address).origin))).toEqual(new Set([origin]));
    await page
      .getByRole('button', { name: /documentation explorer/i })
      .first()
      .click();
    await page.locator('.graphiql-doc-explorer').getByText('Query', { exact: true }).first().waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });

  test('/explorer has a working example over the configured subgraphs', async () => {
    const reviews = await startReviews();
    const federated = await startDemoService({ SUBGRAPHS: `reviews=${reviews.url}` });
    const page = await browser.newPage();
    await page.goto(`${federated.origin}/explorer`);
    await page.getByRole('tab', { name: 'Across subgraphs' }).click();
    await page.locator('.result-window', { hasText: '"averageRating"' }).waitFor();
    expect(await page.locator('.result-window').innerText()).not.toContain('"errors"');
    await page.close();
    await federated.close();
    await reviews.stop();
  });

  test('/explorer runs the query in its URL, with its variables', async () => {
    const page = await browser.newPage();
    const words = new URLSearchParams({
      query: 'query Named($first: Int) { products(first: $first) { totalCount } }',
      variables: '{"first":0}',
    });
    await page.goto(`${origin}/explorer#${words.toString()}`);
    await page.locator('.result-window', { hasText: '"totalCount": 63' }).waitFor();
    await page.close();
  });

  test("/explorer asks for a key in the key's overlay", async () => {
    const page = await browser.newPage();
    await page.route('**/explorer', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replace(/<meta name="demo-key"[^>]*>/, '') });
    });
    await page.goto(`${origin}/explorer`);
    await page.locator('.graphiql-query-editor .CodeMirror-code').waitFor();
    await page.getByRole('button', { name: /execute query/i }).click();
    await page.getByText(/^Add a key to run this/).waitFor();
    await page.keyboard.type(demo.apiKey);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /execute query/i }).click();
    await page.locator('.result-window', { hasText: '"totalCount"' }).waitFor();
    await page.close();
  });

  test('/explorer can be used in a window of 390 pixels', async () => {
    const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
    await page.goto(`${origin}/explorer`);
    const result = page.locator('.result-window', { hasText: '"totalCount"' });
    await result.waitFor();
    for (const name of [/documentation explorer/i, /history/i]) {
      const parts = ['.graphiql-query-editor', '.graphiql-response'];
      const boxes = await Promise.all(parts.map((part) => page.locator(part).first().boundingBox()));
      for (const box of boxes) {
        expect(box?.x).toBeGreaterThanOrEqual(0);
        expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390);
        expect(box?.width).toBeGreaterThan(280);
        expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(844);
      }
      expect(await overflowOf(page)).toEqual([0, 0]);
      const button = page.getByRole('button', { name }).first();
      await button.click();
      const plugin = await page.locator('.graphiql-plugin').boundingBox();
      expect((plugin?.x ?? 0) + (plugin?.width ?? 0)).toBeLessThanOrEqual(390);
      expect(plugin?.width).toBeGreaterThan(280);
      await button.click();
    }
    await page.close();
  });

  test('Tab stays in an editor of /explorer, and leaves it after Escape, forwards and backwards', async () => {
    const page = await browser.newPage();
    await page.goto(`${origin}/explorer`);
    expect(await page.locator('.lab-say').innerText()).toMatch(/Press Escape, then Tab to leave it/);
    await page.getByRole('tab', { name: 'Look up by SKU' }).click();
    await page.locator('.graphiql-editor-tool .CodeMirror').first().waitFor();
    for (const editor of ['.graphiql-query-editor', '.graphiql-editor-tool']) {
      const input = page.locator(`${editor} .CodeMirror textarea`).first();
      for (const [key, stays, leaves] of [
        ['Tab', ['Tab'], ['Escape', 'Tab']],
        ['Shift+Tab', ['Escape', 'a', 'Shift+Tab'], ['Escape', 'Shift+Tab']],
      ] as const) {
        const isInside = () =>
          input
            .and(page.locator(':focus'))
            .count()
            .then((count) => count === 1);
        await input.focus();
        for (const each of stays) await page.keyboard.press(each);
        expect([key, await isInside()]).toEqual([key, true]);
        for (const each of leaves) await page.keyboard.press(each);
        expect([key, await isInside()]).toEqual([key, false]);
      }
    }
    await page.close();
  });

  test('/explorer says so when its files do not load', async () => {
    const page = await browser.newPage();
    await page.route(/assets\/graphiql\.js/, (route) => route.abort());
    await page.goto(`${origin}/explorer`);
    await page.getByText('GraphiQL could not be loaded from this server').waitFor();
    await page.close();
  });

  test('the Sandbox page requests exactly Apollo’s script and frame, within its policy', async () => {
    const page = await browser.newPage();
    const { addresses, complaints } = watch(page);
    // Tests do not use the internet: this replaces Apollo's script and does what the policy has to allow for it.
    await page.route(`${new URL(sandboxScript).origin}/**`, (route) =>
      route.fulfill({ contentType: 'text/javascript', body: `(${standInForSandbox.toString()})()` }),
    );
    await page.route(`${sandboxFrame}/**`, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<p>frame</p>' }),
    );
    await page.goto(`${origin}/graphql`);
    await page.frameLocator('iframe').getByText('frame').waitFor();
    await page.locator('html[data-answer]').waitFor({ state: 'attached' });

    const frame = new URL(addresses.find((address) => address.startsWith(sandboxFrame)) ?? '');
    // The frame and the endpoint are requested at the same time.
    expect(addresses.map((address) => address.replace(frame.search, '')).sort()).toEqual(
      [
        `${origin}/graphql`,
        ...['sandbox.css', 'sandbox.js'].map((name) => `${origin}/explorer/assets/${name}`),
        sandboxScript,
        `${sandboxFrame}/sandbox/explorer`,
        `${origin}/graphql`,
      ].sort(),
    );
    expect(JSON.parse(frame.searchParams.get('options') ?? '')).toMatchObject({
      initialEndpoint: `${origin}/graphql`,
      initialState: {
        document: exampleDocument,
        headers: { Authorization: `Bearer ${demo.apiKey}` },
        pollForSchemaUpdates: false,
      },
      runTelemetry: false,
    });
    expect(JSON.parse((await page.locator('html').getAttribute('data-answer')) ?? '')).toEqual({
      data: { __typename: 'Query' },
    });
    const box = await page.locator('iframe').boundingBox();
    expect(box).toMatchObject(page.viewportSize() ?? {});
    expect(await overflowOf(page)).toEqual([0, 0]);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test('without internet access the Sandbox page leads to /explorer', async () => {
    const page = await browser.newPage();
    await page.route(/apollographql\.com/, (route) => route.abort());
    await page.goto(`${origin}/graphql`);
    await page.waitForURL(`${origin}/explorer`);
    await page.close();
  });
});

/** How much wider and taller the page is than its window. */
const overflowOf = (page: Page) =>
  page.evaluate(() => {
    const { document } = globalThis as unknown as { document: { scrollingElement: Record<string, number> } };
    const { scrollWidth = 0, clientWidth = 0, scrollHeight = 0, clientHeight = 0 } = document.scrollingElement;
    return [scrollWidth - clientWidth, scrollHeight - clientHeight];
  });

/** Every requested address, and every complaint of the browser: errors, and refusals by the content security policy. */
function watch(page: Page) {
  const addresses: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith('data:')) addresses.push(request.url());
  });
  const complaints = collectComplaints(page);
  return { addresses, complaints };
}

/** Runs in the page. Like the original, it opens a frame and sends operations for it. */
function standInForSandbox() {
  interface Options {
    readonly target: string;
    readonly initialEndpoint: string;
  }
  const page = globalThis as unknown as {
    EmbeddedSandbox: unknown;
    document: {
      createElement(name: string): { src: string };
      querySelector(selector: string): { append(element: object): void };
      documentElement: { dataset: Record<string, string> };
    };
  };
  page.EmbeddedSandbox = class {
    constructor(options: Options) {
      const frame = page.document.createElement('iframe');
      frame.src = `https://sandbox.embed.apollographql.com/sandbox/explorer?options=${encodeURIComponent(JSON.stringify(options))}`;
      page.document.querySelector(options.target).append(frame);
      void fetch(options.initialEndpoint, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: '{"query":"{ __typename }"}',
      })
        .then((answer) => answer.text())
        .then((text) => (page.document.documentElement.dataset['answer'] = text));
    }
  };
}
