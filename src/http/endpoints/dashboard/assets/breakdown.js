import { bars, noProducts, paragraph } from './elements.js';
import { number } from '../../reference/assets/format.js';

export const readVariables = () => ({});

const words = {
  vendors: ['Products from other vendors', 'a vendor'],
  tags: ['Uses of other tags', 'a tag'],
  prices: ['', 'a price'],
};

export function show(output, { shop, productFigures }, page, form) {
  if (!productFigures) return;
  const kind = form.elements.kind.value;
  const { top, rest, none } = groupsOf(productFigures)[kind];
  if (top.length === 0 && none === 0) return void output.append(noProducts());
  const [others, one] = words[kind];
  const parts = [
    kind === 'prices' && `By lowest variant price${shop?.currency ? ` in ${shop.currency}` : ''}`,
    rest > 0 && `${others}: ${number(rest)}`,
    none > 0 && `${number(none)} without ${one}`,
  ].filter(Boolean);
  output.append(
    bars(top.map(({ value, count }) => [value, count])),
    paragraph(`${parts.join('; ') || `All ${kind} are shown`}.`, 'rest'),
  );
}

function groupsOf({ vendors, tags, priceBands }) {
  const hasPrice = ({ min, max }) => min !== null || max !== null;
  const top = priceBands.filter(hasPrice).map(({ min, max, count }) => ({ value: nameOf(min, max), count }));
  return { vendors, tags, prices: { top, rest: 0, none: priceBands.find((each) => !hasPrice(each))?.count ?? 0 } };
}

const short = (amount) => number(Number(amount));
function nameOf(min, max) {
  if (min === null) return `< ${short(max)}`;
  return max === null ? `≥ ${short(min)}` : `${short(min)}–${short(max)}`;
}

export const rowsOf = ({ productFigures }) =>
  Object.entries(productFigures ? groupsOf(productFigures) : {}).flatMap(([kind, { top }]) =>
    top.map((each) => ({ kind, ...each })),
  );
