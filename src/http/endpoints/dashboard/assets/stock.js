import { element, productLink, thumbnail } from '../../reference/assets/shell.js';
import { entry, noProducts, paragraph, picture, rectangle } from './elements.js';
import { number } from '../../reference/assets/format.js';

export const readVariables = () => ({});

export function show(output, { productFigures, lowest }) {
  if (productFigures?.count === 0) return void output.append(noProducts());
  if (lowest?.nodes.length === 0) output.append(paragraph('No active product has 1 to 12 left.', 'rest'));
  else if (lowest) {
    const most = 12;
    output.append(
      element(
        'ul',
        {},
        lowest.nodes.map(({ id, handle, title, vendor, imageUrl, totalStock }) => {
          const bar = picture('', most, 1, [rectangle(0, 0, most, 1, 'rail'), rectangle(0, 0, totalStock, 1, 'low')]);
          const left = element('span', { className: 'left num' }, [element('b', { textContent: number(totalStock) }), bar]);
          return entry(productLink(handle, id), thumbnail(imageUrl, 36), title, vendor ?? '', left);
        }),
      ),
    );
  }
  if (productFigures)
    output.append(paragraph(`${number(productFigures.outOfStock)} of ${number(productFigures.count)} products out of stock, ${number(productFigures.stockUnknown)} with unknown stock.`, 'rest'));
} // prettier-ignore

export const rowsOf = ({ lowest }) => lowest?.nodes ?? [];
