// The front page: sends its REST call and the equivalent GraphQL operation as soon as there is a key; shows the shop's
// figures and products.
import { areTwins, showAnswer } from './answer.js';
import { ago, number } from './format.js';
import {
  addressOf, askForKey, authorization, element, find, findAll, isOurs, onCredential, productLink, send,
  sendOperation, thumbnail,
} from './shell.js'; // prettier-ignore

const live = find(document, '[data-live]');
const shop = find(document, '[data-shop]');
const samples = findAll(live, '[role=tabpanel] code').map((code) => [code, [...code.childNodes]]);
/** The REST request of the page. */
const listed = 'v1/products?q=mug&limit=1';
const say = (selector, text) => {
  find(live, selector).textContent = text;
};

/** Amounts keep their digits; they have no currency, because a product does not contain it. */
const priceOf = ({ minPrice, maxPrice }) =>
  minPrice === null ? 'no price' : minPrice === maxPrice ? minPrice : `from ${minPrice}`;

async function run() {
  const header = await authorization();
  if (header === undefined) return askForKey('Add a key to send this call. It is sent only to this server.');
  for (const place of ['[data-time]', '[data-bytes]', '[data-left]']) say(place, '');
  say('[data-status]', 'Waiting…');
  let rest, graphql;
  try {
    [rest, graphql] = await Promise.all([
      send(addressOf(listed), { headers: { Authorization: header } }),
      sendOperation({ query: live.dataset.document, variables: { first: 1, filter: { query: 'mug' } } }),
    ]);
  } catch ({ message }) {
    find(live, '[data-status]').classList.add('failed');
    return say('[data-status]', message);
  }
  const { body = {} } = rest;
  const { body: twin = {} } = graphql;
  for (const [surface, { text, body }] of Object.entries({ rest, graphql }))
    showAnswer(find(live, `[data-${surface}-response] code`), text, body);
  const { status, headers } = rest.response;
  find(live, '[data-status]').classList.toggle('failed', status >= 400);
  say('[data-status]', String(status));
  say('[data-time]', `${rest.milliseconds} ms`);
  say('[data-bytes]', `${rest.text.length} characters`);
  const left = headers.get('RateLimit-Remaining');
  say('[data-left]', left === null ? '' : `${left} of ${headers.get('RateLimit-Limit')} calls left`);
  find(live, '[data-equal]').hidden = areTwins(body, twin) !== true;
  if (status === 401) askForKey(body.error.message);
  showFound(body.data?.[0]);
}

function showFound(product) {
  const found = find(live.parentElement, '[data-found]');
  found.hidden = !isOurs(product?.image_url);
  if (found.hidden) return;
  // 0 may mean that stock is not tracked.
  const stock = product.total_stock > 0 ? ` · ${number(product.total_stock)} in stock` : '';
  const text = priceOf({ minPrice: product.min_price, maxPrice: product.max_price }) + stock;
  found.replaceChildren(
    thumbnail(product.image_url, 132),
    element('figcaption', {}, [
      element('b', { textContent: product.title, dir: 'auto' }),
      element('span', { textContent: text }),
    ]),
  );
}

async function showShop() {
  const { data } = (await sendOperation({ query: shop.dataset.document }).catch(() => ({}))).body ?? {};
  if (!data) return;
  const { shop: one, products, collections, orders, orderFigures } = data;
  const facts = [
    ['Products', one && number(one.productCount)],
    ['Collections', collections && number(collections.totalCount)],
    ['Orders', orders && number(orders.totalCount)],
    ['Currencies', orderFigures && number(new Set(orderFigures.totals.map(({ currency }) => currency)).size)],
    ['Synchronized', one && ago(one.lastSyncAt)],
  ].filter(([, value]) => value);
  find(shop, 'h2').textContent = one?.name ?? one?.domain ?? 'The shop of this key';
  find(shop, '.facts').replaceChildren(
    ...facts.map(([name, value]) =>
      element('div', {}, [
        element('dt', { textContent: name }),
        element('dd', { className: 'num', textContent: value }),
      ]),
    ),
  );
  const dashboard = find(shop, '.shop-head a').href;
  find(shop, '.shelf').replaceChildren(
    ...(products?.nodes.length === 0 ? [element('li', { textContent: 'This shop has no active products.' })] : []),
    ...(products?.nodes ?? []).map((product) => {
      const title = element('b', { textContent: product.title, dir: 'auto' });
      const price = element('span', { className: 'num', textContent: priceOf(product) });
      const href = dashboard + productLink(product.handle, product.id);
      return element('li', {}, [element('a', { href }, [thumbnail(product.imageUrl, 240), title, price])]);
    }),
  );
  shop.hidden = false;
}

live.addEventListener('submit', (event) => {
  event.preventDefault();
  void run();
});
let isShown = false;
onCredential((isUsable) => {
  if (isShown || !isUsable) {
    shop.hidden = true;
    find(live.parentElement, '[data-found]').hidden = true;
    for (const [code, nodes] of samples) Object.assign(code, { whole: undefined }).replaceChildren(...nodes);
    live.classList.remove('real');
    find(live, '[data-equal]').hidden = true;
    for (const [place, text] of Object.entries({ status: 'sample', time: '', bytes: '', left: '' }))
      say(`[data-${place}]`, text);
  }
  isShown = isUsable;
  if (!isUsable) return;
  void run();
  void showShop();
});
for (const tab of findAll(live, '[role=tab]'))
  tab.addEventListener('click', () => {
    const isRest = tab.id === 'live-rest-tab';
    const { pathname, search } = addressOf(isRest ? listed : 'graphql');
    find(live, '.req .get').textContent = isRest ? 'GET' : 'POST';
    find(live, '.req code').textContent = pathname + search;
  });
