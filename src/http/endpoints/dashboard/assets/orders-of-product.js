import { element } from '../../reference/assets/shell.js';
import { entry, orderLink, paragraph } from './elements.js';
import { money, number, paymentOf, shortMoment } from '../../reference/assets/format.js';

let skus = [];

export const waits = true;

export const choose = (chosen) => (skus = chosen);
export const readVariables = () => ({ skus });

export function show(output, { orders }) {
  if (!orders) return;
  const items = orders.nodes.map(({ id, orderNumber, createdAt, financialStatus, totalPrice, currency }) => {
    const total = element('b', { className: 'num', textContent: money(totalPrice, currency) });
    return entry(orderLink(id), undefined, orderNumber, `${shortMoment(createdAt)} · ${paymentOf(financialStatus).label}`, total);
  });
  output.append(
    element('h3', { textContent: `Recent orders with a date, ${number(items.length)} of ${number(orders.totalCount)}` }),
    items.length === 0 ? paragraph("No orders with a date contain this product's SKUs.") : element('div', { className: 'list' }, [element('ul', {}, items)]),
  );
} // prettier-ignore
