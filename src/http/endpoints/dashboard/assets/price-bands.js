import { element } from '../../reference/assets/shell.js';
import { noProducts, paragraph } from './elements.js';
import { number } from '../../reference/assets/format.js';

export const readVariables = () => ({});

const heading = document.querySelector('#price-bands-title');

export const restart = () => (heading.textContent = 'Prices');

export function show(output, { shop, productFigures }) {
  heading.textContent = shop?.currency ? `Prices in ${shop.currency}` : 'Prices';
  if (!productFigures) return;
  const bands = productFigures.priceBands.filter(({ min, max }) => min !== null || max !== null);
  const without = productFigures.priceBands.find(({ min, max }) => min === null && max === null)?.count ?? 0;
  if (productFigures.priceBands.length === 0) return void output.append(noProducts());
  const most = Math.max(1, ...bands.map(({ count }) => count));
  if (bands.length > 0)
    output.append(
      element(
        'div',
        { className: 'bands' },
        bands.map(({ min, max, count }) => {
          const bar = element('i');
          bar.style.setProperty('--n', count / most);
          const parts = [element('b', { className: 'num', textContent: number(count) }), bar, element('span', { textContent: nameOf(min, max) })]; // prettier-ignore
          return element('div', {}, parts);
        }),
      ),
    );
  output.append(
    paragraph(
      `By the lowest price of a variant.${without === 0 ? '' : ` ${number(without)} without a price.`}`,
      'rest',
    ),
  );
}

const short = (amount) => number(Number(amount));
function nameOf(min, max) {
  if (min === null) return `< ${short(max)}`;
  return max === null ? `≥ ${short(min)}` : `${short(min)}–${short(max)}`;
}

export const rowsOf = ({ productFigures }) => productFigures?.priceBands ?? [];
