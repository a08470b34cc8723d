// Makes docs/explorer.png: `npm start` in one terminal, `node docs/explorer-screenshot.mjs [http://localhost:4000]` in another. Takes
// Chromium (CHROMIUM_PATH) and a font for Chinese and Japanese, such as Debian's fonts-noto-cjk.
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const [origin = 'http://localhost:4000'] = process.argv.slice(2);
const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const browser = await chromium.launch({ executablePath, args: ['--headless', '--no-sandbox', '--disable-gpu'] });
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(`${origin}/explorer`);
  if (await page.evaluate(drawsBoxes)) {
    throw new Error('No font here has Japanese characters: install one, such as fonts-noto-cjk.');
  }
  await page.getByRole('button', { name: /execute query/i }).click();
  await page.locator('.result-window', { hasText: '"products"' }).waitFor();
  // No key in a picture, not even the demo shop's.
  await page.getByRole('button', { name: 'Variables', exact: true }).click();
  await page.mouse.move(0, 0);
  await page.screenshot({ path: join(import.meta.dirname, 'explorer.png') });
} finally {
  await browser.close();
}

/** Runs in the page: whether a character of the demo shop looks like one that no font has. */
function drawsBoxes() {
  const draw = (text) => {
    const context = Object.assign(globalThis.document.createElement('canvas'), { width: 40, height: 40 }).getContext(
      '2d',
    );
    context.font = '30px monospace';
    context.fillText(text, 2, 32);
    return context.canvas.toDataURL();
  };
  return draw('徳') === draw('\u{10fffd}') || draw('徳') === draw('ノ');
}
