import { element } from '../../reference/assets/shell.js';
import { orderLink, paragraph, statusLabel, table, aboutOrders } from './elements.js';
import { money, number, shipmentOf, shortMoment } from '../../reference/assets/format.js';

export const readVariables = () => ({});

/** Those with a date first, then those without one, of which a list reversed begins. */
const latest = ({ dated, all }) =>
  [...(dated?.nodes ?? []), ...(all?.nodes ?? []).filter(({ createdAt }) => createdAt === null)].slice(0, 8);

export function show(output, data) {
  if (!data.all) return;
  const rows = latest(data).map((order) => [
    element('a', { href: orderLink(order.id), textContent: order.orderNumber }),
    order.createdAt &&
      element('time', { dateTime: order.createdAt, title: order.createdAt, textContent: shortMoment(order.createdAt) }),
    statusLabel(order.financialStatus),
    shipmentOf(order.fulfillmentStatus),
    number(order.itemsCount),
    money(order.totalPrice, order.currency),
  ]);
  if (rows.length === 0) return void output.append(paragraph(aboutOrders(data, true), 'rest'));
  output.append(
    element('div', { className: 'scrolls', tabIndex: 0, role: 'group', ariaLabel: 'Latest orders' }, [
      table('Latest orders', ['Order', 'Placed', 'Payment', 'Shipment', 'Items', 'Total'], rows, [4, 5]),
    ]),
  );
}

export const file = (data) => ({
  name: 'latest-orders',
  head: ['order', 'placed', 'payment', 'shipment', 'items', 'total', 'currency'],
  rows: latest(data).map((each) => [each.orderNumber, each.createdAt, each.financialStatus, each.fulfillmentStatus, each.itemsCount, each.totalPrice, each.currency]),
}); // prettier-ignore
