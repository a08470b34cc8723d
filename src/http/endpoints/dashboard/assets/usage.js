import { element } from '../../reference/assets/shell.js';
import { paragraph, table } from './elements.js';
import { number } from '../../reference/assets/format.js';

export const readVariables = () => ({});

const counters = ['requests', 'rateLimited', 'errors', 'bytes', 'cost'];

/** Sums by key of the last thirty days, the most used key first. */
function sumUp(usage) {
  const keys = new Map();
  for (const row of usage) {
    const sums = keys.get(row.clientId) ?? { name: row.keyName ?? row.clientId, last: row.day };
    keys.set(row.clientId, sums);
    for (const counter of counters) sums[counter] = (sums[counter] ?? 0) + row[counter];
  }
  return [...keys.values()].sort((left, right) => right.requests - left.requests);
}

export function show(output, { shop }) {
  if (!shop?.usage) return;
  if (shop.usage.length === 0) return void output.append(paragraph('No key was used in the last 30 days.', 'rest'));
  const rows = sumUp(shop.usage).map(({ name, last, ...sums }) => [name, last, ...counters.map((counter) => number(sums[counter]))]);
  const head = ['Key', 'Last day', 'Requests', 'Rate limited', 'Errors', 'Bytes', 'Cost'];
  output.append(
    element('div', { className: 'scrolls', tabIndex: 0, role: 'group', ariaLabel: 'API key usage' }, [
      table('API key usage in the last 30 days', head, rows, [2, 3, 4, 5, 6]),
    ]),
  );
} // prettier-ignore

export const file = ({ shop }) => ({
  name: 'usage',
  head: ['day', 'key', 'requests', 'rate_limited', 'errors', 'bytes', 'cost'],
  rows: (shop?.usage ?? []).map((row) => [row.day, row.clientId, ...counters.map((counter) => row[counter])]),
});
