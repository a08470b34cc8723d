import { ApiError } from '../src/errors/api-error';
import type { QueryParameters } from './query-parameters';

const defaultLimit = 50;
const maximumLimit = 200;
const longestQuote = 50;

/** Text as it is, including the empty text; null if it was not given. */
export function readText(query: QueryParameters, name: string): string | null {
  const values = query.get(name);
  if (values === undefined) return null;
  const [value, ...others] = values;
  if (value === undefined || others.length > 0) {
    throw new ApiError('BAD_USER_INPUT', `${name}: expected at most one value, got ${values.length}.`);
  }
  return value;
}

/** One of a fixed set of words, exactly. */
export function readChoice<Word extends string>(
  query: QueryParameters,
  name: string,
  words: readonly Word[],
): Word | null {
  const text = readText(query, name);
  if (text === null) return null;
  const word = words.find((candidate) => candidate === text);
  if (word === undefined) throw createValueError(name, `one of ${words.join(', ')}`, text);
  return word;
}

export function readBoolean(query: QueryParameters, name: string): boolean | null {
  const word = readChoice(query, name, ['true', 'false']);
  return word === null ? null : word === 'true';
}

/** Size of a page: decimal digits without a leading zero, never clamped (D4). */
export function readLimit(query: QueryParameters): number {
  const text = readText(query, 'limit');
  if (text === null) return defaultLimit;
  const limit = /^[1-9][0-9]*$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > maximumLimit) {
    const form = /^0+[1-9]/.test(text) ? ' without a leading zero' : '';
    throw createValueError('limit', `a whole number from 1 to ${maximumLimit}${form}`, text);
  }
  return limit;
}

/** Where the page starts; the contents of a cursor are opaque here. */
export function readCursor(query: QueryParameters): string | null {
  const text = readText(query, 'cursor');
  if (text === '') throw createValueError('cursor', 'the next_cursor of the previous page', text);
  return text;
}

/** The expected and the actual value, the latter truncated. */
function createValueError(name: string, expected: string, got: string): ApiError {
  const characters = [...got];
  const quote = characters.length > longestQuote ? `${characters.slice(0, longestQuote).join('')}…` : got;
  return new ApiError('BAD_USER_INPUT', `${name}: expected ${expected}, got ${JSON.stringify(quote)}.`);
}
