import { element, facts, moment, paragraph, table } from './elements.js';

let id;

export function choose(chosen) {
  id = chosen;
}

export const readVariables = () => ({ id });

export const waitsForChoice = true;

export function restart() {
  id = undefined;
}

export function show(output, { node }) {
  if (node === null) output.append(paragraph('The object is not there any more.'));
  else output.append(...(node.__typename === 'Order' ? showOrder(node) : showProduct(node)));
}

const showProduct = (product) => [
  element('h3', { textContent: product.title }),
  facts([
    ['Status', product.status],
    ['Price', product.minPrice === product.maxPrice ? product.minPrice : `${product.minPrice} to ${product.maxPrice}`],
    ['Stock', String(product.totalStock)],
    ['Vendor', product.vendor],
    ['Type', product.productType],
    ['Tags', product.tags.join(', ') || null],
    ['Handle', product.handle],
    ['Id in the CMS', product.externalId],
    ['Created', moment(product.createdAt)],
    ['Changed', moment(product.updatedAt)],
  ]),
  table(
    `Variants, ${product.variantConnection.nodes.length} of ${product.variantConnection.totalCount}`,
    ['Variant', 'SKU', 'Price', 'Stock'],
    product.variantConnection.nodes.map(({ title, sku, price, inventoryQuantity }) => [
      title,
      sku,
      price,
      inventoryQuantity === null ? null : String(inventoryQuantity),
    ]),
    [2, 3],
  ),
];

const showOrder = (order) => [
  element('h3', { textContent: order.orderNumber }),
  facts([
    ['Customer', order.customerName],
    ['Total', `${order.totalPrice ?? '–'} ${order.currency ?? ''}`],
    ['Items', `${order.itemsCount}, ${order.subtotalPrice ?? '–'}`],
    ['Tax', order.totalTax],
    ['Shipping', order.totalShipping],
    ['Payment', order.financialStatus],
    ['Shipment', order.fulfillmentStatus],
    ['Tags', order.tags.join(', ') || null],
    ['Id in the CMS', order.externalId],
    ['Placed', moment(order.placedAt)],
    ['Changed', moment(order.changedAt)],
  ]),
];
