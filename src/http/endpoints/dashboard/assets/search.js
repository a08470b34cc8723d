import { element, productLink } from '../../reference/assets/shell.js';
import { entry, orderLink, paragraph, productEntry } from './elements.js';
import { number, shortMoment } from '../../reference/assets/format.js';

export const waits = true;

export function readVariables(_page, form) {
  const text = form.elements.text.value.trim();
  // Shops store numbers with and without the sign, and people type it or leave it out.
  const plain = text.replace(/^#/, '');
  return { text, skus: [text], orderNumbers: [plain, `#${plain}`] };
}

/** Searches when typing pauses for a moment; a text without a letter or digit shows nothing. */
export function start(tile) {
  let timer;
  const field = tile.form.elements.text;
  const ask = () => {
    clearTimeout(timer);
    tile.clear();
    if (/[\p{L}\p{N}]/u.test(field.value)) timer = setTimeout(() => void tile.load(), 200);
  };
  for (const type of ['input', 'submit']) tile.form.addEventListener(type, ask);
  // For text that was typed while this script was loading.
  ask();
  const leave = ({ type, target }) => {
    if (target.closest('[data-view=search]') === null || (type === 'click' && target.closest('a') !== null))
      tile.clear();
  };
  for (const type of ['click', 'focusin']) document.addEventListener(type, leave);
  tile.section.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') tile.clear();
  });
}

export function show(output, { products, variants, orders }, _page, form) {
  const hits = [
    ...(orders?.nodes ?? []).map((each) => entry(orderLink(each.id), undefined, each.orderNumber, each.createdAt === null ? 'Order without a date' : `Ordered ${shortMoment(each.createdAt)}`)),
    ...(variants?.nodes ?? []).flatMap(({ sku, title, product }) =>
      product === null ? [] : [entry(productLink(product.id), undefined, product.title, `SKU ${[sku, title].filter(Boolean).join(', ')}`)],
    ),
    ...(products?.nodes ?? []).map((each) => productEntry(each, each.status === 'ACTIVE' ? 'Product' : `Product, ${each.status.toLowerCase()}`)),
  ];
  output.append(hits.length === 0 ? paragraph(`No results for “${form.elements.text.value.trim()}”`, 'rest') : element('div', { className: 'list' }, [element('ul', {}, hits)]));
  const more = (products?.totalCount ?? 0) - (products?.nodes.length ?? 0);
  if (more > 0) output.append(paragraph(`More products: ${number(more)}. Type more words to narrow the search.`, 'rest'));
} // prettier-ignore
