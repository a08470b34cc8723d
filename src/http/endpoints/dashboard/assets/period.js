// The time that the page shows: chosen by what there is, or by a person, and kept in the address.
const zoneOfBrowser = Intl.DateTimeFormat().resolvedOptions().timeZone ?? 'UTC';

/**
 * Whole days or weeks that end with today, from `midnight(days)`, which is that many days after today's; and as many
 * before them.
 */
const periods = {
  '30-days': (midnight) => ({ interval: 'DAY', ...toRanges(midnight, 30) }),
  '90-days': (midnight) => ({ interval: 'DAY', ...toRanges(midnight, 90) }),
  // From a Monday on, so that the first week is whole.
  '52-weeks': (midnight, weekday) => ({ interval: 'WEEK', ...toRanges(midnight, 51 * 7 + ((weekday + 6) % 7) + 1) }),
  all: () => ({ interval: 'MONTH', range: null, before: { from: '1970-01-01T00:00:00Z', to: '1970-01-01T00:00:00Z' } }),
}; // prettier-ignore

const toRanges = (midnight, days) => {
  const from = midnight(1 - days).toISOString();
  return { range: { from, to: midnight(1).toISOString() }, before: { from: midnight(1 - 2 * days).toISOString(), to: from } };
}; // prettier-ignore

/** @returns interval, time zone, the range and the one before it, as variables of an operation */
export function readPeriod({ period, zone }) {
  const now = new Date();
  const toPeriod = periods[period.value];
  // Days have 23 or 25 hours where clocks change, so they are counted in the calendar of their zone.
  if (zone.value === 'UTC') {
    const midnight = (days) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + days));
    return { timeZone: 'UTC', ...toPeriod(midnight, now.getUTCDay()) };
  }
  const midnight = (days) => new Date(now.getFullYear(), now.getMonth(), now.getDate() + days);
  return { timeZone: zoneOfBrowser, ...toPeriod(midnight, now.getDay()) };
}

const week = 7 * 86_400_000;

/** The shortest period that shows the latest orders: @param starts of the months that have some */
export function choosePeriod(starts) {
  if (starts.length === 0) return '90-days';
  const [first, last] = [Date.parse(starts[0]), Date.parse(starts.at(-1))];
  if (last < Date.now() - 52 * week) return 'all';
  return first > Date.now() - 13 * week ? '90-days' : '52-weeks';
}

export const nounOf = { DAY: 'day', WEEK: 'week', MONTH: 'month' };
