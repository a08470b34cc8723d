import { element, isOurs, thumbnail } from '../../reference/assets/shell.js';
import { paragraph, statusLabel } from './elements.js';
import { ago, money, number, prices, shipmentOf, shortMoment } from '../../reference/assets/format.js';

/** What the address names: `#product/HANDLE`, or an id, and `#order/ID`. */
let chosen;

const isId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const waits = true;

export function choose(kind, name) {
  chosen = { kind, name };
}

export function readVariables() {
  const { kind, name } = chosen ?? { kind: 'order', name: '' };
  if (kind === 'order') return { isProduct: false, node: name };
  return { isProduct: true, node: '', ...(isId.test(name) ? { id: name } : { handle: name }) };
}

export function show(output, { product, node, shop }) {
  const found = product ?? node;
  if (!found) output.append(paragraph('Not found. It may have been deleted.'));
  else output.append(...(product ? showProduct(product, shop?.currency ?? null) : showOrder(node)));
}

const trio = (pairs) =>
  element('dl', { className: 'trio' }, pairs.map(([name, value]) => element('div', {}, [element('dt', { textContent: name }), element('dd', { className: 'num', textContent: value })]))); // prettier-ignore

const facts = (pairs) =>
  element('dl', { className: 'facts' }, pairs.filter(([, value]) => value !== null && value !== '').map(([name, value]) =>
    element('div', {}, [element('dt', { textContent: name }), element('dd', { textContent: value, dir: 'auto' })]),
  )); // prettier-ignore

const heading = (textContent) => element('h3', { textContent });

const showProduct = (product, currency) => {
  const { totalCount, nodes } = product.variantConnection;
  return [
    ...(isOurs(product.imageUrl) ? [thumbnail(product.imageUrl, 450, 'hero-pic')] : []),
    element('h2', { textContent: product.title, dir: 'auto' }),
    paragraph([product.vendor, product.productType, product.status.toLowerCase()].filter(Boolean).join(' · '), 'muted'),
    trio([
      ['Price', prices(product.minPrice, product.maxPrice, currency)],
      // Unknown is not zero.
      ['Stock', product.totalStock === 0 && nodes.every(({ inventoryQuantity: own }) => own === null) ? 'unknown' : number(product.totalStock)],
      ['Updated', ago(product.updatedAt)],
    ]),
    heading(`Variants, ${number(nodes.length)} of ${number(totalCount)}`),
    element('ul', { className: 'variants' }, nodes.map((each) =>
      element('li', {}, [
        element('span', {}, [element('b', { textContent: each.title, dir: 'auto' }), element('code', { textContent: each.sku ?? '' })]),
        element('span', { className: 'num', textContent: money(each.price, currency) }),
        element('span', { className: 'stock num', textContent: each.inventoryQuantity === null ? 'not counted' : number(each.inventoryQuantity) }),
      ]),
    )),
    heading('Details'),
    facts([
      ['Handle', product.handle],
      ['ID', product.externalId],
      ['Tags', product.tags.join(', ')],
      ['Created', shortMoment(product.createdAt)],
    ]),
  ];
}; // prettier-ignore

const showOrder = (order) => [
  element('h2', { textContent: order.orderNumber }),
  element('p', {}, [statusLabel(order.financialStatus)]),
  trio([
    ['Total', money(order.totalPrice, order.currency)],
    ['Items', number(order.itemsCount)],
    ['Placed', order.createdAt === null ? '–' : ago(order.createdAt)],
  ]),
  heading('Amounts'),
  facts(amountsOf(order)),
  heading('Details'),
  facts([
    ['Customer', order.customerName],
    ['Fulfillment', shipmentOf(order.fulfillmentStatus)],
    ['Tags', order.tags.join(', ')],
    ['ID', order.externalId],
    ['Placed', shortMoment(order.createdAt)],
    ['Updated', shortMoment(order.updatedAt)],
  ]),
];

/** Rows that add up to the total: shops give prices with their tax or without it, and discounts in neither. */
function amountsOf({ currency, totalPrice, subtotalPrice, totalTax, totalShipping }) {
  const [total, subtotal, tax, shipping] = [totalPrice, subtotalPrice, totalTax, totalShipping].map(Number);
  const cents = (amount) => Math.round(amount * 100);
  const isIncluded = cents(subtotal + shipping) === cents(total);
  const other = isIncluded ? 0 : total - subtotal - shipping - tax;
  return [
    ['Subtotal', money(subtotalPrice, currency)],
    ['Shipping', money(totalShipping, currency)],
    ...(isIncluded ? [] : [['Tax', money(totalTax, currency)]]),
    ...(cents(other) === 0 || [totalPrice, subtotalPrice, totalTax, totalShipping].includes(null)
      ? []
      : [['Other', money(String(other), currency)]]),
    ['Total', money(totalPrice, currency)],
    ...(isIncluded && tax > 0 ? [['Tax included', money(totalTax, currency)]] : []),
  ];
}
