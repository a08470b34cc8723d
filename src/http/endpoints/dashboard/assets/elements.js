// Elements of the views. Everything that comes from a shop is text, never markup.
import { element, productLink, thumbnail } from '../../reference/assets/shell.js';
import { number, paymentOf } from '../../reference/assets/format.js';

export const paragraph = (textContent, className = '') => element('p', { textContent, className });

const svgSpace = 'http://www.w3.org/2000/svg';

/** An element of a picture. @param attributes by their names in SVG */
export function drawn(name, attributes, children = []) {
  const made = document.createElementNS(svgSpace, name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
}

/** A picture that fills its box, whatever its size; the text next to it is for screen readers. */
export const picture = (className, width, height, children) =>
  drawn('svg', { class: className, viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' }, children); // prettier-ignore

export const rectangle = (x, y, width, height, className = '') =>
  drawn('rect', { x, y, width, height, ...(className && { class: className }) });

/** The sort order of a table: the column `at`, highest first; choosing it again reverses it. */
export function createOrder(at, columns, onChange) {
  const choose = (next) => {
    order.isDown = next !== order.at || !order.isDown;
    order.at = next;
    onChange();
  };
  const order = { at, isDown: true, columns, choose };
  return order;
}

/** The page that a list shows, and the buttons that turn it. */
export function createPages(tile) {
  const turnTo = (cursor) => {
    pages.after = cursor;
    void tile.load();
  };
  const turn = (textContent, cursor) =>
    element('button', { type: 'button', className: 'btn small', textContent, onclick: () => turnTo(cursor) });
  const pages = {
    turnTo,
    buttons: ({ hasNextPage, endCursor }) => [
      ...(pages.after ? [turn('First page')] : []),
      ...(hasNextPage ? [turn('Next page', endCursor)] : []),
    ],
  };
  return pages;
}

/** A table that scrolls where the window is narrow. */
export const scrolling = (caption, ...parts) =>
  element('div', { className: 'scrolls', tabIndex: 0, role: 'group', ariaLabel: caption }, [table(caption, ...parts)]);

/** A table; the columns in `numeric` are aligned to the right, those of `order` sort it. */
export function table(caption, head, rows, numeric = [], order = undefined) {
  const side = (index) => (numeric.includes(index) ? 'r num' : '');
  const headOf = (textContent, index) => {
    const sorts = order?.columns.includes(index);
    const name = sorts ? element('button', { type: 'button', className: 'sorts', textContent, onclick: () => order.choose(index) }) : textContent;
    const ariaSort = order?.at !== index ? null : order.isDown ? 'descending' : 'ascending';
    return element('th', { scope: 'col', className: side(index), ariaSort }, [name]);
  };
  return element('table', { className: 'table' }, [
    element('caption', { className: 'sr', textContent: caption }),
    element('thead', {}, [element('tr', {}, head.map(headOf))]),
    element('tbody', {}, rows.map((cells) =>
      element('tr', {}, cells.map((content, index) => element('td', { className: side(index) }, [content ?? '–']))),
    )),
  ]);
} // prettier-ignore

/** Explains why there are no orders, and how many are in no period, from the counts of all and of those with a date. */
export function aboutOrders({ all, dated }, isEmpty) {
  if (!all || !dated) return '';
  const undated = all.totalCount - dated.totalCount;
  if (all.totalCount === 0) return 'This shop has no orders.';
  const reason = isEmpty && dated.totalCount > 0 ? 'No orders in this period. ' : '';
  return undated > 0 ? `${reason}Orders without a date: ${number(undated)}.` : reason;
}

export const nameOf = (currency) => currency ?? 'unknown currency';

export const noProducts = (text = 'This shop has no products.') => paragraph(text, 'rest');

/** The URLs of an order and of a collection on this page. */
export const orderLink = (id) => `#order/${id}`;
export const collectionLink = (id) => `#collection/${id}`;

/** An entry of a list: picture, two lines, and what is at its end. */
export const entry = (href, image, name, more, end) =>
  element('li', {}, [
    element('a', { href }, [
      ...(image ? [image] : []),
      element('span', { className: 'what' }, [
        element('b', { textContent: name, dir: 'auto' }),
        element('small', { textContent: more, dir: 'auto' }),
      ]),
      ...(end ? [end] : []),
    ]),
  ]);

export const productEntry = ({ id, title, imageUrl }, more, end) =>
  entry(productLink(id), thumbnail(imageUrl, 36), title, more, end);

/** Counts as bars, with their names on them. @param pairs name and count */
export function bars(pairs) {
  const most = Math.max(1, ...pairs.map(([, count]) => count));
  return element('ul', { className: 'hbars' }, pairs.map(([name, count]) => {
    const bar = element('i');
    bar.style.width = `${(100 * count) / most}%`;
    return element('li', {}, [bar, element('span', { textContent: name, dir: 'auto' }), element('b', { className: 'num', textContent: number(count) })]);
  }));
} // prettier-ignore

/** A payment status as a label; its title is the CMS's own word. */
export function statusLabel(status) {
  const { label, className, sign } = paymentOf(status);
  return element('span', { className: `status ${className}`, title: status ?? '' }, [
    element('i', { textContent: sign, ariaHidden: 'true' }),
    label,
  ]);
}
