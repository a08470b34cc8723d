import { type ImportError, SourceLocation } from '../values/import-error';
import { endOfString } from '../values/json-line';
import { maxLineBytes } from './read-blocks';
import type { SourceFile } from './source-file';

/** One object of a JSON file, as text. */
export interface JsonElement {
  /** Where it starts, counted from 1. */
  readonly line: number;
  readonly text: string;
  /** Its place in its file: `products[3]`, `[3]`, or nothing for an object that is a line. */
  readonly path: string;
}

/**
 * Iterates over the objects of a JSON file, in any of these forms: an array, an object one of whose `members` is an
 * array of them (or one of them), or no surrounding structure, as where each line is an object. Several of these may
 * follow each other, as when pages were written into one file. Only one object is held at a time, and it may be as long
 * as a line.
 */
export async function* readJsonElements(
  source: SourceFile,
  members: readonly string[],
): AsyncGenerator<JsonElement, void, void> {
  const scanner = new ElementScanner(source.name, new Set(members));
  for await (const { bytes, line } of source.blocks()) {
    for (const element of scanner.push(bytes.toString('utf8'), line)) {
      source.lines = element.line;
      source.items += 1;
      yield element;
    }
    source.lines = scanner.line;
  }
  scanner.finish();
}

/** The rest of a longer string is skipped: it cannot be the name of a wanted member. */
const longestName = 200;

/**
 * Finds where objects begin and end, by quotes and brackets alone: a parser later decides whether the text in between
 * is JSON. The state carries over from one chunk of the text to the next, so chunks may end anywhere.
 */
export class ElementScanner {
  /** The token that was read last. */
  line = 1;
  #where: 'outside' | 'object' | 'array' | 'element' = 'outside';
  /** What an array expects next. */
  #next: 'first' | 'item' | 'comma' = 'first';
  /** The number of open brackets. */
  #depth = 0;
  /** The brackets around the current array, or around the element that has no array. */
  #around = 0;
  #inArray = false;
  /** The member that contains the elements. */
  #member = '';
  #index = 0;
  #inString = false;
  #isEscaped = false;
  /** The last string of the outermost object, while it may be the name of a member. */
  #name: string | undefined;
  /** Whether the scanner is after the colon of a wanted member. */
  #isExpected = false;
  /** Whether the current object may be an element, and where in the current chunk it, or its remainder, starts. */
  #isHolding = false;
  #start = 0;
  readonly #parts: string[] = [];
  #length = 0;
  #startLine = 1;
  /** Where the next line of the current chunk ends. */
  #nextLineEnd = Infinity;

  constructor(
    private readonly file: string,
    private readonly members: ReadonlySet<string>,
  ) {}

  /**
   * @param line the line where the chunk starts
   * @throws ImportError for anything but a list of objects, and for an object that is too long
   */
  *push(text: string, line: number): Generator<JsonElement, void, void> {
    this.line = line;
    this.#nextLineEnd = lineEndFrom(text, 0);
    this.#start = 0;
    for (let at = 0; at < text.length;) {
      if (this.#inString) {
        at = this.#readString(text, at);
        continue;
      }
      const unit = text.charCodeAt(at);
      if (!isSpace(unit) && this.#read(text, at, unit)) yield this.#take(text, at + 1);
      at += 1;
    }
    if (this.#isHolding) this.#hold(text.slice(this.#start));
    this.#countLines(text, text.length);
  }

  /** @throws ImportError when something is still open */
  finish(): void {
    if (this.#where === 'outside') return;
    throw this.#fault('the file ends in the middle of its JSON: export or download it again');
  }

  /** @returns whether an element ends here */
  #read(text: string, at: number, unit: number): boolean {
    switch (this.#where) {
      case 'outside':
        this.#readOutside(text, at, unit);
        return false;
      case 'array':
        this.#readInArray(text, at, unit);
        return false;
      case 'object':
        return this.#readInObject(text, at, unit);
      case 'element':
        this.#readToken(unit);
        return this.#depth === this.#around;
    }
  }

  #readOutside(text: string, at: number, unit: number): void {
    if (unit === openBrace) {
      this.#where = 'object';
      this.#member = '';
      this.#begin(text, at);
    } else if (unit === openBracket) {
      this.#member = '';
      this.#enterArray();
    } else {
      this.#countLines(text, at);
      throw this.#fault('expected a JSON object or an array of them');
    }
    this.#depth = 1;
  }

  #readInObject(text: string, at: number, unit: number): boolean {
    const isWanted = this.#isExpected;
    this.#isExpected = false;
    if (isWanted && (unit === openBracket || unit === openBrace)) {
      this.#drop();
      this.#depth = 2;
      this.#member = this.#name ?? '';
      if (unit === openBracket) return this.#enterArray();
      this.#around = 1;
      this.#inArray = false;
      this.#where = 'element';
      this.#begin(text, at);
      return false;
    }
    if (this.#depth === 1 && unit === comma) this.#name = undefined;
    if (this.#depth === 1 && unit === colon)
      this.#isExpected = this.#name !== undefined && this.members.has(this.#name);
    this.#readToken(unit);
    if (this.#depth > 0) return false;
    this.#name = undefined;
    this.#around = 0;
    this.#inArray = false;
    if (this.#isHolding) return true;
    this.#where = 'outside';
    return false;
  }

  #enterArray(): false {
    this.#where = 'array';
    this.#next = 'first';
    this.#index = 0;
    return false;
  }

  #readInArray(text: string, at: number, unit: number): void {
    if (unit === openBrace && this.#next !== 'comma') {
      this.#around = this.#depth;
      this.#depth += 1;
      this.#inArray = true;
      this.#where = 'element';
      this.#begin(text, at);
    } else if (unit === comma && this.#next === 'comma') {
      this.#next = 'item';
    } else if (unit === closeBracket && this.#next !== 'item') {
      this.#depth -= 1;
      this.#where = this.#depth === 0 ? 'outside' : 'object';
    } else {
      this.#countLines(text, at);
      const expected = this.#next === 'comma' ? 'a comma or the end of the array' : 'a JSON object';
      throw this.#fault(`expected ${expected}`, this.#next === 'comma' ? this.#index - 1 : this.#index);
    }
  }

  /** A value of which only the brackets and strings matter. */
  #readToken(unit: number): void {
    if (unit === quote) {
      this.#inString = true;
      if (this.#where === 'object' && this.#depth === 1) this.#name = '';
    } else if (unit === openBrace || unit === openBracket) {
      this.#depth += 1;
    } else if (unit === closeBrace || unit === closeBracket) {
      this.#depth -= 1;
    }
  }

  /** @returns where the string ends, or where the chunk ends */
  #readString(text: string, from: number): number {
    const start = this.#isEscaped ? from + 1 : from;
    this.#isEscaped = false;
    let close = text.indexOf('"', start);
    while (close !== -1 && backslashesBefore(text, close, start) % 2 === 1) close = text.indexOf('"', close + 1);
    const end = close === -1 ? text.length : close;
    if (this.#where === 'object' && this.#depth === 1 && (this.#name?.length ?? 0) < longestName) {
      this.#name = (this.#name ?? '') + text.slice(from, Math.min(end, from + longestName));
    }
    this.#inString = close === -1;
    if (close !== -1) return close + 1;
    this.#isEscaped = backslashesBefore(text, text.length, start) % 2 === 1;
    return text.length;
  }

  #begin(text: string, at: number): void {
    this.#countLines(text, at);
    this.#startLine = this.line;
    this.#isHolding = true;
    this.#start = at;
    this.#length = 0;
  }

  #hold(part: string): void {
    this.#length += part.length;
    if (this.#length > maxLineBytes) throw this.#tooLong();
    this.#parts.push(part);
  }

  #drop(): void {
    this.#isHolding = false;
    this.#parts.length = 0;
  }

  #take(text: string, end: number): JsonElement {
    this.#hold(text.slice(this.#start, end));
    const whole = this.#parts.length === 1 ? (this.#parts[0] ?? '') : this.#parts.join('');
    if (whole.length * 3 > maxLineBytes && Buffer.byteLength(whole) > maxLineBytes) throw this.#tooLong();
    const element = { line: this.#startLine, text: whole, path: this.#path(this.#index) };
    this.#drop();
    this.#next = 'comma';
    this.#index += 1;
    this.#where = this.#inArray ? 'array' : this.#depth === 0 ? 'outside' : 'object';
    return element;
  }

  #path(index: number): string {
    return this.#inArray ? `${this.#member}[${index}]` : this.#member;
  }

  #countLines(text: string, to: number): void {
    // The next line end is searched once: a chunk of a million objects may have none.
    while (this.#nextLineEnd < to) {
      this.line += 1;
      this.#nextLineEnd = lineEndFrom(text, this.#nextLineEnd + 1);
    }
  }

  #tooLong(): ImportError {
    return new SourceLocation(this.file, this.#startLine, this.#path(this.#index) || undefined).fault(
      `the object that starts here is longer than ${maxLineBytes} bytes`,
    );
  }

  #fault(problem: string, index?: number): ImportError {
    const path = index === undefined ? undefined : `${this.#member}[${index}]`;
    return new SourceLocation(this.file, this.line, path).fault(problem);
  }
}

const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const backslash = 0x5c;

const isSpace = (unit: number): boolean => unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;

function backslashesBefore(text: string, end: number, start: number): number {
  let at = end;
  while (at > start && text.charCodeAt(at - 1) === backslash) at -= 1;
  return end - at;
}

function lineEndFrom(text: string, start: number): number {
  const at = text.indexOf('\n', start);
  return at === -1 ? Infinity : at;
}

/** The characters of a file's beginning in which its format is recognized. */
export const longestSample = 1024 * 1024;
const maxPaths = 2000;
const maxPathDepth = 5;

/**
 * The members in the beginning of a JSON file, by path: `products[].variants[].price`, `[].id`, `id`. The text may be
 * cut anywhere. Names with escapes are left out.
 */
export function memberPaths(beginning: string): ReadonlySet<string> {
  const paths = new Set<string>();
  const open: { readonly path: string; readonly isArray: boolean; name: string }[] = [];
  const text = beginning.slice(0, longestSample);
  let last = '';
  for (let at = 0; at < text.length;) {
    const sign = text.charAt(at);
    if (sign === '"') {
      const end = endOfString(text, at);
      last = text.slice(at + 1, Math.min(end - 1, at + longestName));
      at = end;
      continue;
    }
    const around = open.at(-1);
    if (sign === '{' || sign === '[') {
      // Deeper members are omitted: a path for each level would take memory quadratic in the depth.
      const isNamed = around !== undefined && open.length <= maxPathDepth;
      const own = isNamed ? around.path + (around.isArray ? '' : around.name) : '';
      open.push(sign === '[' ? { path: `${own}[].`, isArray: true, name: '' } : { path: own.replace(/[^.]$/, '$&.'), isArray: false, name: '' }); // prettier-ignore
    } else if (sign === '}' || sign === ']') {
      open.pop();
    } else if (sign === ':' && around?.isArray === false) {
      around.name = last;
      if (open.length <= maxPathDepth && paths.size < maxPaths) paths.add(around.path + last);
    }
    at += 1;
  }
  return paths;
}

/**
 * Which of these members the objects of a file lack, in the surrounding structure in which they lack the fewest;
 * different objects may have different ones.
 */
export const absentMembers = (
  paths: ReadonlySet<string>,
  wrappers: readonly string[],
  names: readonly string[],
): readonly string[] =>
  ['', '[].', ...wrappers.flatMap((wrapper) => [`${wrapper}[].`, `${wrapper}.`])]
    .map((path) => names.filter((name) => !paths.has(path + name)))
    .reduce((a, b) => (b.length < a.length ? b : a));
