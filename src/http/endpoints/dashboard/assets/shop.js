import { element } from '../../reference/assets/shell.js';
import { ago } from '../../reference/assets/format.js';
import { choosePeriod } from './period.js';

export const readVariables = () => ({});

const title = document.querySelector('[data-shop-name]');

export function restart() {
  title.textContent = 'Dashboard';
}

export function show(output, { shop, orderFigures }, page) {
  if (shop) {
    title.textContent = shop.name ?? shop.domain ?? 'Dashboard';
    const limit = shop.productLimit === null ? [] : [`${shop.productCount} of ${shop.productLimit} products`];
    const parts = [shop.domain, shop.platform, `${shop.plan} plan`, ...limit].filter(Boolean).join(' · ');
    output.append(`${parts} · `, element('time', { dateTime: shop.lastSyncAt ?? '', textContent: `last sync: ${ago(shop.lastSyncAt)}` }));
  }
  const { buckets = [], totals = [] } = orderFigures ?? {};
  const starts = buckets.filter(({ currencies }) => currencies.length > 0).map(({ start }) => start);
  page.begin(choosePeriod(starts), byRecentOrders(buckets, totals));
} // prettier-ignore

/** The currencies of the shop, that of most orders of the last year first. */
function byRecentOrders(buckets, totals) {
  const recent = buckets.slice(-13).flatMap(({ currencies }) => currencies);
  const countOf = (currency) => recent.reduce((sum, each) => sum + (each.currency === currency ? each.count : 0), 0);
  return totals.map(({ currency }) => currency).sort((one, other) => countOf(other) - countOf(one));
}
