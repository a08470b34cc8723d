import { element, isOurs, thumbnail } from '../../reference/assets/shell.js';
import { collectionLink, createPages, noProducts, paragraph, productEntry, statusLabel } from './elements.js';
import { ago, money, number, prices, shipmentOf, shortMoment } from '../../reference/assets/format.js';

/** The object in the URL: `#product/ID`, `#order/ID` or `#collection/ID`. */
let chosen = { isProduct: false, id: '' };
/** Pages of the products of a collection. */
let pages;

export const waits = true;

export const start = (tile) => (pages = createPages(tile));

export function choose(kind, id) {
  chosen = { isProduct: kind === 'product', id };
  pages.after = undefined;
}

export const readVariables = () => ({ ...chosen, after: pages.after });

export function show(output, { product, node, shop }, page) {
  if (product) {
    output.append(...showProduct(product, shop?.currency ?? null));
    void page.showOrdersOf(product.variantConnection.nodes.map(({ sku }) => sku).filter(Boolean));
  } else if (node) output.append(...(node.products ? showCollection(node) : showOrder(node)));
  else output.append(paragraph('Not found. It may have been deleted, or the key may not have the scope to read it.'));
}

/** Names and values; without those that have none. */
const pairs = (className, all) =>
  element('dl', { className }, all.filter(([, value]) => value !== null && value !== '').map(([name, value]) =>
    element('div', {}, [element('dt', { textContent: name }), element('dd', { className: 'num', textContent: value, dir: 'auto' })]),
  )); // prettier-ignore

/** A list: a name with a code below it, and figures. */
const lines = (rows) =>
  element('ul', { className: 'variants' }, rows.map(([name, code, ...figures]) =>
    element('li', {}, [
      element('span', {}, [element('b', { textContent: name ?? '–', dir: 'auto' }), element('code', { textContent: code ?? '' })]),
      ...figures.map((textContent) => element('span', { className: 'num', textContent })),
    ]),
  )); // prettier-ignore

/** Shows pictures of this server and links to others: their servers would learn who is looking. */
const pictures = (images) =>
  element('ul', { className: 'pictures' }, images.map(({ url, altText }, at) => {
    const textContent = altText || `Image ${at + 1}`;
    if (!isOurs(url)) return element('li', {}, [element('a', { href: /^https?:/.test(url) ? url : '', target: '_blank', rel: 'noreferrer', textContent, dir: 'auto' })]);
    return element('li', {}, [Object.assign(thumbnail(url, 96), { alt: textContent })]);
  })); // prettier-ignore

const heading = (textContent) => element('h3', { textContent });

const showProduct = (product, currency) => {
  const { images, collections, variantConnection: { totalCount, nodes } } = product;
  const more = isOurs(product.imageUrl) ? images.slice(1) : images;
  return [
    ...(isOurs(product.imageUrl) ? [thumbnail(product.imageUrl, 450, 'hero-pic')] : []),
    ...(more.length === 0 ? [] : [pictures(more)]),
    element('h2', { textContent: product.title, dir: 'auto' }),
    paragraph([product.vendor, product.productType, product.status.toLowerCase()].filter(Boolean).join(' · '), 'muted'),
    pairs('trio', [
      ['Price', prices(product.minPrice, product.maxPrice, currency)],
      // Unknown is not zero.
      ['Stock', product.totalStock === 0 && nodes.every(({ inventoryQuantity: own }) => own === null) ? 'unknown' : number(product.totalStock)],
      ['Updated', ago(product.updatedAt)],
    ]),
    heading(`Variants, ${number(nodes.length)} of ${number(totalCount)}`),
    lines(nodes.map((each) => [each.title, each.sku, money(each.price, currency), each.inventoryQuantity === null ? 'not tracked' : number(each.inventoryQuantity)])),
    ...(collections.length === 0 ? [] : [heading('Collections'), element('p', { className: 'links' }, collections.map(({ id, title }) => element('a', { href: collectionLink(id), textContent: title, dir: 'auto' })))]),
    heading('Details'),
    pairs('facts', [
      ['Handle', product.handle],
      ['ID', product.externalId],
      ['Tags', product.tags.join(', ')],
      ['Created', shortMoment(product.createdAt)],
    ]),
  ];
}; // prettier-ignore

const showCollection = (collection) => {
  const { totalCount, nodes, pageInfo } = collection.products;
  return [
    ...(isOurs(collection.imageUrl) ? [thumbnail(collection.imageUrl, 450, 'hero-pic')] : []),
    element('h2', { textContent: collection.title, dir: 'auto' }),
    paragraph([collection.published ? 'published' : 'not published', collection.collectionType].filter(Boolean).join(' · '), 'muted'),
    pairs('trio', [['Products', number(totalCount)], ['Updated', collection.updatedAt === null ? '–' : ago(collection.updatedAt)]]),
    heading('Products'),
    ...(nodes.length === 0
      ? [noProducts('This collection has no visible products.')]
      : [element('div', { className: 'list' }, [element('ul', {}, nodes.map((each) => productEntry(each, each.vendor ?? '', element('b', { className: 'num', textContent: each.totalStock > 0 ? `${number(each.totalStock)} in stock` : '' }))))])]),
    element('p', { className: 'turns' }, pages.buttons(pageInfo)),
    heading('Details'),
    pairs('facts', [['Handle', collection.handle], ['ID', collection.externalId], ['Products on the platform', number(collection.productsCount)]]),
  ];
}; // prettier-ignore

const showOrder = (order) => [
  element('h2', { textContent: order.orderNumber }),
  element('p', {}, [statusLabel(order.financialStatus)]),
  pairs('trio', [
    ['Total', money(order.totalPrice, order.currency)],
    ['Items', number(order.itemsCount)],
    ['Placed', order.createdAt === null ? '–' : ago(order.createdAt)],
  ]),
  ...(order.lineItems.length === 0 ? [] : [heading('Line items'), lines(order.lineItems.map(({ title, sku, quantity, total }) => [title, sku, `× ${number(quantity)}`, money(total, order.currency)]))]),
  heading('Amounts'),
  pairs('facts', amountsOf(order)),
  heading('Details'),
  pairs('facts', [
    ['Customer', order.customerName],
    ['Fulfillment', shipmentOf(order.fulfillmentStatus)],
    ['Tags', order.tags.join(', ')],
    ['ID', order.externalId],
    ['Placed', shortMoment(order.createdAt)],
    ['Updated', shortMoment(order.updatedAt)],
  ]),
]; // prettier-ignore

/** Rows that add up to the total: subtotals may or may not include tax, and no field has the discounts. */
function amountsOf({ currency, totalPrice, subtotalPrice, totalTax, totalShipping }) {
  const [total, subtotal, tax, shipping] = [totalPrice, subtotalPrice, totalTax, totalShipping].map(Number);
  // Some currencies have three decimal places.
  const exact = (amount) => Math.round(amount * 10_000);
  const isIncluded = exact(subtotal + shipping) === exact(total);
  const other = isIncluded ? 0 : total - subtotal - shipping - tax;
  return [
    ['Subtotal', money(subtotalPrice, currency)],
    ['Shipping', money(totalShipping, currency)],
    ...(isIncluded ? [] : [['Tax', money(totalTax, currency)]]),
    ...(exact(other) === 0 || [totalPrice, subtotalPrice, totalTax, totalShipping].includes(null)
      ? []
      : [['Other', money(other.toFixed(4), currency)]]),
    ['Total', money(totalPrice, currency)],
    ...(isIncluded && tax > 0 ? [['Tax included', money(totalTax, currency)]] : []),
  ];
}
