import { InvalidArgumentError } from 'commander';
import type { Scope } from '../auth/api-key';
import { isScope, scopes } from '../auth/api-key';
import { usageDays } from '../database/sql-constants';
import { parseAllowance } from '../ingest/allowance';
import { delimiterNamed } from '../ingest/source/delimiters';
import { hasControls } from '../common/terminal';
import { isHttpUrl, isUrl } from '../common/is-url';
import { capitalized, given, UsageError } from './command';

const unitMilliseconds: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const hundredYearsMilliseconds = 36_525 * 86_400_000;

/** A parser whose errors are usage errors. */
export const parsedOption =
  <Value>(parse: (text: string) => Value) =>
  (text: string): Value => {
    try {
      return parse(text);
    } catch (error) {
      throw new InvalidArgumentError(`${capitalized((error as Error).message)}.`);
    }
  };

/** A duration such as 90s, 15m, 24h, 30d or 0s, in milliseconds. */
export function parseDuration(text: string): number {
  const milliseconds = toMilliseconds(text);
  if (!(milliseconds <= hundredYearsMilliseconds)) {
    throw new InvalidArgumentError('Expected a duration such as 90s, 15m, 24h or 30d, up to 100 years.');
  }
  return milliseconds;
}

/** Like parseDuration, but longer than zero: a key that is created expired is useless. */
export function parseLifetime(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds === 0) throw new InvalidArgumentError('Expected a duration longer than 0s, such as 90d.');
  return milliseconds;
}

const toMilliseconds = (text: string): number => {
  const [, digits, unit] = /^(\d{1,15})([smhd])$/.exec(text) ?? [];
  return Number(digits) * (unitMilliseconds[unit ?? ''] ?? NaN);
};

/** A duration, longer than zero, that a timer can wait for. */
export function parseInterval(text: string): number {
  const milliseconds = toMilliseconds(text);
  if (milliseconds > 0 && milliseconds <= 21 * 86_400_000) return milliseconds;
  throw new InvalidArgumentError('Expected a duration longer than 0s and at most 21d, such as 15m.');
}

/** A shop's domain, by which commands find it; case-insensitive like any host name. */
export function parseDomain(text: string): string {
  const domain = text.toLowerCase();
  if (
    !/^[\p{L}\p{M}\p{N}_-]+(\.[\p{L}\p{M}\p{N}_-]+)*(:\d{1,5})?$/u.test(domain) ||
    domain.length > 253 ||
    !isUrl(`https://${domain}`)
  ) {
    throw new InvalidArgumentError(
      'Expected a domain such as shop.example, without https:// or a path. A port can be at most 65535.',
    );
  }
  return domain;
}

const wholeNumber =
  (from: number, to: number, also = '') =>
  (text: string): number => {
    const number = /^(?:0|[1-9]\d{0,9})$/.test(text) ? Number(text) : NaN;
    if (!(number >= from && number <= to))
      throw new InvalidArgumentError(`Expected an integer from ${from} to ${to}${also}.`);
    return number;
  };

/** A number of objects. */
export const parseCount = wholeNumber(0, 999_999);
export const parseRate = wholeNumber(1, 999_999_999);
export const parsePort = wholeNumber(0, 65_535);
/** Days up to today, at most as long as usage is kept. */
export const parseDays = wholeNumber(1, usageDays);
/** The number of processes that serve. */
export const parseWorkers = wholeNumber(1, 256);

const parseLimit = wholeNumber(0, 2_147_483_647, ', or none');

/**
 * The number of products that the plan shows (D8). `none` stays a word until toProductLimit: commander turns a null
 * into ''.
 */
export const parseProductLimit = (text: string): number | 'none' => (text === 'none' ? text : parseLimit(text));

/** URL of a service, for an option `--url`. */
export function parseHttpUrl(text: string): URL {
  if (!isHttpUrl(text)) {
    throw new InvalidArgumentError('Expected an http or https URL such as https://api.shop.example.');
  }
  const url = new URL(text);
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    // Unlike other errors of options, without the value.
    throw new UsageError('--url: expected a URL without a user name, password, query string or fragment');
  }
  // Paths are resolved against it, and two slashes would begin a host.
  url.pathname = url.pathname.replace(/^\/+/, '/');
  return url;
}

const textLike =
  (shape: RegExp, expected: string) =>
  (text: string): string => {
    if (!shape.test(text)) throw new InvalidArgumentError(`Expected ${expected}.`);
    return text;
  };

export const parseCurrency = textLike(/^[A-Z]{3}$/, 'three uppercase letters (ISO 4217), such as EUR');
export const parsePlatform = textLike(
  /^[a-z0-9][a-z0-9_-]{0,63}$/,
  'the lowercase name of a platform, at most 64 characters, such as shopify or woocommerce',
);
/** `plan_status` of a shop, in the terms of its billing system. */
export const parsePlanStatus = textLike(
  /^[a-z0-9][a-z0-9_-]{0,63}$/,
  'up to 64 lowercase letters, digits, - and _, starting with a letter or digit, such as active or past_due',
);

/** As stored in the shop's row: null shows all products. */
export const toProductLimit = (limit: number | 'none'): number | null => (limit === 'none' ? null : limit);

/** One or more of the words, separated by commas. */
export const parseListOf =
  <Word extends string>(words: readonly Word[]) =>
  (text: string): readonly Word[] => {
    const named = text.split(',').map((word) => word.trim());
    if (!named.every((word) => words.includes(word as Word)))
      throw new InvalidArgumentError(`Expected a comma-separated list of ${words.join(', ')}.`);
    return words.filter((word) => named.includes(word));
  };

/** The delimiter of a CSV file. */
export function parseDelimiter(text: string): string {
  const delimiter = delimiterNamed(text);
  if (delimiter === undefined) {
    throw new InvalidArgumentError(
      'Expected comma, semicolon, tab, pipe or one ASCII symbol such as ~, but not ", . or _.',
    );
  }
  return delimiter;
}

/** An encoding, by any label of the Encoding Standard. */
export function parseEncoding(text: string): string {
  try {
    return new TextDecoder(text).encoding;
  } catch {
    throw new InvalidArgumentError('Expected an encoding such as utf-8, windows-1252, macintosh or shift_jis.');
  }
}

export function parseName(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('Expected a non-empty name.');
  // The database's own limit.
  if (Buffer.byteLength(text) > 10_000) throw new InvalidArgumentError('Expected a name of at most 10,000 bytes.');
  if (hasControls(text)) {
    throw new InvalidArgumentError(
      'Expected a name without control characters, line breaks or bidirectional text marks.',
    );
  }
  return text;
}

/** Collects `--scope`, which may be repeated, into the specification's order without repetitions. */
export function collectScope(text: string, collected: readonly Scope[] = []): readonly Scope[] {
  if (!isScope(text)) throw new InvalidArgumentError(`Expected one of ${scopes.join(', ')}.`);
  return scopes.filter((scope) => scope === text || collected.includes(scope));
}

/** For commands with --replace. */
export const allowRemoving = given(
  '<n>',
  'how many objects of each kind --replace can delete: a number, or a percentage such as 35%',
  parsedOption(parseAllowance),
);
