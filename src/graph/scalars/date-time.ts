import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';

/** RFC 3339 `date-time`, with its offset; whether the day exists is checked separately. */
const rfc3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,20}))?([Zz]|[+-]\d{2}:\d{2})$/;

/** The one form in which timestamps are returned (D23). */
const utcMilliseconds = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/**
 * A timestamp. Input: RFC 3339 with an offset. Output, and internally: UTC with milliseconds,
 * `2026-01-31T12:00:00.000Z` (D23).
 */
export const dateTimeScalar = new GraphQLScalarType<string, string>({
  name: 'DateTime',
  description: 'A timestamp in UTC with milliseconds, as in `2026-01-31T12:00:00.000Z`.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339',
  serialize(value) {
    if (typeof value === 'string' && utcMilliseconds.test(value)) return value;
    if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString();
    throw new TypeError('A DateTime must be given as UTC text with milliseconds, or as a valid Date.');
  },
  parseValue(value) {
    if (typeof value !== 'string') throw notADateTime();
    return parseDateTime(value);
  },
  parseLiteral(node) {
    if (node.kind !== Kind.STRING) throw notADateTime();
    return parseDateTime(node.value);
  },
});

/** Converts RFC 3339 text to the form of D23. @throws GraphQLError that reports what is wrong with it. */
function parseDateTime(text: string): string {
  const match = rfc3339.exec(text);
  if (match === null) throw notADateTime();
  const [, year, month, day, hour, minute, second, fraction = '', offset = 'Z'] = match;
  // Timestamps are stored in milliseconds (D23); a finer one would silently change.
  if (/[1-9]/.test(fraction.slice(3))) {
    throw new GraphQLError('A DateTime has at most milliseconds: three digits after the second.');
  }
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
  const time = Date.parse(local);
  // Date.parse turns February 30th into March 2nd, and 24:00 into the next day: the output must equal the input.
  if (Number.isNaN(time) || new Date(time).toISOString() !== local) {
    throw new GraphQLError('There is no such date or time of day; a leap second cannot be expressed.');
  }
  const moment = new Date(time - offsetMilliseconds(offset));
  const year4 = moment.getUTCFullYear();
  if (year4 < 1 || year4 > 9999) throw new GraphQLError('A DateTime must be in the years 0001 to 9999.');
  return moment.toISOString();
}

function offsetMilliseconds(offset: string): number {
  if (offset === 'Z' || offset === 'z') return 0;
  const hours = Number(offset.slice(1, 3));
  const minutes = Number(offset.slice(4, 6));
  if (hours > 23 || minutes > 59) throw new GraphQLError('The offset of a DateTime goes from -23:59 to +23:59.');
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

const notADateTime = (): GraphQLError =>
  new GraphQLError(
    'A DateTime must be text as in RFC 3339, with an offset: "2026-01-31T12:00:00Z" or "2026-01-31T12:00:00.000+01:00".',
  );
