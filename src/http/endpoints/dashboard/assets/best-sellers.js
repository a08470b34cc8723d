import { element, productLink } from '../../reference/assets/shell.js';
import { createOrder, nameOf, paragraph, scrolling } from './elements.js';
import { money, number } from '../../reference/assets/format.js';

const units = 1;
const most = 200;
let order;
let first;

export const waitsForPeriod = true;

export function start(tile) {
  order = createOrder(units, [units, 2], () => {
    // The lowest values would be arbitrary among thousands.
    order.isDown = true;
    void tile.load();
  });
  order.showMore = () => {
    first = most;
    void tile.load();
  };
}

export const restart = () => (first = 8);

/** No filter matches orders without a currency, so all orders are requested for them. */
export const readVariables = ({ period: { range }, currency }) => ({
  first: currency === null ? most : first,
  sortKey: order.at === units ? 'UNITS' : 'REVENUE',
  range,
  ...(currency && { filter: { currency } }),
});

export function show(output, { orderFigures }, { currency: wanted }) {
  if (!orderFigures) return;
  const sold = orderFigures.products.filter(({ currency }) => wanted === undefined || currency === wanted);
  const name = wanted === undefined ? '' : ` (${nameOf(wanted)})`;
  if (sold.length === 0) return void output.append(paragraph(`No products were ordered in this period${name}.`, 'rest'));
  const rows = sold.slice(0, first).map(({ product, title, sku, externalId, units: count, revenue, currency }) => [
    product === null ? (title ?? sku ?? externalId) : element('a', { href: productLink(product.id), textContent: product.title, dir: 'auto' }),
    number(count),
    money(revenue, currency),
  ]);
  const more = element('button', { type: 'button', className: 'btn small', textContent: 'Show more', onclick: order.showMore });
  output.append(
    scrolling('Best sellers', ['Product', 'Units', `Revenue${name}`], rows, [1, 2], order),
    element('p', { className: 'rest turns' }, [...(rows.length === first && first < most ? [more] : []), 'From all orders, including pending and voided ones.']),
  );
} // prettier-ignore

export const rowsOf = ({ orderFigures }) =>
  (orderFigures?.products ?? []).map(({ product, ...each }) => ({ ...each, product: product?.title }));
