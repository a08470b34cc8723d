import { element } from '../../reference/assets/shell.js';
import { aboutOrders, createOrder, createPages, orderLink, paragraph, scrolling, statusLabel } from './elements.js';
import { money, number, shipmentOf, shortMoment } from '../../reference/assets/format.js';

const [placed, total] = [1, 5];
let pages;
let order;

export function start(tile) {
  pages = createPages(tile);
  order = createOrder(placed, [placed, total], () => pages.turnTo());
}

export const restart = () => (pages.after = undefined);

/** Excludes orders without a date or an amount, with which a reversed list would begin. */
export const readVariables = () => ({
  after: pages.after,
  reverse: order.isDown,
  ...(order.at === placed
    ? { sortKey: 'CREATED_AT', filter: { createdAt: { from: '0001-01-01T00:00:00Z' } } }
    : { sortKey: 'TOTAL_PRICE', filter: { totalPrice: { min: '-1000000000000' } } }),
});

/** Those without a date come after all others. */
const latest = ({ dated, all }) => [
  ...(dated?.nodes ?? []),
  ...(dated?.pageInfo.hasNextPage || order.at !== placed ? [] : (all?.nodes ?? []).filter(({ createdAt }) => createdAt === null)),
]; // prettier-ignore

export function show(output, data) {
  if (!data.all) return;
  const rows = latest(data).map((each) => [
    element('a', { href: orderLink(each.id), textContent: each.orderNumber }),
    each.createdAt &&
      element('time', { dateTime: each.createdAt, title: each.createdAt, textContent: shortMoment(each.createdAt) }),
    statusLabel(each.financialStatus),
    shipmentOf(each.fulfillmentStatus),
    number(each.itemsCount),
    money(each.totalPrice, each.currency),
  ]);
  if (rows.length === 0) return void output.append(paragraph(aboutOrders(data, true), 'rest'));
  output.append(
    scrolling('Latest orders', ['Order', 'Placed', 'Payment', 'Fulfillment', 'Items', 'Total'], rows, [4, 5], order),
    element('p', { className: 'rest turns' }, [
      ...pages.buttons(data.dated.pageInfo),
      'Total with tax and shipping, before refunds.',
    ]),
  );
}

export { latest as rowsOf };
