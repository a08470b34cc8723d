import { element, paragraph, table } from './elements.js';
import { colourClass, plotStack } from './plot.js';

const zoneOfBrowser = Intl.DateTimeFormat().resolvedOptions().timeZone ?? 'UTC';

/** Whole days or weeks that end with today, from `midnight(days)`, which is that many days after today's. */
const periods = {
  '30-days': (midnight) => ({ interval: 'DAY', range: toRange(midnight, 30) }),
  '90-days': (midnight) => ({ interval: 'DAY', range: toRange(midnight, 90) }),
  // From a Monday on, so that the first week is whole.
  '52-weeks': (midnight, weekday) => ({ interval: 'WEEK', range: toRange(midnight, 51 * 7 + ((weekday + 6) % 7) + 1) }),
  all: () => ({ interval: 'MONTH', range: null }),
};

const toRange = (midnight, days) => ({ from: midnight(1 - days).toISOString(), to: midnight(1).toISOString() });

export function readVariables(form) {
  const now = new Date();
  const toPeriod = periods[form.elements.period.value];
  // Days have 23 or 25 hours where clocks change, so they are counted in the calendar of their zone.
  if (form.elements.zone.value === 'UTC') {
    const midnight = (days) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + days));
    return { timeZone: 'UTC', ...toPeriod(midnight, now.getUTCDay()) };
  }
  const midnight = (days) => new Date(now.getFullYear(), now.getMonth(), now.getDate() + days);
  return { timeZone: zoneOfBrowser, ...toPeriod(midnight, now.getDay()) };
}

export function show(output, { orderFigures: figures }, form) {
  if (!figures) return;
  if (figures.totals.length === 0) output.append(paragraph('There are no orders in this period. Choose a longer one.'));
  for (const totals of figures.totals) output.append(showCurrency(figures.buckets, totals, form));
}

const nameOf = (status) => status ?? 'without status';

function showCurrency(buckets, { currency, count, totalPrice, financialStatuses }, form) {
  const isMoney = form.elements.measure.value === 'totalPrice';
  const timeZone = form.elements.zone.value === 'UTC' ? 'UTC' : zoneOfBrowser;
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
    plotStack(target, {
      times: buckets.map(({ start }) => Date.parse(start) / 1000),
      series,
      timeZone,
      isCount: !isMoney,
      label: `${isMoney ? 'Sums' : 'Numbers'} of orders in ${name} by payment status, days of ${timeZone}. The table below has the numbers.`,
    }),
  );
  return part;
}
