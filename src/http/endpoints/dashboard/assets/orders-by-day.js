import { element, paragraph, table } from './elements.js';
import { colourClass, plotStack } from './plot.js';

const day = 86_400_000;

/** Whole days or weeks in UTC that end with today. */
const periods = {
  '30-days': () => ({ interval: 'DAY', range: lastDays(30) }),
  '90-days': () => ({ interval: 'DAY', range: lastDays(90) }),
  // From a Monday on, so that the first week is whole.
  '52-weeks': () => ({ interval: 'WEEK', range: lastDays(51 * 7 + ((new Date().getUTCDay() + 6) % 7) + 1) }),
  all: () => ({ interval: 'MONTH', range: null }),
};

function lastDays(count) {
  const tomorrow = (Math.floor(Date.now() / day) + 1) * day;
  return { from: new Date(tomorrow - count * day).toISOString(), to: new Date(tomorrow).toISOString() };
}

export const readVariables = (form) => periods[form.elements.period.value]();

export function show(output, { shop }, form) {
  const figures = shop?.orderFigures;
  if (!figures) return;
  if (figures.totals.length === 0) output.append(paragraph('There are no orders in this period. Choose a longer one.'));
  for (const totals of figures.totals) output.append(showCurrency(figures.buckets, totals, form));
}

const nameOf = (status) => status ?? 'without status';

function showCurrency(buckets, { currency, count, totalPrice, financialStatuses }, form) {
  const isMoney = form.elements.measure.value === 'totalPrice';
  const name = currency ?? 'without currency';
  const sums = buckets.map(({ currencies }) => currencies.find((each) => each.currency === currency));
  // Numbers for the picture alone: the table keeps the digits that were sent.
  const series = financialStatuses.map(({ status }) => ({
    label: nameOf(status),
    values: sums.map((each) => {
      const found = each?.financialStatuses.find((own) => own.status === status);
      return Number((isMoney ? found?.totalPrice : found?.count) ?? 0);
    }),
  }));
  const part = element('div', { className: 'currency' }, [
    element('h3', { textContent: `${name}: ${count} ${count === 1 ? 'order' : 'orders'}, ${totalPrice}` }),
  ]);
  part.dataset.currency = name;
  const target = element('div', { className: 'plot' });
  const legend = element(
    'ul',
    { className: 'legend' },
    financialStatuses.map((each, index) =>
      element('li', {}, [
        element('span', { className: `swatch ${colourClass(index)}` }),
        ` ${nameOf(each.status)}: ${each.count}, ${each.totalPrice}`,
      ]),
    ),
  );
  const rows = buckets.flatMap(({ date }, index) =>
    (sums[index]?.financialStatuses ?? []).map((own) => [date, nameOf(own.status), String(own.count), own.totalPrice]),
  );
  const numbers = element('details', {}, [
    element('summary', { textContent: `The numbers in ${name}` }),
    table(`Orders in ${name}`, ['From', 'Payment', 'Orders', 'Sum'], rows, [2, 3]),
  ]);
  part.append(target, legend, numbers);
  // It has a width only when it is in the page.
  queueMicrotask(() =>
    plotStack(
      target,
      buckets.map(({ start }) => Date.parse(start) / 1000),
      series,
      `${isMoney ? 'Sums' : 'Numbers'} of orders in ${name} by payment status. The table below has the numbers.`,
    ),
  );
  return part;
}
