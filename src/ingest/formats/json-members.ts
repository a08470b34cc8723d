import { ImportError, type SourceLocation } from '../values/import-error';
import type { Problems } from './problems';
import type { Dropped } from './dropped';
import type { VariantOption } from '../../catalog/model';
import { parseDecimal } from '../values/decimal';
import { isObject, isText, numberLiteral, toPlainJson, type JsonObject } from '../values/json-line';
import { checkCurrency, checkIndexedText, isBlank, parseCommaList } from '../values/text';
import { parseTimestamp } from '../values/timestamp';
import { countBounds, parseWholeNumber } from '../values/whole-number';

/**
 * The items of one array: more than variants that fit in an answer (`maximumVariants`). Each takes many times its bytes
 * while it is read.
 */
const maxItems = 100_000;

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The members of inner objects that are read, and which of them a file has. */
export class InnerMembers {
  readonly #exist = new Map<string, boolean>();
  readonly #inner = new Map<string, InnerMembers>();

  note(name: string, exists: boolean): void {
    if (exists || !this.#exist.has(name)) this.#exist.set(name, exists);
  }

  in(name: string): InnerMembers {
    const inner = this.#inner.get(name) ?? new InnerMembers();
    this.#inner.set(name, inner);
    return inner;
  }

  /** The paths of those that no object has. */
  *absent(path = ''): Generator<string, void, void> {
    for (const [name, exists] of this.#exist) if (!exists) yield path + name;
    for (const [name, inner] of this.#inner) yield* inner.absent(`${path}${name}.`);
  }
}

/**
 * Reads the members of one JSON object, each as its expected type. An invalid member is reported as a problem with its
 * name, and a substitute is returned.
 */
export class JsonMembers {
  readonly #object: JsonObject;
  readonly #location: SourceLocation;
  readonly #problems: Problems;
  readonly #path: string;
  #inner: InnerMembers | undefined;
  #isInner: boolean;

  constructor(object: JsonObject, location: SourceLocation, problems: Problems, path = '', inner?: InnerMembers) {
    this.#object = object;
    this.#location = location;
    this.#problems = problems;
    this.#path = path;
    this.#inner = inner;
    this.#isInner = inner !== undefined;
  }

  /** From now on, what is read of objects inside is noted; its own members are not. */
  noteInner(inner: InnerMembers): void {
    this.#inner = inner;
    this.#isInner = false;
  }

  has(name: string): boolean {
    return this.names(name) && this.#object[name] !== null;
  }

  /** Whether the member exists, even if it is null. */
  names(name: string): boolean {
    return Object.hasOwn(this.#object, name);
  }

  /** Whether there is a member at the end of a path such as `item.cost`, even if it is null. */
  provides(path: string): boolean {
    return this.#found(path) !== undefined;
  }

  /** Whether there is text at the end of a path, which is not read further. */
  holdsText(path: string): boolean {
    const value = this.#found(path);
    return isText(value) && !isBlank(value);
  }

  text(name: string): string | null {
    const value = this.#value(name);
    return value === null || isText(value) ? value : this.#problems.collect(() => this.#text(name), null);
  }

  requiredText(name: string): string {
    const value = this.#value(name);
    return isText(value) ? value : this.#problems.collect(() => this.#text(name) ?? this.#missing(name, 'text'), '');
  }

  indexedText(name: string): string | null {
    return this.#parsed(name, checkIndexedText);
  }

  /** Text; a blank text counts as null. */
  filledText(name: string): string | null {
    const text = this.text(name);
    return text === null || isBlank(text) ? null : text;
  }

  /** Text, parsed; null where it is blank. */
  parsed<Value>(name: string, parse: (text: string, location: SourceLocation) => Value): Value | null {
    return this.#parsed(name, (text, location) => (isBlank(text) ? null : parse(text, location)));
  }

  /** A required id, which may be a number or text. */
  id(name: string, parse: (text: string, location: SourceLocation) => string = checkIndexedText): string {
    return this.#problems.collect(() => {
      const value = this.#value(name) ?? this.#missing(name, 'a number or text');
      const text = numberLiteral(value) ?? value;
      if (typeof text !== 'string' || text === '') throw this.#refuse(name, 'a number or text');
      return parse(text, this.#at(name));
    }, '');
  }

  externalId(): string {
    const value = this.#value('external_id');
    const found = isText(value) && value !== '' ? this.#attempt(value, checkIndexedText) : undefined;
    if (found !== undefined) return found;
    return this.#problems.collect(() => {
      const id = this.#text('external_id') ?? this.#missing('external_id', 'text');
      if (id === '') throw this.#refuse('external_id', 'text that is not empty');
      return checkIndexedText(id, this.#at('external_id'));
    }, '');
  }

  /** A required id of ours. */
  uuid(name: string): string {
    return this.#problems.collect(() => {
      const text = this.#text(name) ?? this.#missing(name, 'a UUID');
      if (!uuid.test(text)) throw this.#refuse(name, 'a UUID');
      return text.toLowerCase();
    }, '');
  }

  currency(name: string): string | null {
    return this.#parsed(name, checkCurrency);
  }

  oneOf<Word extends string>(name: string, words: readonly Word[]): Word | null {
    return this.#parsed(name, (value) => {
      const word = words.find((candidate) => candidate === value);
      if (word === undefined) throw this.#refuse(name, words.join(', '));
      return word;
    });
  }

  boolean(name: string): boolean | null {
    return this.#problems.collect(() => this.#boolean(name), null);
  }

  requiredBoolean(name: string): boolean {
    return this.#problems.collect(() => this.#boolean(name) ?? this.#missing(name, 'true or false'), false);
  }

  timestamp(name: string): string | null {
    return this.#parsed(name, parseTimestamp);
  }

  requiredTimestamp(name: string): string {
    const value = this.#value(name);
    const found = isText(value) ? this.#attempt(value, parseTimestamp) : undefined;
    if (found !== undefined) return found;
    return this.#problems.collect(() => {
      const text = this.#text(name) ?? this.#missing(name, 'a timestamp such as 2026-01-31T12:00:00Z');
      return parseTimestamp(text, this.#at(name));
    }, '');
  }

  /** A string or a number: both keep the digits of the file (D21). */
  decimal(name: string): string | null {
    return this.#number(name, 'a decimal number such as "19.90"', parseDecimal);
  }

  /** A decimal that may be an empty text instead of null. */
  filledDecimal(name: string): string | null {
    return this.#value(name) === '' ? null : this.decimal(name);
  }

  wholeNumber(name: string, bounds: { min: number; max: number }): string | null {
    return this.#number(name, 'a whole number', (text, location) => parseWholeNumber(text, bounds, location));
  }

  /** Null counts as 0 (D22). */
  count(name: string): string {
    return this.wholeNumber(name, countBounds) ?? '0';
  }

  tags(name: string): readonly string[] {
    return this.#items(name, (tag, at) => {
      if (!isText(tag)) throw at.refuse(toPlainJson(tag), 'text');
      return checkIndexedText(tag, at);
    });
  }

  /** An array, or text with commas. */
  commaTags(name: string): readonly string[] {
    const value = this.#value(name);
    if (!isText(value)) return this.tags(name);
    return (
      this.parsed(name, (list, location) => parseCommaList(list).map((tag) => checkIndexedText(tag, location))) ?? []
    );
  }

  options(name: string): readonly VariantOption[] {
    return this.objects(name).map((members) => ({
      name: members.requiredText('name'),
      value: members.requiredText('value'),
    }));
  }

  /** The names of all members. */
  get memberNames(): readonly string[] {
    return Object.keys(this.#object);
  }

  /** Whether the member equals this value. */
  equals(name: string, value: boolean | string): boolean {
    return this.#value(name) === value;
  }

  /** The number of items of an array, of any type. */
  countItems(name: string): number {
    const value = this.#value(name);
    return Array.isArray(value) ? value.length : 0;
  }

  /** Whether an array contains objects: some programs write ids instead. */
  hasObjects(name: string): boolean {
    const value = this.#value(name);
    return Array.isArray(value) && value.some(isObject);
  }

  hasObject(name: string): boolean {
    return isObject(this.#value(name));
  }

  /** Null for a member that is null, missing or invalid. */
  object(name: string): JsonMembers | null {
    const value = this.#value(name);
    if (value === null) return null;
    if (isObject(value))
      return new JsonMembers(value, this.#location, this.#problems, `${this.#path}${name}.`, this.#inner?.in(name));
    this.#problems.add(this.#refuse(name, 'a JSON object'));
    return null;
  }

  objects(name: string): readonly JsonMembers[] {
    return this.#items(name, (item, at, path) => {
      if (!isObject(item)) throw at.refuse(toPlainJson(item), 'a JSON object');
      return new JsonMembers(item, this.#location, this.#problems, `${path}.`, this.#inner?.in(name));
    });
  }

  /** Counts the members that have no meaning here. */
  reportOthers(known: ReadonlySet<string>, dropped: Dropped, prefix = ''): void {
    for (const name of Object.keys(this.#object)) if (!known.has(name)) dropped.member(prefix + name);
  }

  /** Reports a problem with a member. */
  report(name: string, problem: (location: SourceLocation) => ImportError): void {
    this.#problems.add(problem(this.#at(name)));
  }

  /** Reports that two parts of one object have the same id. */
  reportRepeated(name: string): void {
    this.#problems.add(this.#at(name).fault(`${JSON.stringify(this.#value(name))} appears twice`));
  }

  #parsed<Value>(name: string, parse: (text: string, location: SourceLocation) => Value): Value | null {
    const value = this.#value(name);
    if (value === null) return null;
    const found = isText(value) ? this.#attempt(value, parse) : undefined;
    if (found !== undefined) return found;
    return this.#problems.collect(() => {
      const text = this.#text(name);
      return text === null ? null : parse(text, this.#at(name));
    }, null);
  }

  /**
   * The result where there is no problem, without the place of the member, which takes longer to make than most values
   * to parse. After a problem the caller parses again, with the place.
   */
  #attempt<Value>(text: string, parse: (text: string, location: SourceLocation) => Value): Value | undefined {
    try {
      return parse(text, this.#location);
    } catch (error) {
      if (!(error instanceof ImportError)) throw error;
      return undefined;
    }
  }

  #number(name: string, expected: string, parse: (text: string, location: SourceLocation) => string): string | null {
    const value = this.#value(name);
    if (value === null) return null;
    const text = numberLiteral(value) ?? value;
    const found = typeof text === 'string' ? this.#attempt(text, parse) : undefined;
    if (found !== undefined) return found;
    return this.#problems.collect(() => {
      if (typeof text !== 'string') throw this.#refuse(name, expected);
      return parse(text, this.#at(name));
    }, null);
  }

  /** The items of an array, without invalid ones. */
  #items<Item>(name: string, read: (item: unknown, at: SourceLocation, path: string) => Item): readonly Item[] {
    const value = this.#value(name);
    if (value === null) return [];
    if (!Array.isArray(value)) {
      this.#problems.add(this.#refuse(name, 'an array'));
      return [];
    }
    if (value.length > maxItems) {
      this.#problems.add(this.#at(name).fault(`holds more than ${maxItems} items`));
      return [];
    }
    const items: Item[] = [];
    for (const [index, item] of value.entries()) {
      const path = `${name}[${index}]`;
      this.#problems.collect(() => items.push(read(item, this.#at(path), this.#path + path)), 0);
    }
    return items;
  }

  #found(path: string): unknown {
    let found: unknown = this.#object;
    for (const name of path.split('.')) found = isObject(found) && Object.hasOwn(found, name) ? found[name] : undefined;
    return found;
  }

  #text(name: string): string | null {
    const value = this.#value(name);
    if (value === null || isText(value)) return value;
    throw this.#refuse(name, 'text');
  }

  #boolean(name: string): boolean | null {
    const value = this.#value(name);
    if (value === null || typeof value === 'boolean') return value;
    throw this.#refuse(name, 'true or false');
  }

  #value(name: string): unknown {
    if (this.#isInner) this.#inner?.note(name, this.names(name));
    const value = this.#object[name];
    // Inherited are only functions and an object.
    if (typeof value !== 'object' && typeof value !== 'function') return value ?? null;
    return Object.hasOwn(this.#object, name) ? value : null;
  }

  #at(name: string): SourceLocation {
    return this.#location.at(this.#path + name);
  }

  #refuse(name: string, expected: string): ImportError {
    return this.#at(name).refuse(toPlainJson(this.#value(name)), expected);
  }

  #missing(name: string, expected: string): never {
    throw this.#at(name).refuse(this.names(name) ? null : undefined, `${expected} (this member is required)`);
  }
}
