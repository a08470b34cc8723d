import { GraphQLScalarType, Kind } from 'graphql';

/**
 * A URL. Output: the shop's text verbatim, because REST returns the same (D11) and a merchant's odd URL is no reason to
 * lose a product. No argument has this type.
 */
export const urlScalar = new GraphQLScalarType<string, string>({
  name: 'URL',
  description: "An absolute URL, or a path on the shop's domain.",
  specifiedByURL: 'https://url.spec.whatwg.org/',
  serialize(value) {
    if (typeof value === 'string') return value;
    throw new TypeError('A URL must be a string.');
  },
});

/** An integer beyond GraphQL's 32 bits, within the exact range of JSON numbers (D22). */
export const longScalar = new GraphQLScalarType<number, number>({
  name: 'Long',
  description: 'An integer that may exceed 32 bits: from −(2^53 − 1) to 2^53 − 1.',
  serialize(value) {
    if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
    throw new TypeError('A Long must be an integer that JSON can represent exactly.');
  },
  parseValue(value) {
    if (typeof value !== 'number') throw notALong();
    return checkSafe(value);
  },
  parseLiteral(node) {
    if (node.kind !== Kind.INT) throw notALong();
    return checkSafe(Number(node.value));
  },
});

function checkSafe(value: number): number {
  // -0 is an integer too, but no database column holds it.
  if (Number.isSafeInteger(value)) return value === 0 ? 0 : value;
  throw notALong();
}

const notALong = (): TypeError =>
  new TypeError('A Long must be an integer from -9007199254740991 to 9007199254740991.');

/** Output is what the shop gave: plain notation, any number of digits (D21). */
const plainNotation = /^-?\d+(\.\d+)?$/;

/** Input has one spelling of its whole part. */
const inputNotation = /^-?(0|[1-9]\d*)(\.\d+)?$/;

/** Far beyond any price, far below what would slow down a comparison in the database. */
const maxDecimalLength = 100;

/** A decimal number as text. It is never converted to a float, neither on input nor on output (D21). */
export const decimalScalar = new GraphQLScalarType<string, string>({
  name: 'Decimal',
  description: 'A decimal number as a string in plain notation. Keeps the shop\'s digits: `"19.90"` stays `"19.90"`.',
  serialize(value) {
    if (typeof value === 'string' && plainNotation.test(value)) return value;
    throw new TypeError('A Decimal must be a string in plain notation.');
  },
  parseValue(value) {
    if (typeof value === 'string') return parseDecimal(value);
    // JSON numbers are already floats: only whole ones are sure to have kept their digits.
    if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
    throw notADecimal();
  },
  parseLiteral(node) {
    // The document's own text: `19.90` keeps its zero.
    if (node.kind === Kind.STRING || node.kind === Kind.INT || node.kind === Kind.FLOAT)
      return parseDecimal(node.value);
    throw notADecimal();
  },
});

function parseDecimal(text: string): string {
  if (text.length > maxDecimalLength) throw new TypeError(`A Decimal can have at most ${maxDecimalLength} characters.`);
  if (!inputNotation.test(text)) throw notADecimal();
  return text;
}

const notADecimal = (): TypeError =>
  new TypeError('A Decimal must be a string in plain notation such as "19.90", without an exponent, or an integer.');

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
  description:
    'A UTC timestamp with milliseconds, such as `2026-01-31T12:00:00.000Z`. Inputs may use any UTC offset and omit milliseconds.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339',
  serialize(value) {
    if (typeof value === 'string' && utcMilliseconds.test(value)) return value;
    throw new TypeError('A DateTime must be a UTC string with milliseconds.');
  },
  parseValue(value) {
    if (typeof value !== 'string') throw notADateTime();
    return parseDateTime(value);
  },
});

/** Converts RFC 3339 text to the form of D23. @throws TypeError that reports what is wrong with it. */
function parseDateTime(text: string): string {
  const match = rfc3339.exec(text);
  if (match === null) throw notADateTime();
  const [, year, month, day, hour, minute, second, fraction = '', offset = 'Z'] = match;
  // Timestamps are stored in milliseconds (D23); a finer one would silently change.
  if (/[1-9]/.test(fraction.slice(3))) {
    throw new TypeError('A DateTime can have at most millisecond precision: three digits after the seconds.');
  }
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
  const time = Date.parse(local);
  // Date.parse turns February 30th into March 2nd, and 24:00 into the next day: the output must equal the input.
  if (Number.isNaN(time) || new Date(time).toISOString() !== local) {
    throw new TypeError('This date or time does not exist. Leap seconds are not supported.');
  }
  const moment = new Date(time - offsetMilliseconds(offset));
  const year4 = moment.getUTCFullYear();
  if (year4 < 1 || year4 > 9999) throw new TypeError('A DateTime must be between the years 0001 and 9999.');
  return moment.toISOString();
}

function offsetMilliseconds(offset: string): number {
  if (offset === 'Z' || offset === 'z') return 0;
  const hours = Number(offset.slice(1, 3));
  const minutes = Number(offset.slice(4, 6));
  if (hours > 23 || minutes > 59) throw new TypeError('The offset of a DateTime must be from -23:59 to +23:59.');
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

const notADateTime = (): TypeError =>
  new TypeError(
    'A DateTime must be an RFC 3339 string with an offset, such as "2026-01-31T12:00:00Z" or "2026-01-31T12:00:00.000+01:00".',
  );

/** Every scalar of schema.graphql that is not built into GraphQL, by its name, in the form of resolvers. */
export const scalars: Readonly<Record<string, GraphQLScalarType>> = {
  DateTime: dateTimeScalar,
  Decimal: decimalScalar,
  Long: longScalar,
  URL: urlScalar,
};
