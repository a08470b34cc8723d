// Creates docs/reference.png, docs/reference-phone.png and docs/dashboard.png: run `npm start` in one terminal and
// `node docs/reference-screenshot.mjs [http://localhost:4000]` in another. Requires Chromium (CHROMIUM_PATH).
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const [origin = 'http://localhost:4000'] = process.argv.slice(2);
const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const pictures = [
  ['reference.png', { viewport: { width: 1280, height: 900 }, colorScheme: 'light' }],
  ['reference-phone.png', { viewport: { width: 390, height: 844 }, colorScheme: 'dark' }],
];
const browser = await chromium.launch({ executablePath, args: ['--headless', '--no-sandbox', '--disable-gpu'] });
try {
  for (const [name, options] of pictures) {
    const page = await browser.newPage(options);
    await page.goto(`${origin}/reference`);
    const form = page.locator('form[data-operation=getShop]');
    await form.getByRole('button', { name: 'Run both' }).click();
    await form.getByText('Both sides returned equal data.').waitFor();
    await form.scrollIntoViewIfNeeded();
    await form.evaluate((element) => element.scrollIntoView());
    await page.screenshot({ path: join(import.meta.dirname, name) });
    await page.close();
  }
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, colorScheme: 'light' });
  await page.goto(`${origin}/dashboard`);
  const orders = page.locator('#orders-by-day');
  await orders.locator('select[name=period]').selectOption('all');
  for (const id of ['orders-by-day', 'products-by-status', 'stock', 'price-bands']) {
    await page.locator(`#${id} [data-state]`, { hasText: 'Up to date.' }).waitFor();
  }
  await orders.evaluate((element) => element.scrollIntoView());
  await page.screenshot({ path: join(import.meta.dirname, 'dashboard.png') });
} finally {
  await browser.close();
}
