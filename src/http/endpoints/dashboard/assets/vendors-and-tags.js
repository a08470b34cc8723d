import { bars } from './elements.js';

export const readVariables = () => ({});

export function show(output, { productFigures }) {
  if (!productFigures) return;
  const { vendors, tags } = productFigures;
  output.append(bars('Top vendors', 'Vendor', toCounts(vendors)), bars('Top tags', 'Tag', toCounts(tags)));
}

const toCounts = ({ top, rest, none }) => [
  ...top.map(({ value, count }) => [value, count]),
  ...(rest === 0 ? [] : [['(all others)', rest]]),
  ...(none === 0 ? [] : [['(none)', none]]),
];
