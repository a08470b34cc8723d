import { isJsonObject, parseJson } from '../../common/parse-json';
import { numberMark as mark, SourceLocation } from './import-error';
import { checkText } from './text';

export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * The nesting depth of arrays and objects; catalog data needs five. JSON parsers are recursive, and the stack allows a
 * few thousand.
 */
const maxNesting = 100;

/**
 * The members and items of one line: ten times those of the largest product. Each takes many times its bytes while it
 * is read.
 */
export const maxValues = 1_000_000;

/** Parses one line that contains one JSON object. Its numbers keep their digits: read them with `numberLiteral`. */
export function parseJsonLine(line: string, location: SourceLocation): JsonObject {
  const quoted = isPlain(line) ? line : quoteNumbers(line, location);
  // Escapes of characters that the database cannot store. They are rare, so the search for their member rarely runs.
  if (line.includes('\\u') && /\\u(?:0000|[dD][89a-fA-F])/.test(line)) checkEscapes(line, location);
  const value = parseJson(quoted);
  if (value === undefined) throw location.fault(`is not valid JSON${syntaxErrorLocation(line, location)}`);
  if (!isJsonObject(value)) throw location.fault('expected a JSON object');
  return value;
}

/** Whether a value was a string in the file. */
export const isText = (value: unknown): value is string => typeof value === 'string' && !value.startsWith(mark);

/** The digits of a value that was a number in the file; undefined for everything else. */
export function numberLiteral(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.startsWith(mark) ? value.slice(1) : undefined;
}

/**
 * Matches numbers that JavaScript may change: all but integers of up to 15 digits. May match inside strings, too, but
 * not the seconds of a timestamp.
 */
const changingNumber = /[:,[]\s*(?:-|\d{1,15}(?:[eE]|\.(?!\d+[Z+-]))|\d{16})/;

/**
 * Whether the line can be parsed as it is: no number would change, and it is too short for too many values or levels.
 * True of most lines, and checking this is a tenth of the work of reading them.
 */
const isPlain = (line: string): boolean =>
  line.length < maxValues && hasFewBrackets(line) && !changingNumber.test(line);

function hasFewBrackets(line: string): boolean {
  let count = 0;
  for (const bracket of ['{', '[']) {
    for (let at = line.indexOf(bracket); at !== -1; at = line.indexOf(bracket, at + 1)) {
      count += 1;
      if (count > maxNesting) return false;
    }
  }
  return true;
}

/**
 * Quotes every number outside strings, with the mark as its prefix, and rejects a line that nests too deep. Scans once
 * and skips strings.
 */
function quoteNumbers(line: string, location: SourceLocation): string {
  const parts: string[] = [];
  let copied = 0;
  let depth = 0;
  let values = 0;
  let at = 0;
  while (at < line.length) {
    const unit = line.charCodeAt(at);
    if (unit === doubleQuote) {
      at = endOfString(line, at);
    } else if (isNumberStart(unit)) {
      numberLike.lastIndex = at;
      const [literal = ''] = numberLike.exec(line) ?? [];
      if (numberShape.test(literal)) {
        parts.push(line.slice(copied, at), '"\\u0000', literal, '"');
        copied = at + literal.length;
      }
      at += literal.length;
    } else {
      if (isOpening(unit)) depth += 1;
      else if (isClosing(unit)) depth -= 1;
      else if (unit === comma) values += 1;
      if (values >= maxValues) throw location.fault(`contains more than ${maxValues} values`);
      if (depth > maxNesting) throw location.fault(`is nested deeper than ${maxNesting} levels`);
      at += 1;
    }
  }
  return parts.length === 0 ? line : parts.join('') + line.slice(copied);
}

/** Whether the line nests too deep, or holds too many values, to be parsed. */
export function isTooDeep(line: string): boolean {
  try {
    quoteNumbers(line, new SourceLocation('', 1));
    return false;
  } catch {
    return true;
  }
}

/** Longer lines may have too many values to be parsed. */
const longestSample = 65_536;

/**
 * The text of a member of the object that begins a file. The JSON may be invalid further on; its reader reports that.
 * If the line must not be parsed, the result may come from an inner object.
 */
export function textMember(line: string, name: string): string | undefined {
  if (!line.startsWith('{')) return undefined;
  const object = line.length <= longestSample ? parseJson(line) : undefined;
  if (isJsonObject(object)) return typeof object[name] === 'string' ? object[name] : undefined;
  return new RegExp(`"${name}"\\s*:\\s*"([^"]*)"`).exec(line)?.[1]?.replaceAll('\\/', '/');
}

export const isOpening = (unit: number): boolean => unit === 0x5b || unit === 0x7b;
export const isClosing = (unit: number): boolean => unit === 0x5d || unit === 0x7d;
const comma = 0x2c;
const doubleQuote = 0x22;
const backslash = 0x5c;
const numberShape = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

const isNumberStart = (unit: number): boolean => (unit >= 0x30 && unit <= 0x39) || unit === 0x2d;
/** At its place in a text. */
const numberLike = /[-\d][-+.\deE]*/y;

/** The position after the closing quote; the end of the line when there is none (JSON.parse then reports it). */
export function endOfString(line: string, start: number): number {
  const close = closingQuote(line, start + 1);
  return close === -1 ? line.length : close + 1;
}

/** The closing quote of the string whose text starts here; -1 if there is none. */
export function closingQuote(line: string, start: number): number {
  let close = line.indexOf('"', start);
  while (close !== -1 && backslashesBefore(line, close, start) % 2 === 1) close = line.indexOf('"', close + 1);
  return close;
}

export function backslashesBefore(line: string, end: number, start: number): number {
  let at = end;
  while (at > start && line.charCodeAt(at - 1) === backslash) at -= 1;
  return end - at;
}

function checkEscapes(line: string, location: SourceLocation): void {
  try {
    JSON.parse(line, (key, value: unknown) => {
      const at = key === '' ? location : location.at(key);
      checkText(key, location);
      if (typeof value === 'string') checkText(value, at);
      return value;
    });
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
}

/** V8's message quotes the line, which may contain an e-mail address (D25): only the position is used. */
function syntaxErrorLocation(line: string, location: SourceLocation): string {
  try {
    JSON.parse(line);
    return '';
  } catch (error) {
    const position = /at position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1];
    if (position === undefined) return '';
    const lineFeeds = line.slice(0, Number(position)).split('\n').length - 1;
    if (lineFeeds > 0) return ` (on line ${location.line + lineFeeds})`;
    return location.field === undefined ? ` (at column ${Number(position) + 1})` : '';
  }
}
