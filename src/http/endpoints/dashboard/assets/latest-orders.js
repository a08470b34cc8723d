import { element } from '../../reference/assets/shell.js';
import { orderLink, statusLabel, table } from './elements.js';
import { money, number, shipmentOf, shortMoment } from '../../reference/assets/format.js';

export const readVariables = () => ({});

export function show(output, { orders }) {
  if (!orders) return;
  const rows = orders.nodes.map((order) => [
    element('a', { href: orderLink(order.id), textContent: order.orderNumber }),
    element('time', { dateTime: order.createdAt, title: order.createdAt, textContent: shortMoment(order.createdAt) }),
    statusLabel(order.financialStatus),
    shipmentOf(order.fulfillmentStatus),
    number(order.itemsCount),
    money(order.totalPrice, order.currency),
  ]);
  output.append(
    element('div', { className: 'scrolls', tabIndex: 0, role: 'group', ariaLabel: 'Latest orders' }, [
      table('Latest orders', ['Order', 'Placed', 'Payment', 'Shipment', 'Items', 'Total'], rows, [4, 5]),
    ]),
  );
}

export const file = ({ orders }) => ({
  name: 'latest-orders',
  head: ['order', 'placed', 'payment', 'shipment', 'items', 'total', 'currency'],
  rows: (orders?.nodes ?? []).map((each) => [each.orderNumber, each.createdAt, each.financialStatus, each.fulfillmentStatus, each.itemsCount, each.totalPrice, each.currency]),
}); // prettier-ignore
