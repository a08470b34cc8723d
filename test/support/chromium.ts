import { existsSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { chromium } from 'playwright-core';

const executablePath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';

export const isChromiumInstalled = existsSync(executablePath);
if (!isChromiumInstalled) console.warn(`Not run: no Chromium at ${executablePath}; CHROMIUM_PATH may name another.`);

export const describeInChromium = isChromiumInstalled ? describe : describe.skip;

/** Starts it without what it would ask of the internet on its own. */
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
