// The period that the page shows: chosen by the available data or by the user, and kept in the URL.
const zoneOfBrowser = Intl.DateTimeFormat().resolvedOptions().timeZone ?? 'UTC';

const day = 86_400_000;

/** The same time on another day, by the calendar of the zone: days have 23 or 25 hours when clocks change. */
function move(moment, days, isUtc) {
  const moved = new Date(moment);
  if (isUtc) moved.setUTCDate(moved.getUTCDate() + days);
  else moved.setDate(moved.getDate() + days);
  return moved;
}

const toRange = ([from, to]) => ({ from: from.toISOString(), to: to.toISOString() });

/**
 * Whole days, of which the last is today unless the user chose; `before` is the preceding period of the same length.
 * @returns interval, time zone and the two ranges, as variables of an operation
 */
export function readPeriod({ period: { value }, zone, from, to }) {
  const isUtc = zone.value === 'UTC';
  const timeZone = isUtc ? 'UTC' : zoneOfBrowser;
  if (value === 'all') return { timeZone, interval: 'MONTH', range: null, before: toRange([new Date(0), new Date(0)]) };
  const midnight = new Date();
  if (isUtc) midnight.setUTCHours(0, 0, 0, 0);
  else midnight.setHours(0, 0, 0, 0);
  const isWeeks = value === '52-weeks';
  // Begins on a Monday, so that the first week is complete.
  const monday = -51 * 7 - (((isUtc ? midnight.getUTCDay() : midnight.getDay()) + 6) % 7);
  const chosen = [from, to].map((field) => Math.round((new Date(`${field.value}T00:00${isUtc ? 'Z' : ''}`) - midnight) / day));
  const [first, last] = value === 'dates' ? chosen.sort((one, other) => one - other) : [isWeeks ? monday : 1 - parseInt(value, 10), 0];
  const length = isWeeks ? 364 : last + 1 - first;
  const range = [first, last + 1].map((days) => move(midnight, days, isUtc));
  const before = range.map((each) => move(Math.min(each, Date.now()), -length, isUtc));
  const interval = length <= 100 ? 'DAY' : length <= 1000 ? 'WEEK' : 'MONTH';
  return { timeZone, interval, range: toRange(range), before: toRange(before) };
} // prettier-ignore

/** Replaces missing dates and dates out of range with the last ones in use, at first with the last thirty days. */
export function fillDates({ from, to, zone }) {
  // Sweden writes dates as in ISO 8601.
  const dateOf = (days) =>
    new Date(Date.now() + days * day).toLocaleDateString('sv', { timeZone: zone.value === 'UTC' ? 'UTC' : undefined });
  for (const [field, days] of [[from, -29], [to, 0]]) {
    if (!field.checkValidity()) field.value = field.defaultValue || dateOf(days);
    field.defaultValue = field.value;
  }
} // prettier-ignore

const week = 7 * day;

/** The shortest period that shows the latest orders. @param starts the starts of the months that have orders */
export function choosePeriod(starts) {
  if (starts.length === 0) return '90-days';
  const [first, last] = [Date.parse(starts[0]), Date.parse(starts.at(-1))];
  if (last < Date.now() - 52 * week) return 'all';
  return first > Date.now() - 13 * week ? '90-days' : '52-weeks';
}

export const nounOf = { DAY: 'day', WEEK: 'week', MONTH: 'month' };
