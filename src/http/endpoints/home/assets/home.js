// The front page: sends its call as soon as there is a key; shows the shop's figures and products.
import { ago, number } from './format.js';
import { element, find, isOurs, onCredential, productLink, sendOperation, thumbnail } from './shell.js';

const live = find(document, '.live form');
const found = find(document, '[data-found]');
const shop = find(document, '[data-shop]');

/** Amounts keep their digits; they have no currency, because a product does not contain it. */
const priceOf = ({ minPrice, maxPrice }) =>
  minPrice === null ? 'no price' : minPrice === maxPrice ? minPrice : `from ${minPrice}`;

function showFound(product) {
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

/** The key whose shop is shown: the response to an earlier one may come last. */
let current;

async function showShop() {
  const own = (current = Symbol('key'));
  const { data } = (await sendOperation({ query: shop.dataset.document }).catch(() => ({}))).body ?? {};
  if (!data || current !== own) return;
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
      return element('li', {}, [
        element('a', { href: dashboard + productLink(product.id) }, [thumbnail(product.imageUrl, 240), title, price]),
      ]);
    }),
  );
  shop.hidden = false;
}

live.addEventListener('answer', ({ detail }) => showFound(detail?.data?.[0]));
onCredential((isUsable) => {
  shop.hidden = true;
  found.hidden = true;
  current = undefined;
  if (!isUsable) return;
  live.requestSubmit();
  void showShop();
});
