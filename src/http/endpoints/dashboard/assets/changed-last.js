import { moment, opener, table } from './elements.js';

export const readVariables = () => ({});

export function show(output, { products, orders }) {
  if (products) output.append(list('Products', products.nodes, ({ title }) => title));
  if (orders) output.append(list('Orders', orders.nodes, ({ orderNumber }) => orderNumber));
}

function list(caption, nodes, nameOf) {
  const rows = nodes.map((node) => [opener(node.id, nameOf(node)), moment(node.updatedAt)]);
  return table(`${caption} changed last`, [caption, 'Changed'], rows);
}
