import { opener, paragraph, table } from './elements.js';

export const readVariables = () => ({});

export function show(output, { productFigures, lowest }) {
  if (productFigures)
    output.append(paragraph(`${productFigures.outOfStock} of ${productFigures.count} products have no stock.`));
  if (!lowest) return;
  const rows = lowest.nodes.map(({ id, title, totalStock }) => [opener(id, title), String(totalStock)]);
  output.append(table('Active products with the least stock', ['Product', 'Stock'], rows, [1]));
}
