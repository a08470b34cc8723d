import { element } from '../../reference/assets/shell.js';
import { noProducts, productEntry } from './elements.js';
import { shortDay } from '../../reference/assets/format.js';

export const readVariables = () => ({});

export function show(output, { products }) {
  if (!products) return;
  if (products.nodes.length === 0) return void output.append(noProducts());
  output.append(
    element(
      'ul',
      {},
      products.nodes.map((each) => {
        const { vendor, status, updatedAt } = each;
        const more = [vendor, status === 'ACTIVE' ? undefined : status.toLowerCase()].filter(Boolean).join(' · ');
        const when = element('time', { dateTime: updatedAt, title: updatedAt, textContent: shortDay(updatedAt) });
        return productEntry(each, more, when);
      }),
    ),
  );
}

export const rowsOf = ({ products }) => products?.nodes ?? [];
