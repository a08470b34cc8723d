import type { ListShape } from '../../catalog/model';
import { type Bounds, countBounds, parseDecimal, parseWholeNumber, positionBounds } from '../values/numbers';
import { ImportError, type SourceLocation } from '../values/import-error';
import { isJsonObject } from '../../common/parse-json';
import { isText, numberLiteral, type JsonObject } from '../values/json-line';
import { checkIndexedText, isBlank, toTags } from '../values/text';
import { parseTimestamp } from '../values/timestamp';
import type { Problems } from './problems';
import type { Parse, Values } from './rules';

/**
 * Maximum number of items in an array: more than the variants that fit in a response (`maximumVariants`). Each takes
 * many times its bytes while it is read.
 */
const maxItems = 100_000;

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The value at the end of a path such as `item.cost`; undefined where there is none. */
function valueAt(object: JsonObject, path: string): unknown {
  const dot = path.indexOf('.');
  if (dot === -1) return Object.hasOwn(object, path) ? object[path] : undefined;
  const inner = object[path.slice(0, dot)];
  return isJsonObject(inner) ? valueAt(inner, path.slice(dot + 1)) : undefined;
}

/**
 * Reads the members of a JSON object and, by paths such as `seo.title`, of objects in it, each as its expected type. An
 * invalid member is reported as a problem with its name, and a substitute is returned.
 */
export class JsonMembers implements Values {
  /** Called with the path of each member of an inner object that is read, and whether it exists. */
  #note: ((path: string, exists: boolean) => void) | undefined;
  #prefix = '';
  #isInner = false;

  /**
   * @param isOurs whether this service wrote the object. In others, blank texts count as missing, ids may be numbers,
   * and tags may be one text with commas.
   */
  constructor(
    private readonly members: JsonObject,
    private readonly location: SourceLocation,
    private readonly problems: Problems,
    private readonly isOurs = false,
  ) {}

  /** From now on, notes reads of the members of inner objects, but not of its own members. */
  noteInner(note: (path: string, exists: boolean) => void, prefix: string, isInner = false): this {
    [this.#note, this.#prefix, this.#isInner] = [note, prefix, isInner];
    return this;
  }

  provides(path: string): boolean {
    return valueAt(this.members, path) !== undefined;
  }

  /** Whether the member has a value. */
  has(path: string): boolean {
    return this.#filled(valueAt(this.members, path) ?? null) !== null;
  }

  text(path: string): string | null {
    const value = this.#value(path);
    return value === null || isText(value) ? value : this.parsed(path, unchanged);
  }

  /** A blank text counts as text. */
  requiredText(path: string): string {
    const value = this.#given(path);
    return isText(value) ? value : (this.#required(path, value, 'text', unchanged) ?? '');
  }

  parsed<Parsed>(path: string, parse: Parse<Parsed>): Parsed | null {
    const value = this.#value(path);
    return value === null ? null : this.#parse(path, value, 'text', parse);
  }

  id(path: string, parse: Parse<string> = checkIndexedText): string {
    const given = this.#given(path);
    const [value, expected] = this.isOurs ? [given, 'text'] : [numberLiteral(given) ?? given, 'a number or text'];
    const parseFilled: Parse<string> = (text, at) => {
      if (text === '') throw at.refuse(text, `${expected} that is not empty`);
      return parse(text, at);
    };
    return this.#required(path, value, expected, parseFilled) ?? '';
  }

  /** An optional id. */
  idOrNull(path: string, parse: Parse<string>): string | null {
    return this.#value(path) === null ? null : this.id(path, parse) || null;
  }

  /** A required id in our format. */
  uuid(path: string): string {
    const parse: Parse<string> = (text, at) => {
      if (!uuid.test(text)) throw at.refuse(text, 'a UUID');
      return text.toLowerCase();
    };
    return this.#required(path, this.#given(path), 'a UUID', parse) ?? '';
  }

  oneOf<Word extends string>(path: string, words: readonly Word[]): Word | null {
    return this.parsed(path, (text, at) => {
      const word = words.find((candidate) => candidate === text);
      if (word === undefined) throw at.refuse(text, `one of ${words.join(', ')}`);
      return word;
    });
  }

  boolean(path: string): boolean | null {
    const value = this.#value(path);
    if (value === null || typeof value === 'boolean') return value;
    this.report(path, (at) => at.refuse(value, 'true or false'));
    return null;
  }

  requiredBoolean(path: string): boolean {
    if (!this.has(path)) this.report(path, (at) => this.#absent(path, 'true or false', at));
    return this.boolean(path) ?? false;
  }

  timestamp(path: string, isRequired = false): string | null {
    if (!isRequired || !this.isOurs) return this.parsed(path, parseTimestamp);
    return this.#required(path, this.#given(path), 'a timestamp such as 2026-01-31T12:00:00Z', parseTimestamp) ?? '';
  }

  /** A string or a number: both keep the digits of the file (D21). */
  decimal(path: string): string | null {
    const value = this.#value(path);
    if (value === null) return null;
    return this.#parse(path, numberLiteral(value) ?? value, 'a decimal number such as "19.90"', parseDecimal);
  }

  wholeNumber(path: string, bounds: Bounds): string | null {
    const value = this.#given(path);
    if (value === null) return null;
    const parse: Parse<string> = (text, at) => parseWholeNumber(text, bounds, at);
    return this.#parse(path, numberLiteral(value) ?? value, 'an integer', parse);
  }

  /** Null counts as 0 (D22). */
  count(path: string): string {
    return this.wholeNumber(path, countBounds) ?? '0';
  }

  tags(path: string): readonly string[] {
    if (!this.isOurs && isText(this.#given(path))) return this.parsed(path, toTags) ?? [];
    return this.#items(path, (tag, at) => checkIndexedText(textOf(tag, 'text', at), at));
  }

  /** The objects of a list, each with all members of the shape. */
  list(path: string, shape: ListShape): readonly object[] {
    return this.objects(path).map((members) =>
      Object.fromEntries(Object.entries(shape).map(([name, type]) => [name, members.#item(name, type)])),
    );
  }

  #item(name: string, type: ListShape[string]): unknown {
    switch (type) {
      case 'key':
        return this.id(name);
      case 'text':
        return this.requiredText(name);
      case 'text?':
        return this.text(name);
      case 'decimal?':
        return this.decimal(name);
      default: {
        const number = this.wholeNumber(name, positionBounds);
        if (number === null && type === 'integer') this.report(name, (at) => this.#absent(name, 'an integer', at));
        return number === null ? null : Number(number);
      }
    }
  }

  /** The names of all members. */
  get memberNames(): readonly string[] {
    return Object.keys(this.members);
  }

  /** Whether the member equals this value. */
  equals(path: string, value: boolean | string): boolean {
    return this.#given(path) === value;
  }

  /** The number of items of an array, of any type. */
  countItems(path: string): number {
    const value = this.#given(path);
    return Array.isArray(value) ? value.length : 0;
  }

  /** Whether an array contains objects: some programs write ids instead. */
  hasObjects(path: string): boolean {
    const value = this.#given(path);
    return Array.isArray(value) && value.some(isJsonObject);
  }

  /** Null for a member that is null, absent or invalid. */
  object(path: string): JsonMembers | null {
    const value = this.#given(path);
    if (value === null) return null;
    if (isJsonObject(value)) return this.#innerAt(value, path, path);
    this.report(path, (at) => at.refuse(value, 'a JSON object'));
    return null;
  }

  objects(path: string): readonly JsonMembers[] {
    return this.#items(path, (item, at, pathOfItem) => {
      if (!isJsonObject(item)) throw at.refuse(item, 'a JSON object');
      return this.#innerAt(item, path, pathOfItem);
    });
  }

  /** Reports a problem with a member. */
  report(path: string, problem: (at: SourceLocation) => ImportError): void {
    this.problems.add(problem(this.#at(path)));
  }

  #required<Parsed>(path: string, value: unknown, expected: string, parse: Parse<Parsed>): Parsed | null {
    if (value !== null) return this.#parse(path, value, expected, parse);
    this.report(path, (at) => this.#absent(path, expected, at));
    return null;
  }

  #absent(path: string, expected: string, at: SourceLocation): ImportError {
    return at.refuse(this.provides(path) ? null : undefined, `${expected} (required)`);
  }

  /**
   * Null, and a problem, if the value is not such a text. The location is created only then: it takes longer than
   * parsing most values.
   */
  #parse<Parsed>(path: string, value: unknown, expected: string, parse: Parse<Parsed>): Parsed | null {
    try {
      return parse(textOf(value, expected, this.location), this.location);
    } catch (error) {
      if (!(error instanceof ImportError)) throw error;
      const at = this.#at(path);
      return this.problems.readOr(() => parse(textOf(value, expected, at), at), null);
    }
  }

  /** The items of an array, without invalid ones. */
  #items<Item>(path: string, read: (item: unknown, at: SourceLocation, path: string) => Item): readonly Item[] {
    const value = this.#given(path);
    if (value === null) return [];
    if (!Array.isArray(value) || value.length > maxItems) {
      this.report(path, (at) =>
        Array.isArray(value) ? at.fault(`contains more than ${maxItems} items`) : at.refuse(value, 'an array'),
      );
      return [];
    }
    return value.flatMap((item: unknown, index): Item | [] => {
      const pathOfItem = `${path}[${index}]`;
      return this.problems.readOr(() => read(item, this.#at(pathOfItem), pathOfItem), []);
    });
  }

  #value(path: string): unknown {
    return this.#filled(this.#given(path));
  }

  #filled(value: unknown): unknown {
    return typeof value === 'string' && !this.isOurs && isBlank(value) ? null : value;
  }

  /** The value in the file; null if there is none. */
  #given(path: string): unknown {
    const value = this.members[path];
    const dot = value === undefined ? path.indexOf('.') : -1;
    if (dot !== -1) {
      const inner = this.object(path.slice(0, dot));
      return inner && inner.#given(path.slice(dot + 1));
    }
    if (this.#isInner) this.#note?.(this.#prefix + path, this.provides(path));
    // Only functions and an object are inherited.
    if (typeof value !== 'object' && typeof value !== 'function') return value ?? null;
    return Object.hasOwn(this.members, path) ? value : null;
  }

  #innerAt(object: JsonObject, name: string, path: string): JsonMembers {
    const inner = new JsonMembers(object, this.#at(path), this.problems, this.isOurs);
    return this.#note ? inner.noteInner(this.#note, `${this.#prefix}${name}.`, true) : inner;
  }

  #at(path: string): SourceLocation {
    return this.location.inside(path);
  }
}

function textOf(value: unknown, expected: string, at: SourceLocation): string {
  if (isText(value)) return value;
  throw at.refuse(value, expected);
}

const unchanged: Parse<string> = (text) => text;
