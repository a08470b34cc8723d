import type { Page, Route } from 'playwright-core';
import type { Shops } from './seed-shops';

/** A state in which a page may be seen, and the words on it. */
export interface PageState {
  readonly state: string;
  /** Whose key the tab has. `typed` is entered manually. */
  readonly key?: keyof Shops;
  readonly typed?: 'wrong' | 'revoked';
  /** What happens to the page's calls. */
  readonly calls?: (route: Route) => Promise<void>;
  readonly withoutJavaScript?: true;
  /** By path of each page that differs in this state: what it shows, and what to do first. */
  readonly pages: Readonly<Record<string, RegExp | readonly [text: RegExp, act: (page: Page) => Promise<void>]>>;
}

const home = '/';
const reference = '/reference';
const graphql = '/reference/graphql';
const changelog = '/changelog';
const dashboard = '/dashboard';
const explorer = '/explorer';
const missing = '/refernce';

/** The first console of the reference, with its parameters expanded. */
const sendList = async (page: Page) => {
  const form = page.locator('form[data-operation=listProducts]');
  await form.locator('.asks summary').click();
  await form.getByRole('button', { name: 'Send' }).click();
};
const sendShop = (page: Page) =>
  page.locator('form[data-operation=getShop]').getByRole('button', { name: 'Send' }).click();
const runFirst = (page: Page) => page.getByRole('button', { name: 'Run' }).first().click();
const search = (text: string) => async (page: Page) => {
  await page.keyboard.press('Control+k');
  await page.locator('#hits [role=option]').first().waitFor();
  await page.getByRole('combobox', { name: 'Search the docs' }).fill(text);
};
const searchShop = (text: string) => (page: Page) =>
  page.locator('[data-view=search]').getByRole('searchbox').fill(text);
const openFirst = (text: string) => async (page: Page) => {
  await searchShop(text)(page);
  await page.locator('[data-view=search] li a').first().click();
};
/** The first entry of a dashboard list, in the drawer. */
const openIn = (view: string) => async (page: Page) => {
  await page.locator(`[data-view=${view}] :is(li, td) a`).first().click();
  await page.locator('#detail h2:not(.sr)').waitFor();
};
const openKey = (page: Page) => page.locator('button.key').click();

/** An error response, in the format of the surface that was called. */
const refusing =
  (status: number, code: string, message: string, retryAfter: string) =>
  async (route: Route): Promise<void> => {
    const isGraphql = route.request().url().endsWith('/graphql');
    const body = isGraphql ? { errors: [{ message, extensions: { code } }] } : { error: { code, message } };
    await route.fulfill({ status, headers: { 'Retry-After': retryAfter }, json: body });
  };
/** The first calls of a page succeed. */
function afterThree(refuse: (route: Route) => Promise<void>) {
  const calls = new WeakMap<Page, number>();
  return async (route: Route): Promise<void> => {
    const page = route.request().frame().page();
    const count = (calls.get(page) ?? 0) + 1;
    calls.set(page, count);
    await (count > 3 ? refuse(route) : route.continue());
  };
}
const never = (): Promise<void> => new Promise(() => undefined);

/** A response to a key that has used up its limit. */
const limited = refusing(429, 'RATE_LIMITED', 'The key has made its 120 calls of this minute.', '42');

/** Each page in each state that changes it. */
export const states: readonly PageState[] = [
  {
    state: 'first visit',
    pages: {
      [home]: /Add a key/,
      [reference]: /First call/,
      [graphql]: /First query/,
      [changelog]: /Changelog/,
      [dashboard]: /depends on the scopes/,
      [explorer]: /Run the query to see its response/,
      [missing]: /reference/,
    },
  },
  {
    state: 'own key',
    key: 'own',
    pages: {
      [home]: /Synchroni[sz]ed/,
      [reference]: [/GraphQL returned the same data/, sendList],
      [graphql]: [/200 · \d+ ms/, runFirst],
      [changelog]: [/API key or access token/, openKey],
      [dashboard]: /#5000/,
      [explorer]: /"data"/,
    },
  },
  {
    state: 'wrong key',
    typed: 'wrong',
    pages: {
      [home]: /was rejected/,
      [reference]: [/was rejected/, sendShop],
      [dashboard]: /depends on the scopes/,
      [explorer]: /was rejected/,
    },
  },
  {
    state: 'revoked key',
    typed: 'revoked',
    pages: { [home]: /was rejected/, [dashboard]: /depends on the scopes/ },
  },
  {
    state: 'key revoked since',
    key: 'revoked',
    pages: {
      [home]: /revoked/,
      [reference]: [/revoked/, sendShop],
      [graphql]: [/revoked/, runFirst],
      [dashboard]: /revoked/,
      [explorer]: /revoked/,
    },
  },
  {
    state: 'no data',
    key: 'empty',
    pages: {
      [home]: /This shop has no active products/,
      [reference]: [/GraphQL returned the same data/, sendList],
      [graphql]: [/200 · \d+ ms/, runFirst],
      [dashboard]: /This shop has no orders/,
    },
  },
  {
    state: 'no scope for orders',
    key: 'noOrders',
    pages: { [dashboard]: /orders:read/, [home]: /Synchroni[sz]ed|Products/ },
  },
  { state: 'undated data', key: 'undated', pages: { [dashboard]: /Orders without a date: 3/ } },
  {
    state: '10,000 products',
    key: 'large',
    pages: { [home]: /10,000/, [reference]: [/GraphQL returned the same data/, sendList], [dashboard]: /10,000/ },
  },
  {
    state: 'long amounts',
    key: 'amounts',
    pages: { [dashboard]: [/Variants, 1 of 1/, openFirst('30 digits')], [home]: /Billions/ },
  },
  {
    state: 'slow network',
    key: 'own',
    calls: never,
    pages: {
      [home]: /Waiting/,
      [reference]: [/Waiting/, sendShop],
      [graphql]: [/Waiting/, runFirst],
      [dashboard]: /Loading/,
      [explorer]: /InStockAndCheap/,
    },
  },
  {
    state: 'offline',
    key: 'own',
    calls: (route) => route.abort('internetdisconnected'),
    pages: {
      [home]: /No response\. Check the connection/,
      [reference]: [/No response\. Check the connection/, sendShop],
      [graphql]: [/No response\. Check the connection/, runFirst],
      [dashboard]: /No response\. Check the connection/,
      [explorer]: /No response\. Check the connection/,
    },
  },
  {
    state: 'error 429',
    key: 'own',
    calls: limited,
    pages: {
      [home]: /429/,
      [reference]: [/429/, sendShop],
      [graphql]: [/429/, runFirst],
      [dashboard]: /Next attempt at \d/,
      [explorer]: /RATE_LIMITED/,
    },
  },
  {
    state: 'error 429 on the way',
    key: 'own',
    calls: afterThree(limited),
    pages: { [dashboard]: /Next attempt at \d/ },
  },
  {
    state: 'error 503',
    key: 'own',
    calls: refusing(503, 'SERVICE_UNAVAILABLE', 'The service is busy. Try again in 5 seconds.', '5'),
    pages: {
      [home]: /503/,
      [reference]: [/503/, sendShop],
      [graphql]: [/503/, runFirst],
      [dashboard]: /Next attempt at \d/,
      [explorer]: /SERVICE_UNAVAILABLE/,
    },
  },
  {
    state: 'empty search',
    key: 'own',
    pages: {
      [home]: [/No results for “zzzz/, search('zzzz no such thing')],
      [reference]: [/429 RATE_LIMITED/, search('429')],
      [explorer]: [/No results for “zzzz/, search('zzzz no such thing')],
      [dashboard]: [/No results for “zzzz/, searchShop('zzzz no such thing')],
    },
  },
  {
    state: 'long words',
    key: 'long',
    pages: {
      [home]: /Donaudampf/,
      [reference]: [/GraphQL returned the same data/, sendList],
      [dashboard]: [/Recent orders with a date, 1 of 1/, openFirst('Donau')],
      [explorer]: /"data"/,
    },
  },
  {
    state: 'long words, collection',
    key: 'long',
    pages: { [dashboard]: [/Products on the platform/, openIn('collections')] },
  },
  {
    state: 'long words, order',
    key: 'long',
    pages: { [dashboard]: [/Line items/, openIn('latest-orders')] },
  },
  {
    state: 'right-to-left titles',
    key: 'rightToLeft',
    pages: {
      [home]: /كوب/,
      [dashboard]: [/Recent orders with a date, 1 of 1/, openFirst('كوب')],
    },
  },
  {
    state: 'no JavaScript',
    withoutJavaScript: true,
    pages: {
      [home]: /One API/,
      [reference]: /"has_more": true/,
      [graphql]: /First query/,
      [changelog]: /Changelog/,
      [dashboard]: /The dashboard needs JavaScript/,
      [explorer]: /GraphiQL needs JavaScript/,
      [missing]: /reference/,
    },
  },
];
