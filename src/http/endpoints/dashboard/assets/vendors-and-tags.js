import { bars, noProducts, paragraph } from './elements.js';
import { number } from '../../reference/assets/format.js';

export const readVariables = () => ({});

export function show(output, { productFigures }, page, form) {
  if (!productFigures) return;
  const kind = form.elements.kind.value;
  const { top, rest, none } = productFigures[kind];
  if (top.length === 0 && none === 0) return void output.append(noProducts());
  output.append(bars(top.map(({ value, count }) => [value, count])), paragraph(leftOver(kind, rest, none), 'rest'));
}

const leftOver = (kind, rest, none) => {
  const [noun, one] = kind === 'tags' ? ['tags', 'a tag'] : ['vendors', 'a vendor'];
  const parts = [
    ...(rest === 0 ? [] : [kind === 'tags' ? `${number(rest)} uses of other tags` : `${number(rest)} more products of other ${noun}`]),
    ...(none === 0 ? [] : [`${number(none)} without ${one}`]),
  ];
  return parts.length === 0 ? `All ${noun} are shown.` : `${parts.join(', ')}.`;
}; // prettier-ignore

export const rowsOf = ({ productFigures }) =>
  ['vendors', 'tags'].flatMap((kind) => (productFigures?.[kind].top ?? []).map((each) => ({ kind, ...each })));
