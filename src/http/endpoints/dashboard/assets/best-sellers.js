import { element, productLink } from '../../reference/assets/shell.js';
import { createOrder, paragraph, scrolling } from './elements.js';
import { money, number } from '../../reference/assets/format.js';

const units = 1;
let order;
let first = 8;

export const waitsForPeriod = true;

export function start(tile) {
  order = createOrder(units, [units, 2], () => {
    // The lowest values would be arbitrary among thousands.
    order.isDown = true;
    void tile.load();
  });
  order.showMore = () => {
    first = 200;
    void tile.load();
  };
}

export const restart = () => (first = 8);

export const readVariables = ({ period: { range } }) => ({
  first,
  sortKey: order.at === units ? 'UNITS' : 'REVENUE',
  range,
});

export function show(output, { orderFigures }) {
  if (!orderFigures) return;
  const { products } = orderFigures;
  if (products.length === 0) return void output.append(paragraph('No products were ordered in this period.', 'rest'));
  const rows = products.map(({ product, title, sku, externalId, units: sold, revenue, currency }) => [
    product === null ? (title ?? sku ?? externalId) : element('a', { href: productLink(product.handle, product.id), textContent: product.title, dir: 'auto' }),
    number(sold),
    money(revenue, currency),
  ]);
  const more = element('button', { type: 'button', className: 'btn small', textContent: 'Show more', onclick: order.showMore });
  output.append(
    scrolling('Best sellers', ['Product', 'Units', 'Revenue'], rows, [1, 2], order),
    element('p', { className: 'rest turns' }, [...(rows.length === 8 ? [more] : []), 'By currency, from all line items, including pending and voided orders.']),
  );
} // prettier-ignore

export const rowsOf = ({ orderFigures }) =>
  (orderFigures?.products ?? []).map(({ product, ...each }) => ({ ...each, product: product?.title }));
