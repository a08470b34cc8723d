import { bars, noProducts, paragraph } from './elements.js';
import { number } from '../../reference/assets/format.js';

export const readVariables = () => ({});

const heading = document.querySelector('#price-bands-title');

export const restart = () => (heading.textContent = 'Prices');

export function show(output, { shop, productFigures }) {
  heading.textContent = shop?.currency ? `Prices in ${shop.currency}` : 'Prices';
  if (!productFigures) return;
  const { priceBands } = productFigures;
  if (priceBands.length === 0) return void output.append(noProducts());
  const hasPrice = ({ min, max }) => min !== null || max !== null;
  const without = priceBands.find((each) => !hasPrice(each))?.count ?? 0;
  output.append(
    bars(priceBands.filter(hasPrice).map(({ min, max, count }) => [nameOf(min, max), count])),
    paragraph(`By lowest variant price.${without === 0 ? '' : ` ${number(without)} without a price.`}`, 'rest'),
  );
} // prettier-ignore

const short = (amount) => number(Number(amount));
function nameOf(min, max) {
  if (min === null) return `< ${short(max)}`;
  return max === null ? `≥ ${short(min)}` : `${short(min)}–${short(max)}`;
}

export const rowsOf = ({ productFigures }) => productFigures?.priceBands ?? [];
