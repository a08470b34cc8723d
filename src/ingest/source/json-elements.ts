import { type ImportError, SourceLocation } from '../values/import-error';
import { backslashesBefore, closingQuote, endOfString, isClosing, isOpening } from '../values/json-line';
import { longestBeginning, maxLineBytes } from './read-blocks';
import type { SourceFile } from './source-file';

/** One object of a JSON file, as text. */
export interface JsonElement {
  /** Where it starts, counted from 1. */
  readonly line: number;
  readonly text: string;
  /** Its path in the file: `products[3]`, `[3]`, or empty for an object at the top level. */
  readonly path: string;
}

export const locationOf = (file: string, { line, path }: Pick<JsonElement, 'line' | 'path'>): SourceLocation =>
  new SourceLocation(file, line, path || undefined);

/**
 * Iterates over the objects of a JSON file: an array, an object that contains them in one of `members` (an array or a
 * single object), or objects one after another, such as one per line. These forms may follow each other, as when pages
 * were appended to one file. Holds one object at a time, of at most maxLineBytes.
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

/** Yields undefined to request the next chunk. */
type Steps<Result = void> = Generator<JsonElement | undefined, Result, void>;

/** An object that may be an element, as read so far. */
interface Held {
  readonly line: number;
  readonly path: string;
  /** Of earlier chunks. */
  text: string;
  /** Where it, or its remainder, starts in the current chunk. */
  start: number;
}

/**
 * Finds where objects begin and end, by quotes and brackets alone; a parser later checks that the text between is JSON.
 * Chunks may end anywhere.
 */
export class ElementScanner {
  /** The current line. */
  line = 1;
  #text = '';
  #at = 0;
  /** Where the next line of the current chunk ends. */
  #nextLineEnd = Infinity;
  #isOpen = false;
  #held: Held | undefined;
  /** The last string: its beginning, enough for the name of a wanted member. */
  #name = '';
  #isEscaped = false;
  readonly #steps = this.#scan();

  constructor(
    private readonly file: string,
    private readonly members: ReadonlySet<string>,
  ) {}

  /**
   * @param line the line where the chunk starts
   * @throws ImportError for anything but a list of objects, and for an object that is too long
   */
  *push(text: string, line: number): Generator<JsonElement, void, void> {
    if (text === '') return;
    [this.#text, this.#at, this.line, this.#nextLineEnd] = [text, 0, line, lineEndFrom(text, 0)];
    for (let step = this.#steps.next(); step.value; step = this.#steps.next()) yield step.value;
    if (this.#held) this.#hold(this.#held);
    this.#countLines(text.length);
  }

  /** @throws ImportError when something is still open */
  finish(): void {
    if (this.#isOpen) throw this.#fault('the file ends in the middle of its JSON: export or download it again');
  }

  *#scan(): Steps {
    for (;;) {
      this.#isOpen = false;
      const unit = yield* this.#next();
      this.#isOpen = true;
      if (unit === openBracket) yield* this.#readArray('');
      else if (unit === openBrace) yield* this.#readElement('', this.members);
      else throw this.#fault('expected a JSON object or an array of them');
    }
  }

  /** Reads a wanted member. If it is an array or an object, the object around it is not an element itself. */
  *#readMember(name: string): Steps {
    const unit = yield* this.#next();
    if (isOpening(unit)) this.#held = undefined;
    if (unit === openBracket) yield* this.#readArray(name);
    else if (unit === openBrace) yield* this.#readElement(name);
    else this.#at -= 1;
  }

  *#readArray(member: string): Steps {
    for (let index = 0; ; index += 1) {
      const path = `${member}[${index}]`;
      const unit = yield* this.#next();
      if (unit === closeBracket && index === 0) return;
      if (unit !== openBrace) throw this.#fault('expected a JSON object', path);
      yield* this.#readElement(path);
      const behind = yield* this.#next();
      if (behind === closeBracket) return;
      if (behind !== comma) throw this.#fault('expected a comma or the end of the array', path);
    }
  }

  /**
   * Reads to the closing bracket of the object, looking only at brackets and strings.
   * @param members the members that may contain the elements; if none does, the object itself is one
   */
  *#readElement(path: string, members?: ReadonlySet<string>): Steps {
    const start = this.#at - 1;
    this.#countLines(start);
    this.#held = { line: this.line, path, text: '', start };
    for (let depth = 1; depth > 0;) {
      const unit = this.#text.charCodeAt(this.#at);
      this.#at += 1;
      if (unit === quote) {
        this.#name = '';
        while (!this.#readString()) yield;
      } else if (isOpening(unit)) depth += 1;
      else if (isClosing(unit)) depth -= 1;
      else if (unit === colon && depth === 1 && members?.has(this.#name) === true) yield* this.#readMember(this.#name);
      else if (this.#at > this.#text.length) yield;
    }
    if (this.#held === undefined) return;
    this.#hold(this.#held);
    const { text, line } = this.#held;
    if (text.length * 3 > maxLineBytes && Buffer.byteLength(text) > maxLineBytes) throw tooLong(this.file, this.#held);
    this.#held = undefined;
    yield { line, text, path };
  }

  /** The next character that is not blank. */
  *#next(): Steps<number> {
    for (;;) {
      const unit = this.#text.charCodeAt(this.#at);
      this.#at += 1;
      if (this.#at > this.#text.length) yield;
      else if (!isSpace(unit)) return unit;
    }
  }

  /** Reads a string as far as the chunk has it. @returns whether that is its end */
  #readString(): boolean {
    const start = this.#at + Number(this.#isEscaped);
    const close = closingQuote(this.#text, start);
    const end = close === -1 ? this.#text.length : close;
    if (this.#name.length < longestName) this.#name += this.#text.slice(this.#at, Math.min(end, this.#at + longestName)); // prettier-ignore
    this.#at = end + 1;
    this.#isEscaped = close === -1 && backslashesBefore(this.#text, end, start) % 2 === 1;
    return close !== -1;
  }

  /** Keeps what the current chunk has of the object. */
  #hold(held: Held): void {
    held.text += this.#text.slice(held.start, this.#at);
    held.start = 0;
    if (held.text.length > maxLineBytes) throw tooLong(this.file, held);
  }

  #countLines(to: number): void {
    // The next line end is searched once: a chunk of a million objects may have none.
    while (this.#nextLineEnd < to) {
      this.line += 1;
      this.#nextLineEnd = lineEndFrom(this.#text, this.#nextLineEnd + 1);
    }
  }

  #fault(problem: string, path?: string): ImportError {
    this.#countLines(this.#at - 1);
    return new SourceLocation(this.file, this.line, path).fault(problem);
  }
}

const tooLong = (file: string, held: Held): ImportError =>
  locationOf(file, held).fault(`the object that starts here is longer than ${maxLineBytes} bytes`);

const openBrace = 0x7b;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;

const isSpace = (unit: number): boolean => unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;

function lineEndFrom(text: string, start: number): number {
  const at = text.indexOf('\n', start);
  return at === -1 ? Infinity : at;
}

const maxPaths = 2000;
const maxPathDepth = 5;

/**
 * The members in the beginning of a JSON file, by path: `products[].variants[].price`, `[].id`, `id`. The text may be
 * cut anywhere. Names with escapes are left out.
 */
export function memberPaths(beginning: string): ReadonlySet<string> {
  const paths = new Set<string>();
  /** The paths of the open brackets. */
  const open: string[] = [];
  const text = beginning.slice(0, longestBeginning);
  let [last, name] = ['', ''];
  for (let at = 0; at < text.length;) {
    const sign = text.charAt(at);
    const around = open.at(-1) ?? '';
    if (sign === '"') {
      const end = endOfString(text, at);
      last = text.slice(at + 1, Math.min(end - 1, at + longestName));
      at = end;
      continue;
    }
    if (sign === '{' || sign === '[') {
      // Deeper members are omitted: a path for each level would take memory quadratic in the depth.
      const own = open.length <= maxPathDepth ? around + name : '';
      open.push(sign === '[' ? `${own}[].` : own.replace(/[^.]$/, '$&.'));
      name = '';
    } else if (sign === '}' || sign === ']') {
      open.pop();
      name = '';
    } else if (sign === ':' && open.length > 0) {
      name = last;
      if (open.length <= maxPathDepth && paths.size < maxPaths) paths.add(around + name);
    }
    at += 1;
  }
  return paths;
}

/** The `names` that no object of the file has, assuming the wrapper under which the fewest are missing. */
export const absentMembers = (
  paths: ReadonlySet<string>,
  wrappers: readonly string[],
  names: readonly string[],
): readonly string[] =>
  ['', '[].', ...wrappers.flatMap((wrapper) => [`${wrapper}[].`, `${wrapper}.`])]
    .map((path) => names.filter((name) => !paths.has(path + name)))
    .reduce((a, b) => (b.length < a.length ? b : a));
