import { element } from '../../reference/assets/shell.js';
import { aboutOrders, createOrder, orderLink, paragraph, statusLabel, table } from './elements.js';
import { money, number, shipmentOf, shortMoment } from '../../reference/assets/format.js';

const [placed, total] = [1, 5];
/** The cursor that the page begins after. */
let after;
let order;

export function start(tile) {
  const turnTo = (cursor) => {
    after = cursor;
    void tile.load();
  };
  order = Object.assign(
    createOrder(placed, [placed, total], () => turnTo()),
    { turnTo },
  );
}

export const restart = () => (after = undefined);

/** Without those that have no date, or no amount, with which a list reversed begins. */
export const readVariables = () => ({
  after,
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
  const { hasNextPage, endCursor } = data.dated.pageInfo;
  const turn = (textContent, cursor) =>
    element('button', { type: 'button', className: 'btn small', textContent, onclick: () => order.turnTo(cursor) });
  output.append(
    element('div', { className: 'scrolls', tabIndex: 0, role: 'group', ariaLabel: 'Latest orders' }, [
      table('Latest orders', ['Order', 'Placed', 'Payment', 'Shipment', 'Items', 'Total'], rows, [4, 5], order),
    ]),
    element('p', { className: 'rest turns' }, [
      ...(after ? [turn('First page')] : []),
      ...(hasNextPage ? [turn('Next page', endCursor)] : []),
      'Total with tax and shipping, before refunds.',
    ]),
  );
}

export { latest as rowsOf };
