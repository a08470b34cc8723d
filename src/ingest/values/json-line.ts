import type { Place } from '../import-error';
import { checkText } from './text';

/** A number as the file writes it: JSON.parse would make 19.9 out of 19.90 (D21). */
export class NumberLiteral {
  constructor(readonly text: string) {}

  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** Marks a number that became a string. No other string starts with it: NUL characters are refused before. */
const mark = '\0';

/** One line that holds one JSON object. Its numbers keep their digits: read them with `numberLiteral`. */
export function parseJsonLine(line: string, place: Place): JsonObject {
  // Escapes that stand for what a database cannot store; rare, so the walk that names the member is, too.
  if (/\\u(?:0000|[dD][89a-fA-F])/.test(line)) checkEscapes(line, place);
  let value: unknown;
  try {
    value = JSON.parse(quoteNumbers(line));
  } catch {
    throw place.fault(`is not valid JSON${syntaxErrorPlace(line)}`);
  }
  if (!isObject(value)) throw place.fault('expected a JSON object');
  return value;
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The digits of a value that stood in the file as a number, undefined for everything else. */
export const numberLiteral = (value: unknown): string | undefined =>
  typeof value === 'string' && value.startsWith(mark) ? value.slice(1) : undefined;

/** A value for an error message, its numbers being numbers again. */
export const toPlainJson = (value: unknown): unknown => {
  const text = numberLiteral(value);
  if (text !== undefined) return new NumberLiteral(text);
  if (Array.isArray(value)) return value.map(toPlainJson);
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toPlainJson(inner)]));
  return value;
};

/** Puts every number outside of strings into quotes, behind the mark. One walk: strings are jumped over. */
function quoteNumbers(line: string): string {
  const parts: string[] = [];
  let copied = 0;
  let at = 0;
  while (at < line.length) {
    const unit = line.charCodeAt(at);
    if (unit === doubleQuote) {
      at = endOfString(line, at);
    } else if (isNumberStart(unit)) {
      const end = endOfNumber(line, at);
      const literal = line.slice(at, end);
      if (numberShape.test(literal)) {
        parts.push(line.slice(copied, at), '"\\u0000', literal, '"');
        copied = end;
      }
      at = end;
    } else {
      at += 1;
    }
  }
  return parts.length === 0 ? line : parts.join('') + line.slice(copied);
}

const doubleQuote = 0x22;
const backslash = 0x5c;
const numberShape = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

const isNumberStart = (unit: number): boolean => (unit >= 0x30 && unit <= 0x39) || unit === 0x2d;
const isNumberPart = (unit: number): boolean =>
  isNumberStart(unit) || unit === 0x2e || unit === 0x2b || unit === 0x65 || unit === 0x45;

function endOfNumber(line: string, start: number): number {
  let end = start + 1;
  while (end < line.length && isNumberPart(line.charCodeAt(end))) end += 1;
  return end;
}

/** Just behind the closing quote; the end of the line when there is none (JSON.parse then says so). */
function endOfString(line: string, start: number): number {
  let close = line.indexOf('"', start + 1);
  while (close !== -1) {
    let before = close;
    while (line.charCodeAt(before - 1) === backslash) before -= 1;
    if ((close - before) % 2 === 0) return close + 1;
    close = line.indexOf('"', close + 1);
  }
  return line.length;
}

function checkEscapes(line: string, place: Place): void {
  try {
    JSON.parse(line, (key, value: unknown) => {
      const at = key === '' ? place : place.at(key);
      checkText(key, place);
      if (typeof value === 'string') checkText(value, at);
      return value;
    });
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
}

/** V8's message quotes the line, which may hold an e-mail address (D25): only the position is taken from it. */
function syntaxErrorPlace(line: string): string {
  try {
    JSON.parse(line);
    return '';
  } catch (error) {
    const position = /at position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1];
    return position === undefined ? '' : ` (at column ${Number(position) + 1})`;
  }
}
