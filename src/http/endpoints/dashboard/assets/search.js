import { moment, opener, paragraph, table } from './elements.js';

export function readVariables(form) {
  const text = form.elements.text.value.trim();
  // Shops store numbers with and without the sign, and people type it or leave it out.
  const number = text.replace(/^#/, '');
  return { text, skus: [text], orderNumbers: [number, `#${number}`] };
}

export const explainMissing = ({ text }) =>
  text === '' ? 'Search: expected a title, SKU or order number, got nothing.' : undefined;

export function show(output, { products, variants, orders }) {
  const rows = [
    ...(orders?.nodes ?? []).map(({ id, orderNumber, createdAt }) => [
      'Order',
      opener(id, orderNumber),
      moment(createdAt),
    ]),
    ...(variants?.nodes ?? []).flatMap(({ sku, title, product }) =>
      product === null ? [] : [['SKU', opener(product.id, product.title), [sku, title].filter(Boolean).join(', ')]],
    ),
    ...(products?.nodes ?? []).map(({ id, title, status }) => ['Product', opener(id, title), status]),
  ];
  if (rows.length === 0) output.append(paragraph('Nothing was found.'));
  else output.append(table('Results', ['Kind', 'Name', 'More'], rows));
  const more = (products?.totalCount ?? 0) - (products?.nodes.length ?? 0);
  if (more > 0) output.append(paragraph(`${more} more products: write more of the title.`));
}
