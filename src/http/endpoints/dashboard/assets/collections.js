import { element, thumbnail } from '../../reference/assets/shell.js';
import { collectionLink, createPages, entry, paragraph } from './elements.js';
import { number, shortDay } from '../../reference/assets/format.js';

let pages;

export const start = (tile) => (pages = createPages(tile));
export const restart = () => (pages.after = undefined);
export const readVariables = () => ({ after: pages.after });

export function show(output, { collections }) {
  if (!collections) return;
  const { nodes, pageInfo } = collections;
  if (nodes.length === 0) return void output.append(paragraph('This shop has no collections.', 'rest'));
  const items = nodes.map(({ id, title, published, productsCount, imageUrl, updatedAt }) => {
    const more = `${number(productsCount)} ${productsCount === 1 ? 'product' : 'products'}${published ? '' : ' · not published'}`;
    const when = element('time', { dateTime: updatedAt ?? '', title: updatedAt ?? '', textContent: shortDay(updatedAt) });
    return entry(collectionLink(id), thumbnail(imageUrl, 36), title, more, when);
  });
  output.append(element('ul', {}, items), element('p', { className: 'rest turns' }, pages.buttons(pageInfo)));
} // prettier-ignore

export const rowsOf = ({ collections }) => collections?.nodes ?? [];
