import { smallBars, stackedBars } from './chart.js';
import { element } from '../../reference/assets/shell.js';
import { aboutOrders, nameOf, paragraph, table } from './elements.js';
import { dayOf, longDate, longMonth, money, monthOf, number, paymentOf } from '../../reference/assets/format.js';
import { nounOf } from './period.js';

export const readVariables = ({ period: { interval, timeZone, range } }) => ({ interval, timeZone, range });
export const waitsForPeriod = true;

export function show(output, data, page, form) {
  const figures = data.orderFigures;
  if (!figures) return;
  const totals = [...figures.totals].sort((one, other) => other.count - one.count);
  const about = aboutOrders(data, totals.length === 0);
  const chosen = totals.find(({ currency }) => currency === page.currency);
  const measure = form.elements.measure.value;
  if (chosen) output.append(showCurrency(figures.buckets, chosen, { measure, interval: page.period.interval }));
  else if (totals.length > 0) output.append(paragraph(`No orders in this period (${nameOf(page.currency)}).`, 'rest'));
  if (about) output.append(paragraph(about, 'rest'));
  const others = totals.filter((each) => each !== chosen);
  if (others.length === 0) return;
  output.append(
    element(
      'div',
      { className: 'multiples' },
      others.map((each) => showSmall(figures.buckets, each, measure, page)),
    ),
  );
}

const ordersOf = (count) => `${number(count)} ${count === 1 ? 'order' : 'orders'}`;

/** The sums of one currency in each bucket. */
const sumsOf = (buckets, currency) =>
  buckets.map(({ currencies }) => currencies.find((each) => each.currency === currency));

function showSmall(buckets, { currency, count, totalPrice }, measure, page) {
  const values = sumsOf(buckets, currency).map((each) => Number((measure === 'count' ? each?.count : each?.totalPrice) ?? 0));
  const button = element('button', { type: 'button', className: 'multi' }, [
    element('span', {}, [
      element('b', { textContent: nameOf(currency) }),
      element('span', { className: 'num', textContent: money(totalPrice, currency, 'whole') }),
    ]),
    smallBars(values),
    element('small', { textContent: ordersOf(count) }),
  ]);
  button.dataset.currency = nameOf(currency);
  button.addEventListener('click', () => page.chooseCurrency(nameOf(currency)));
  return button;
} // prettier-ignore

function showCurrency(buckets, { currency, count, totalPrice, financialStatuses }, { measure, interval }) {
  const isMoney = measure === 'totalPrice';
  const sums = sumsOf(buckets, currency);
  const orders = ordersOf(count);
  const write = (value, step) => (isMoney ? money(String(value), currency, value < 1e15 ? 'compact' : 'scientific', Math.max(1, Math.ceil(-Math.log10(step)))) : number(value));
  const statuses = financialStatuses.map((each) => ({ ...each, ...paymentOf(each.status) })).sort((one, other) => one.at - other.at);
  const parts = sums.map((each) =>
    statuses.map(({ status, label, className }) => {
      const found = each?.financialStatuses.find((own) => own.status === status);
      const value = (isMoney ? found?.totalPrice : found?.count) ?? 0;
      return { className, label, value: Number(value), text: isMoney ? money(value, currency) : number(value) };
    }),
  );
  const noun = nounOf[interval];
  const part = element('div', { className: 'currency' }, [
    element('p', { className: 'big' }, [
      element('span', { className: 'num', textContent: isMoney ? money(totalPrice, currency) : orders }),
      element('span', { className: 'muted', textContent: isMoney ? ` in ${orders}, including pending and voided; with tax and shipping, before refunds` : ` totaling ${money(totalPrice, currency)}` }),
    ]),
    element('ul', { className: 'legend' }, statuses.map(({ label, className, count: own, totalPrice: amount }) =>
      element('li', {}, [
        element('i', { className }),
        label,
        element('span', { className: 'num', textContent: isMoney ? money(amount, currency, 'whole') : number(own) }),
      ]),
    )),
    stackedBars({
      isCount: !isMoney,
      write,
      label: `${isMoney ? `Revenue in ${nameOf(currency)}` : 'Orders'} by ${noun} and payment status. The numbers are in the table below.`,
      buckets: buckets.map(({ date }, at) => ({
        name: axisName(buckets, at, interval),
        label: interval === 'WEEK' ? `Week of ${longDate(date)}` : interval === 'MONTH' ? longMonth(date) : longDate(date),
        parts: parts[at],
        sumLabel: ordersOf(sums[at]?.count ?? 0),
        sum: money(sums[at]?.totalPrice ?? '0', currency),
      })),
    }),
    foldedNumbers(() => table(`Orders in ${nameOf(currency)}`, ['From', 'Payment', 'Orders', 'Sum'], digitsOf(buckets, currency), [2, 3])),
  ]);
  part.dataset.currency = nameOf(currency);
  return part;
} // prettier-ignore

let isOpen = false;

/** A thousand cells that few people open: created on demand. Stays open when the chart is drawn again. */
function foldedNumbers(toTable) {
  const place = element('div', { className: 'scrolls', tabIndex: 0, role: 'group', ariaLabel: 'Table' });
  const fold = element('details', { className: 'fold numbers', open: isOpen }, [element('summary', { textContent: 'View as table' }), place]);
  fold.addEventListener('toggle', () => {
    isOpen = fold.open;
    if (isOpen && place.childElementCount === 0) place.append(toTable());
  });
  return fold;
} // prettier-ignore

/**
 * The label of a bucket: at the first one of a month, or of a year if buckets are months; at every fifth one for few
 * days.
 */
function axisName(buckets, at, interval) {
  const of = (index) => buckets[index]?.date ?? '';
  if (interval === 'DAY' && buckets.length <= 31) return at % 5 === 0 ? dayOf(of(at)) : '';
  const isNew = (length) => at > 0 && of(at).slice(0, length) !== of(at - 1).slice(0, length);
  if (interval === 'MONTH' && buckets.length > 24) return isNew(4) ? of(at).slice(0, 4) : '';
  if (interval === 'MONTH' ? at % 2 === 1 : !isNew(7)) return '';
  const isYear = interval === 'MONTH' ? of(at).slice(5, 7) === '01' : isNew(4);
  return monthOf(of(at), isYear);
} // prettier-ignore

/** The amounts with the decimal places that were sent. */
const digitsOf = (buckets, wanted) =>
  rowsOf({ orderFigures: { buckets } }).flatMap(({ date, currency, status, count, totalPrice }) =>
    currency === wanted ? [[date, status ?? 'No status', String(count), totalPrice]] : [],
  );

export const rowsOf = ({ orderFigures }) =>
  (orderFigures?.buckets ?? []).flatMap(({ date, currencies }) =>
    currencies.flatMap(({ currency, financialStatuses }) =>
      financialStatuses.map((each) => ({ date, currency, ...each })),
    ),
  );
