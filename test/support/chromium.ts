import { existsSync } from 'node:fs';
import type { Browser, Page, Request } from 'playwright-core';
import { chromium } from 'playwright-core';

const executablePath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';

export const isChromiumInstalled = existsSync(executablePath);
if (!isChromiumInstalled) console.warn(`Not run: no Chromium at ${executablePath}; CHROMIUM_PATH may name another.`);

export const describeInChromium = isChromiumInstalled ? describe : describe.skip;

/** Starts Chromium without its own requests to the internet. */
export const launchChromium = (...flags: readonly string[]): Promise<Browser> =>
  chromium.launch({
    executablePath,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...flags,
    ],
  });

/** A flag of Chromium: no host name resolves. */
export const withoutInternet = '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1';

export const desk = { viewport: { width: 1280, height: 800 } };

/**
 * Opens a page, and collects its requests to other hosts and the browser's errors. The browser was launched
 * `withoutInternet`, because intercepting would make every request wait for this process.
 */
export async function openWatched(
  browser: Browser,
  address: string,
  { onRequest, ...options }: Parameters<Browser['newContext']>[0] & { onRequest?: (request: Request) => void } = desk,
) {
  const context = await browser.newContext(options);
  const { origin } = new URL(address);
  const foreign: string[] = [];
  context.on('request', (request) => {
    if (new URL(request.url()).origin === origin) onRequest?.(request);
    else foreign.push(request.url());
  });
  const page = await context.newPage();
  const complaints = collectComplaints(page);
  await page.goto(address);
  return { context, page, foreign, complaints };
}

/** @returns the browser's errors from now on */
export function collectComplaints(page: Page): readonly string[] {
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  return complaints;
}

/** How much wider than its window the page is, in pixels. */
export const overflowOf = (page: Page) =>
  page.evaluate<number>('document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth');

export const backgroundOf = (page: Page) => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
