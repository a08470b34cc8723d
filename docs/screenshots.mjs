// Creates the screenshots in docs/ and the image of link previews: run `npm start` in one terminal and `node
// docs/screenshots.mjs [http://localhost:4000]` in another. Requires Chromium (CHROMIUM_PATH) and fonts for the texts
// of the demo shop (Debian: fonts-noto-cjk, fonts-noto-color-emoji).
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const [origin = 'http://localhost:4000'] = process.argv.slice(2);
const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const desk = { width: 1440, height: 900 };
const assets = join(import.meta.dirname, '../src/http/endpoints/shell/assets');
const pictures = [
  ['home.png', '/', desk, 'light', '.shelf img'],
  ['reference.png', '/reference#listProducts', desk, 'light', '#listProducts'],
  ['dashboard.png', '/dashboard', desk, 'dark', '.plot svg'],
  ['explorer.png', '/explorer', desk, 'light', '.result-window .cm-number'],
  [join(assets, 'link.png'), '/', { width: 1200, height: 630 }, 'dark', '.shelf img'],
];
const browser = await chromium.launch({ executablePath, args: ['--headless', '--no-sandbox', '--disable-gpu'] });
try {
  for (const [name, path, viewport, colorScheme, shown] of pictures) {
    const page = await browser.newPage({ viewport, colorScheme });
    await page.goto(`${origin}${path}`, { waitUntil: 'networkidle' });
    await page.locator(shown).first().waitFor();
    await page.evaluate(() => globalThis.document.fonts.ready);
    if (path === '/') {
      // The first calls of a process are slower.
      for (let calls = 0, milliseconds = Infinity; calls < 5 || (milliseconds > 12 && calls < 20); calls += 1) {
        await page.getByRole('button', { name: 'Send' }).click();
        await page.locator('[data-comparison]', { hasText: '=' }).waitFor();
        milliseconds = parseFloat((await page.locator('[data-state]').innerText()).replace('200 · ', ''));
      }
      await page.mouse.click(5, 500);
    }
    if (name.endsWith('link.png')) {
      // Only the hero.
      await page.evaluate(() => {
        const { document } = globalThis;
        for (const part of ['.bar', '.skip', '.paste']) document.querySelector(part).remove();
        document.querySelector('.hero').style.minHeight = '630px';
      });
    }
    await page.screenshot({ path: name.startsWith('/') ? name : join(import.meta.dirname, name) });
    await page.close();
  }
} finally {
  await browser.close();
}
