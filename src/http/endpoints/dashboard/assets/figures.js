import { element } from '../../reference/assets/shell.js';
import { aboutOrders, drawn, nameOf, picture, rectangle } from './elements.js';
import { ago, money, number } from '../../reference/assets/format.js';
import { nounOf } from './period.js';

export const readVariables = (page) => page.period;
export const waitsForPeriod = true;

export function show(output, data, page) {
  const { productFigures, low, changed, now } = data;
  const { range, before, interval } = page.period;
  const [first] = data.dated?.nodes ?? [];
  const compares = range !== null && first?.createdAt <= before.from;
  output.append(
    ...(productFigures ? [products(productFigures), stock(productFigures, low)] : []),
    ...(now ? ofOrders(data, { compares, isAll: range === null, page, interval }) : []),
    ...(changed?.nodes[0] ? [lastChange(changed.nodes[0])] : []),
  );
}

/** @param counts the parts of the figure */
const card = (id, title, figure, more, image, href, counts) => {
  const amount = element('p', { className: 'fig num', textContent: figure });
  amount.style.setProperty('--length', figure.length);
  const made = element(href ? 'a' : 'div', { className: 'kpi card', ...(href && { href }) }, [
    element('h3', { textContent: title }),
    amount,
    element('p', { className: 'delta' }, more),
    ...(counts ? [element('p', { className: 'counts', textContent: counts })] : []),
    ...(image ? [image] : []),
  ]);
  made.dataset.figure = id;
  return made;
};

/** Shares of a whole, side by side. */
function shares(whole, parts) {
  let x = 0;
  const rectangles = parts.map(([className, count]) => {
    const at = x;
    x += count;
    return rectangle(at, 0, Math.max(count, whole / 200), 1, className);
  });
  return picture('share', Math.max(1, whole), 1, [rectangle(0, 0, whole, 1, 'rail'), ...rectangles]);
}

function products({ count, statuses }) {
  const of = (status) => statuses.find((each) => each.status === status)?.count ?? 0;
  const [active, draft, archived] = ['ACTIVE', 'DRAFT', 'ARCHIVED'].map(of);
  const parts = [['active', active], ['draft', draft], ['archived', archived]]; // prettier-ignore
  const more = `${number(active)} active, ${number(draft)} draft, ${number(archived)} archived`;
  return card('products', 'Products', number(count), [more], shares(count, parts));
}

function stock({ count, outOfStock, stockUnknown }, low) {
  const few = low?.totalCount ?? 0;
  const more = `${number(few)} low, ${number(stockUnknown)} unknown`;
  return card('out-of-stock', 'Out of stock', number(outOfStock), [more], shares(count, [['out', outOfStock], ['low', few]]), '#stock'); // prettier-ignore
}

const sumOf = ({ totals }) => totals.reduce((sum, { count }) => sum + count, 0);

const seriesOf = ({ buckets }, read) =>
  buckets.map(({ currencies }) => currencies.reduce((sum, each) => sum + read(each), 0));

function ofOrders(data, { compares, isAll, page, interval }) {
  const { now, before } = data;
  const { currency } = page;
  const orders = sumOf(now);
  const amountOf = ({ totals }) => totals.find((each) => each.currency === currency)?.totalPrice ?? '0';
  const ofCurrency = (each) => (each.currency === currency ? Number(each.totalPrice) : 0);
  const write = (amount) => money(amount, currency ?? null, 'whole');
  const undated = aboutOrders(data, orders === 0);
  /** The change from the preceding period of the same length. */
  const about = (is, was, wasText) => {
    const change = Math.round((100 * (is - was)) / was);
    const words =
      orders === 0 ? [] : isAll ? [`By ${nounOf[interval]}`] : !compares ? ['No previous period to compare'] : was === 0 ? [`0 in the previous ${page.periodName}`] : [
        element('b', { className: change < 0 ? 'down' : 'up', textContent: `${change > 0 ? '+' : change < 0 ? '−' : '±'}${Math.abs(change)}%` }),
        ` from ${wasText}`,
      ];
    return [...words, words.length > 0 && undated !== '' ? ` · ${undated}` : undated];
  };
  return [
    card('orders', 'Orders', number(orders), about(orders, sumOf(before), number(sumOf(before))),
      spark(seriesOf(now, (each) => each.count), compares ? seriesOf(before, (each) => each.count) : []), '#orders-by-day', 'Includes pending and voided orders.'),
    card('revenue', currency === undefined ? 'Revenue' : `Revenue in ${nameOf(currency)}`, write(amountOf(now)), about(Number(amountOf(now)), Number(amountOf(before)), write(amountOf(before))),
      spark(seriesOf(now, ofCurrency), compares ? seriesOf(before, ofCurrency) : []), '#orders-by-day', 'Includes tax, shipping, pending and voided orders; before refunds.'),
  ];
} // prettier-ignore

/** A line of this period over one of the period before. */
function spark(values, earlier) {
  const highest = Math.max(1, ...values, ...earlier);
  const toPath = (all) => all.map((value, at) => `${((120 * at) / Math.max(1, all.length - 1)).toFixed(1)},${(31 - (28 * value) / highest).toFixed(1)}`).join('L');
  if (values.length < 2) return undefined;
  return picture('spark', 120, 32, [
    drawn('path', { class: 'area', d: `M0,32L${toPath(values)}L120,32z` }),
    ...(earlier.length > 1 ? [drawn('path', { class: 'was', d: `M${toPath(earlier)}` })] : []),
    drawn('path', { class: 'line', d: `M${toPath(values)}` }),
  ]);
} // prettier-ignore

const lastChange = ({ title, updatedAt }) =>
  card('last-change', 'Last update', ago(updatedAt), [element('span', { textContent: title, dir: 'auto' })], undefined, '#changed-last'); // prettier-ignore
