import { element } from '../../reference/assets/shell.js';
import { aboutOrders, drawn, picture, rectangle } from './elements.js';
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

const sumOf = (figures, currency) =>
  figures.totals
    .filter((each) => currency === undefined || each.currency === currency)
    .reduce((sum, { count }) => sum + count, 0);

const seriesOf = ({ buckets }, read) =>
  buckets.map(({ currencies }) => currencies.reduce((sum, each) => sum + read(each), 0));

/** The change from the preceding period of the same length; nothing if that has no value. */
function change(now, before, wanted) {
  if (before === 0) return [`none in ${wanted}`];
  const share = Math.round((100 * (now - before)) / before);
  const text = `${share > 0 ? '+' : share < 0 ? '−' : '±'}${Math.abs(share)}%`;
  return [element('b', { className: share < 0 ? 'down' : 'up', textContent: text })];
}

function ofOrders(data, { compares, isAll, page, interval }) {
  const { now, before } = data;
  const main = [...now.totals].sort((one, other) => other.count - one.count)[0];
  const orders = sumOf(now);
  const was = sumOf(before);
  const currency = main?.currency ?? null;
  const amount = main?.totalPrice ?? '0';
  const wasAmount = before.totals.find((each) => each.currency === currency)?.totalPrice ?? '0';
  const ofMain = (each) => (each.currency === currency ? Number(each.totalPrice) : 0);
  const undated = aboutOrders(data, orders === 0);
  const about = (was, is, wasText) => [
    ...(orders === 0 ? [] : isAll ? [`by ${nounOf[interval]}`] : compares ? change(is, was, `the ${page.periodName} before`) : [`no full ${page.periodName} before to compare with`]),
    ...(orders > 0 && was > 0 && compares ? [` from ${wasText}`] : []),
    orders > 0 && undated !== '' ? ` · ${undated}` : undated,
  ];
  return [
    card('orders', 'Orders', number(orders), about(was, orders, `${number(was)} before`),
      spark(seriesOf(now, (each) => each.count), compares ? seriesOf(before, (each) => each.count) : []), '#orders-by-day', 'Includes pending and voided orders.'),
    card('revenue', currency === null ? 'Revenue' : `Revenue in ${currency}`, money(amount, currency, 'whole'),
      about(Number(wasAmount), Number(amount), money(wasAmount, currency, 'whole')),
      spark(seriesOf(now, ofMain), compares ? seriesOf(before, ofMain) : []), '#orders-by-day', 'Includes tax, shipping, and pending and voided orders. Before refunds.'),
  ];
} // prettier-ignore

/** A line of this period over one of the period before, both smoothed over four buckets. */
function spark(values, earlier) {
  const highest = Math.max(1, ...smooth(values), ...smooth(earlier));
  const toPath = (all) => smooth(all).map((value, at) => `${((120 * at) / Math.max(1, all.length - 1)).toFixed(1)},${(31 - (28 * value) / highest).toFixed(1)}`).join('L');
  if (values.length < 2) return undefined;
  return picture('spark', 120, 32, [
    drawn('path', { class: 'area', d: `M0,32L${toPath(values)}L120,32z` }),
    ...(earlier.length > 1 ? [drawn('path', { class: 'was', d: `M${toPath(earlier)}` })] : []),
    drawn('path', { class: 'line', d: `M${toPath(values)}` }),
  ]);
} // prettier-ignore

const smooth = (values) =>
  values.map((_, at) => {
    const around = values.slice(Math.max(0, at - 2), at + 2);
    return around.reduce((sum, value) => sum + value, 0) / around.length;
  });

const lastChange = ({ title, updatedAt }) =>
  card('last-change', 'Last update', ago(updatedAt), [element('span', { textContent: title, dir: 'auto' })], undefined, '#changed-last'); // prettier-ignore
