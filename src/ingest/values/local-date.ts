import type { SourceLocation } from './import-error';

/** Which number comes first. */
export type DayOrder = 'day' | 'month' | 'year';

/** How to read dates in local form, as spreadsheets write them. */
export interface LocalDateFormat {
  readonly first: DayOrder;
  /** The time zone, which such dates do not contain. */
  readonly offsetMinutes: number;
}

interface LocalDate {
  readonly numbers: readonly [number, number, number];
  readonly text: string;
  readonly hasShortYear: boolean;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

const shape =
  /^(\d{1,2}|\d{4})([./-])(\d{1,2})([./-])(\d{4}|\d{1,2})(?:(?:,?\s+|T)(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?(?:\s?([AaPp])\.?[Mm]\.?)?)?$/;

/** A date such as 31/12/2023 22:36; undefined for any other text. Fractions of a second are dropped. */
export function parseLocalDate(text: string): LocalDate | undefined {
  const found = text.length <= 40 ? shape.exec(text) : null;
  if (!found) return undefined;
  const [first = '', sign, second = '', otherSign, third = ''] = found.slice(1);
  if (sign !== otherSign) return undefined;
  // A two-digit year must come last, and does not reveal the order of the others.
  const hasShortYear = first.length !== 4 && third.length !== 4;
  const year = Number(third) + (!hasShortYear ? 0 : Number(third) < 70 ? 2000 : 1900);
  const half = found[9]?.toLowerCase();
  const hour = Number(found[6] ?? 0);
  if (half !== undefined && !(hour >= 1 && hour <= 12)) return undefined;
  return {
    text,
    hasShortYear,
    numbers: [Number(first), Number(second), year],
    hour: half === undefined ? hour : (hour % 12) + (half === 'p' ? 12 : 0),
    minute: Number(found[7] ?? 0),
    second: Number(found[8] ?? 0),
  };
}

/** The only order in which the numbers form a date; undefined if there is more than one. */
export function orderOf({ numbers: [first, second], hasShortYear }: LocalDate): DayOrder | undefined {
  if (hasShortYear) return undefined;
  if (first > 31) return 'year';
  if (first > 12) return 'day';
  if (second > 12) return 'month';
  return undefined;
}

/** Whether day and month are the same number. */
export const isSameDay = ({ numbers: [first, second] }: LocalDate): boolean => first === second;

/** The timestamp in UTC; undefined where no such date exists. */
function momentOf(date: LocalDate, { first, offsetMinutes }: LocalDateFormat): string | undefined {
  const [a, b, c] = date.numbers;
  const [year, month, day] = first === 'year' || a > 31 ? [a, b, c] : first === 'month' ? [c, a, b] : [c, b, a];
  const moment = new Date(Date.UTC(year, month - 1, day, date.hour, date.minute, date.second));
  const exists =
    year >= 1000 && moment.getUTCMonth() === month - 1 && moment.getUTCDate() === day && date.hour < 24 && date.minute < 60 && date.second < 60; // prettier-ignore
  return exists ? new Date(moment.getTime() - offsetMinutes * 60_000).toISOString() : undefined;
}

/** The timestamp in UTC. */
export function toTimestamp(date: LocalDate, format: LocalDateFormat, location: SourceLocation): string {
  const moment = momentOf(date, format);
  if (moment === undefined)
    throw location.refuse(date.text, `a valid date, ${names[date.numbers[0] > 31 ? 'year' : format.first]}`);
  return moment;
}

/** The timestamps that a date may mean, in either order of day and month. */
export const momentsOf = (date: LocalDate): readonly string[] =>
  (['day', 'month'] as const).flatMap((first) => momentOf(date, { first, offsetMinutes: 0 }) ?? []);

const names: Readonly<Record<DayOrder, string>> = {
  day: 'read as DD/MM/YYYY',
  month: 'read as MM/DD/YYYY',
  year: 'read as YYYY-MM-DD',
};

export const dateFormatWanted =
  'a date format such as DD/MM/YYYY, MM/DD/YYYY or YYYY-MM-DD, with a time zone if not UTC: "DD/MM/YYYY +02:00"';

/**
 * Parses a date format that a user wrote. Only the order of day, month and year matters, and the time zone at its end;
 * times, and any of the separators `/ . -`, are always accepted.
 * @throws Error
 */
export function parseDateFormat(text: string): LocalDateFormat {
  const wrong = (): Error => new Error(`expected ${dateFormatWanted}, got ${JSON.stringify(text.slice(0, 80))}`);
  const [, pattern = '', , sign, hours = '0', minutes = '0'] =
    /^([DMY]{1,4}[./-][DMY]{1,4}[./-][DMY]{1,4})(?:[ T]+[Hh]{1,2}:m{2}(?::s{2})?(?: ?[Aa]{1,2})?)?(?: *(Z|UTC|([+-])(\d{2}):?(\d{2})?))?$/.exec(text) ?? []; // prettier-ignore
  // Each letter once: DD/MM/YYYY becomes DMY.
  const order = pattern.replace(/[./-]|(.)(?=\1)/g, '');
  const first = ({ DMY: 'day', MDY: 'month', YMD: 'year' } as const)[order];
  if (first === undefined || Number(hours) > 14 || Number(minutes) > 59) throw wrong();
  return { first, offsetMinutes: (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1) };
}
