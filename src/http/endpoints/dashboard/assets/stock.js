import { element } from '../../reference/assets/shell.js';
import { paragraph, picture, productEntry, rectangle } from './elements.js';
import { number } from '../../reference/assets/format.js';

export const readVariables = () => ({});

const most = 12;

export function show(output, { products }) {
  if (!products) return;
  if (products.nodes.length === 0)
    return void output.append(paragraph('No active products have 1 to 12 in stock.', 'rest'));
  const items = products.nodes.map((each) => {
    const bar = picture('', most, 1, [rectangle(0, 0, most, 1, 'rail'), rectangle(0, 0, each.totalStock, 1, 'low')]);
    const left = element('span', { className: 'left num' }, [
      element('b', { textContent: number(each.totalStock) }),
      bar,
    ]);
    return productEntry(each, each.vendor ?? '', left);
  });
  output.append(element('ul', {}, items));
}

export const rowsOf = ({ products }) => products?.nodes ?? [];
