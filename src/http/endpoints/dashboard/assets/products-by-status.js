import { bars, paragraph } from './elements.js';

export const readVariables = () => ({});

export function show(output, { productFigures: figures }) {
  if (!figures) return;
  output.append(
    paragraph(`${figures.count} products.`),
    bars(
      'Products by status',
      'Status',
      figures.statuses.map(({ status, count }) => [status, count]),
    ),
  );
}
