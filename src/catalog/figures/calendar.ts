import { ApiError } from '../../errors/api-error';

/** The length of a bucket, in local days. */
export type FigureInterval = 'DAY' | 'WEEK' | 'MONTH';

/** A bucket of a time zone's calendar. */
export interface Bucket {
  /** Its first local day, as in `2026-03-29`. */
  readonly date: string;
  /** The first millisecond of that day. */
  readonly start: string;
}

/** The maximum number of buckets in one response. */
const maximumBuckets = 400;

const day = 86_400_000;

/** Clocks ahead of UTC show the year 10000 before the last timestamp, which counts as the day before. */
const lastLocalTime = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * The buckets that a range of timestamps overlaps, oldest first. The zone's rules are those of Intl, and only
 * timestamps reach PostgreSQL: its tables of time zones may differ, and it takes "+01:00" for a zone west of Greenwich.
 * @param from Included, @param to not included.
 * @param isCut Whether to keep only the newest if there are too many.
 * @throws ApiError BAD_USER_INPUT for a time zone that does not exist or too many buckets
 */
export function toBuckets(
  interval: FigureInterval,
  timeZone: string,
  from: string,
  to: string,
  isCut = false,
): readonly Bucket[] {
  const offsetAt = toOffsets(timeZone);
  const [first, last] = [Date.parse(from), Date.parse(to) - 1];
  if (first > last) return [];
  const dateOf = (moment: number) => toFirstDate(interval, Math.min(moment + offsetAt(moment), lastLocalTime));
  const lastDate = dateOf(last);
  const all = countDates(interval, dateOf(first), lastDate);
  if (all > maximumBuckets && !isCut) throw tooManyBuckets(interval, all);
  const count = Math.min(all, maximumBuckets);
  const firstDate = addTo(interval, lastDate, 1 - count);
  // A day that a zone skipped (Samoa's 30 December 2011) begins with the next one and has no bucket.
  const dates = Array.from({ length: count + 1 }, (_, index) => addTo(interval, firstDate, index));
  const starts = dates.map((date) => startOf(date, offsetAt));
  return dates
    .map((date, index) => ({ date: toDateText(date), start: starts[index] as number, end: starts[index + 1] }))
    .filter(({ start, end }, index) => index < count && start !== end)
    .map(({ date, start }) => ({ date, start: new Date(start).toISOString() }));
}

/** A local time in milliseconds, as if the clocks showed UTC. */
type LocalTime = number;

/** How far a zone's clocks are ahead of UTC at a timestamp. */
type OffsetAt = (moment: number) => number;

const longOffset = /GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?$/;

/** Names begin with a letter. Offsets are excluded, because only some versions of Node.js support them. */
const zoneName = /^[a-z][a-z0-9_+/-]*$/i;

function toOffsets(timeZone: string): OffsetAt {
  const format = createFormat(timeZone);
  return (moment) => {
    const [, sign, hours = '0', minutes = '0', seconds = '0'] = longOffset.exec(format.format(moment)) ?? [];
    const offset = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
    return sign === '-' ? -offset : offset;
  };
}

/** @throws ApiError BAD_USER_INPUT for a time zone that does not exist */
export const requireTimeZone = (timeZone: string): void => void createFormat(timeZone);

function createFormat(timeZone: string): Intl.DateTimeFormat {
  try {
    if (!zoneName.test(timeZone)) throw new RangeError(timeZone);
    return new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  } catch {
    throw new ApiError(
      'BAD_USER_INPUT',
      `timeZone: expected an IANA time zone name, such as "Europe/Berlin" or "UTC", got ${JSON.stringify(timeZone.slice(0, 100))}.`,
    );
  }
}

/** The first timestamp at which the clocks show this time or a later one. */
function startOf(local: LocalTime, offsetAt: OffsetAt): number {
  // The offset in force before any timestamp that could be meant, and the timestamp it leads to.
  const before = offsetAt(local - 26 * 3_600_000);
  const unchanged = local - before;
  const after = offsetAt(unchanged);
  if (after === before) return unchanged;
  const changed = local - after;
  if (offsetAt(changed) === after) return changed;
  // The clocks were put forward over this time: it begins when they were.
  let [earlier, later] = [changed, unchanged];
  while (later - earlier > 1) {
    const middle = Math.floor((earlier + later) / 2);
    if (offsetAt(middle) === after) later = middle;
    else earlier = middle;
  }
  return later;
}

function toFirstDate(interval: FigureInterval, local: LocalTime): LocalTime {
  const date = Math.floor(local / day) * day;
  if (interval === 'DAY') return date;
  // 1 January 1970 was a Thursday.
  if (interval === 'WEEK') return date - ((((date / day + 3) % 7) + 7) % 7) * day;
  return addMonths(date, 0);
}

function addTo(interval: FigureInterval, date: LocalTime, count: number): LocalTime {
  return interval === 'MONTH' ? addMonths(date, count) : date + count * day * (interval === 'WEEK' ? 7 : 1);
}

/** To the first of the month. */
function addMonths(date: LocalTime, count: number): LocalTime {
  const sum = new Date(date);
  return sum.setUTCMonth(sum.getUTCMonth() + count, 1);
}

function countDates(interval: FigureInterval, first: LocalTime, last: LocalTime): number {
  if (interval !== 'MONTH') return Math.round((last - first) / day / (interval === 'WEEK' ? 7 : 1)) + 1;
  const [from, to] = [new Date(first), new Date(last)];
  return (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth() + 1;
}

/** Without the time of day. */
const toDateText = (date: LocalTime): string => new Date(date).toISOString().slice(0, -14);

const tooManyBuckets = (interval: FigureInterval, count: number): ApiError =>
  new ApiError(
    'BAD_USER_INPUT',
    `range: expected at most ${maximumBuckets} buckets with interval ${interval}, got ${count}. Use a shorter range or a longer interval.`,
  );
