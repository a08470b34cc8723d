import { createOrder, paragraph, scrolling } from './elements.js';
import { number } from '../../reference/assets/format.js';

export const readVariables = () => ({});

const counters = ['requests', 'rateLimited', 'errors', 'bytes', 'cost'];
const columns = ['name', 'last', ...counters];
let order;

export const start = (tile) => {
  order = createOrder(2, [0, 1, 2, 3, 4, 5, 6], () => tile.redraw());
};

/** Sums by key of the last thirty days, in the chosen order. */
function sumUp(usage) {
  const keys = new Map();
  for (const row of usage) {
    const sums = keys.get(row.clientId) ?? { name: row.keyName ?? row.clientId, last: row.day };
    keys.set(row.clientId, sums);
    for (const counter of counters) sums[counter] = (sums[counter] ?? 0) + row[counter];
  }
  const column = columns[order.at];
  const sorted = [...keys.values()].sort((left, right) => (left[column] < right[column] ? -1 : 1));
  return order.isDown ? sorted.reverse() : sorted;
}

export function show(output, { shop }) {
  if (!shop?.usage) return;
  if (shop.usage.length === 0) return void output.append(paragraph('No key was used in the last 30 days.', 'rest'));
  const rows = sumUp(shop.usage).map(({ name, last, ...sums }) => [name, last, ...counters.map((counter) => number(sums[counter]))]);
  const head = ['Key', 'Last used', 'Requests', 'Rate limited', 'Errors', 'Bytes', 'Cost'];
  output.append(scrolling('API key usage in the last 30 days', head, rows, [2, 3, 4, 5, 6], order));
} // prettier-ignore

export const rowsOf = ({ shop }) => shop?.usage ?? [];
