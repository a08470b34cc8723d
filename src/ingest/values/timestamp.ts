import type { SourceLocation } from './import-error';

const shape =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt]| +)(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)? ?(?:([Zz]|UTC)|([+-])(\d{2}):?(\d{2})?)$/;
const withoutZone = /^\d{4}-\d{2}-\d{2}(?:(?:[Tt]| +)\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?)?$/;

/** Days that every month has, so that no calendar is needed. */
const finalShape = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

const earliest = Date.parse('0001-01-01T00:00:00.000Z');
const latest = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Parses a timestamp to UTC with milliseconds (D23), from ISO 8601 with any offset or Shopify's
 * `2026-08-24 13:18:57 +0200`. A date without a zone could mean any of 26 hours, so it is rejected. Digits beyond
 * milliseconds are cut off.
 */
export function parseTimestamp(text: string, location: SourceLocation): string {
  // Most timestamps of a snapshot are in their final form already.
  if (finalShape.test(text) && !text.startsWith('0000')) return text;
  const found = text.length <= 64 ? shape.exec(text) : null;
  if (!found) {
    const expected = 'a timestamp such as 2026-01-31T12:00:00Z';
    throw location.refuse(
      text,
      withoutZone.test(text) ? `${expected} (this one has no time or no time zone)` : expected,
    );
  }
  const moment = toMoment(found);
  if (moment === undefined) throw location.refuse(text, 'a valid date and time in the years 0001 to 9999 (UTC)');
  return new Date(moment).toISOString();
}

/** The last of several timestamps in their final form; null without any. */
export const latestOf = (moments: readonly (string | null)[]): string | null =>
  moments
    .filter((moment) => moment !== null)
    .sort()
    .at(-1) ?? null;

/** The time of a valid date. JavaScript would read February 30 as a day in March. */
function toMoment(found: RegExpExecArray): number | undefined {
  const [, year, month, day, hour, minute, second = '00', fraction = '', , sign, hours = '00', minutes = '00'] = found;
  const text = `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.padEnd(3, '0').slice(0, 3)}Z`;
  const local = new Date(text);
  if (Number.isNaN(local.getTime()) || local.toISOString() !== text || hours > '23' || minutes > '59') return undefined;
  const moment = local.getTime() - Number(`${sign ?? ''}1`) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  return moment >= earliest && moment <= latest ? moment : undefined;
}
