import type { Place } from '../import-error';
import type { Dropped } from '../dropped';
import type { VariantOption } from '../record';
import { parseDecimal } from '../values/decimal';
import { isObject, numberLiteral, toPlainJson, type JsonObject } from '../values/json-line';
import { checkCurrency, checkIndexedText } from '../values/text';
import { parseTimestamp } from '../values/timestamp';
import { countBounds, parseWholeNumber } from '../values/whole-number';

/** Reads the members of one JSON object, each as what it must be, and names the one that is not. */
export class JsonMembers {
  readonly #object: JsonObject;
  readonly #place: Place;
  readonly #path: string;

  constructor(object: JsonObject, place: Place, path = '') {
    this.#object = object;
    this.#place = place;
    this.#path = path;
  }

  has(name: string): boolean {
    return this.#value(name) !== null;
  }

  /** Whether the member is there at all, be it null. */
  names(name: string): boolean {
    return Object.hasOwn(this.#object, name);
  }

  text(name: string): string | null {
    const value = this.#value(name);
    if (value === null || (typeof value === 'string' && numberLiteral(value) === undefined)) return value;
    throw this.#refuse(name, 'text');
  }

  requiredText(name: string): string {
    return this.text(name) ?? this.#missing(name, 'text');
  }

  indexedText(name: string): string | null {
    const value = this.text(name);
    return value === null ? null : checkIndexedText(value, this.#at(name));
  }

  externalId(): string {
    const id = this.indexedText('external_id') ?? this.#missing('external_id', 'text');
    if (id === '') throw this.#refuse('external_id', 'text that is not empty');
    return id;
  }

  currency(name: string): string | null {
    const value = this.text(name);
    return value === null ? null : checkCurrency(value, this.#at(name));
  }

  oneOf<Word extends string>(name: string, words: readonly Word[]): Word | null {
    const value = this.text(name);
    if (value === null) return null;
    const word = words.find((candidate) => candidate === value);
    if (word === undefined) throw this.#refuse(name, words.join(', '));
    return word;
  }

  boolean(name: string): boolean | null {
    const value = this.#value(name);
    if (value === null || typeof value === 'boolean') return value;
    throw this.#refuse(name, 'true or false');
  }

  requiredBoolean(name: string): boolean {
    return this.boolean(name) ?? this.#missing(name, 'true or false');
  }

  timestamp(name: string): string | null {
    const value = this.text(name);
    return value === null ? null : parseTimestamp(value, this.#at(name));
  }

  requiredTimestamp(name: string): string {
    return this.timestamp(name) ?? this.#missing(name, 'a timestamp such as 2026-01-31T12:00:00Z');
  }

  /** A string or a number: both keep the digits that the file shows (D21). */
  decimal(name: string): string | null {
    const value = this.#value(name);
    if (value === null) return null;
    if (typeof value !== 'string') throw this.#refuse(name, 'a decimal number such as "19.90"');
    return parseDecimal(numberLiteral(value) ?? value, this.#at(name));
  }

  wholeNumber(name: string, bounds: { min: number; max: number }): string | null {
    const value = this.#value(name);
    if (value === null) return null;
    if (typeof value !== 'string') throw this.#refuse(name, 'a whole number');
    return parseWholeNumber(numberLiteral(value) ?? value, bounds, this.#at(name));
  }

  /** Null counts as 0 (D22). */
  count(name: string): string {
    return this.wholeNumber(name, countBounds) ?? '0';
  }

  tags(name: string): readonly string[] {
    return this.#array(name).map((tag, index) => {
      const at = `${name}[${index}]`;
      if (typeof tag !== 'string' || numberLiteral(tag) !== undefined)
        throw this.#at(at).refuse(toPlainJson(tag), 'text');
      return checkIndexedText(tag, this.#at(at));
    });
  }

  options(name: string): readonly VariantOption[] {
    return this.objects(name).map((members) => ({
      name: members.requiredText('name'),
      value: members.requiredText('value'),
    }));
  }

  objects(name: string): readonly JsonMembers[] {
    return this.#array(name).map((item, index) => {
      const path = `${this.#path}${name}[${index}]`;
      if (!isObject(item)) throw this.#place.at(path).refuse(toPlainJson(item), 'a JSON object');
      return new JsonMembers(item, this.#place, `${path}.`);
    });
  }

  /** Counts the members that mean nothing here. */
  reportOthers(known: ReadonlySet<string>, dropped: Dropped, prefix = ''): void {
    for (const name of Object.keys(this.#object)) if (!known.has(name)) dropped.member(prefix + name);
  }

  /** The error for two items of one array that have the same external_id. */
  repeated(name: string): Error {
    return this.#at(name).fault(`${JSON.stringify(this.#value(name))} stands twice in the same line`);
  }

  #array(name: string): readonly unknown[] {
    const value = this.#value(name);
    if (value === null) return [];
    if (!Array.isArray(value)) throw this.#refuse(name, 'an array');
    return value;
  }

  #value(name: string): unknown {
    return Object.hasOwn(this.#object, name) ? (this.#object[name] ?? null) : null;
  }

  #at(name: string): Place {
    return this.#place.at(this.#path + name);
  }

  #refuse(name: string, expected: string): Error {
    return this.#at(name).refuse(toPlainJson(this.#value(name)), expected);
  }

  #missing(name: string, expected: string): never {
    throw this.#at(name).refuse(this.names(name) ? null : undefined, `${expected} (this member is required)`);
  }
}
