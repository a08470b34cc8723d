import { bars } from './elements.js';

export const readVariables = () => ({});

export function show(output, { shop, productFigures }) {
  if (!productFigures) return;
  const bands = productFigures.priceBands.map(({ min, max, count }) => [nameOf(min, max), count]);
  output.append(bars(`Products by price${shop?.currency ? ` in ${shop.currency}` : ''}`, 'Price', bands));
}

function nameOf(min, max) {
  if (min === null && max === null) return 'without a price';
  if (min === null) return `below ${max}`;
  return max === null ? `${min} or more` : `${min} to below ${max}`;
}
