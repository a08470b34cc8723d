import type { Column as ModelColumn } from '../../catalog/model';
import type { CsvCells } from '../formats/csv-columns';
import type { ProductValues } from '../formats/record';
import type { Sales } from '../formats/sales';
import type { SourceLocation } from '../values/import-error';
import { parseBoolean } from '../values/boolean';
import { decodeEntities } from '../values/html-entities';
import { checkIndexedText } from '../values/text';
import { isNumber, parsers, type ParsedKind } from './kinds';
import type { Column } from './map-node';
import type { Condition, ValueRule } from './read-map';

/** Texts that are read without the whitespace around them. */
const trimmed: ReadonlySet<string> = new Set(['image_url', 'weight_unit']);

/** One row of a file that a map describes. */
export class MappedRow {
  constructor(
    readonly cells: CsvCells<Column>,
    readonly sales: Sales,
  ) {}

  get line(): number {
    return this.cells.row.line;
  }

  trimmed(column: Column): string | null {
    return this.cells.trimmed(column);
  }

  /** The place of a rule's first column. */
  at(rule: ValueRule | undefined): SourceLocation {
    return this.cells.at(rule?.columns[0] ?? '');
  }

  holds({ column, is, filled = true }: Condition): boolean {
    const word = this.trimmed(column);
    return is === undefined ? (word !== null) === filled : is.has(word?.toLowerCase() ?? '');
  }

  /** A value as a column of its kind takes it. */
  read(rule: ValueRule | undefined, { kind, name }: ModelColumn): unknown {
    switch (kind) {
      case 'text':
        return trimmed.has(name) ? this.value(rule) : this.text(rule);
      case 'tags':
        return this.#list(rule);
      case 'timestamp':
        return this.#parsed(rule, (word, location) => this.#date(word, location));
      case 'count':
        return this.count(rule);
      case 'status':
        return this.parsed(rule, 'status') ?? 'ACTIVE';
      default:
        return this.parsed(rule, kind as ParsedKind);
    }
  }

  /** The unchanged text of its cell, unless the rule changes it. */
  text(rule: ValueRule | undefined): string | null {
    const [column] = rule?.columns ?? [];
    if (column === undefined || rule?.when || rule?.columns.length !== 1) return this.value(rule);
    const raw = this.cells.text(column);
    return raw === null ? null : changed(raw, rule);
  }

  /** A text without surrounding whitespace. */
  value(rule: ValueRule | undefined): string | null {
    if (rule === undefined || (rule.when && !this.holds(rule.when))) return null;
    if (rule.columns.length === 0) return rule.value ?? null;
    const words = rule.columns.flatMap((column) => this.trimmed(column) ?? []);
    return words.length === 0 ? null : changed(words.join(' '), rule);
  }

  parsed<Kind extends ParsedKind>(rule: ValueRule | undefined, kind: Kind): ReturnType<(typeof parsers)[Kind]> | null {
    return this.#parsed(rule, (word, location) => {
      const plain = isNumber(kind) ? this.#plain(word, location) : word;
      return parsers[kind](plain, location, rule?.words) as ReturnType<(typeof parsers)[Kind]>;
    });
  }

  /**
   * The number of another column of a rule, such as that of the sale: its cells are written as those of the rule's own
   * column.
   */
  decimalOf(column: Column | undefined, rule: ValueRule | undefined): string | null {
    return column === undefined || rule === undefined ? null : this.parsed({ ...rule, columns: [column] }, 'decimal');
  }

  /**
   * A count: a number, or with a separator the different parts of a list; with `until`, too, the sum of their numbers.
   */
  count(rule: ValueRule | undefined): string | null {
    if (rule?.separator === undefined) return this.parsed(rule, 'count');
    const [column] = rule.columns;
    if (rule.until === undefined || column === undefined) return String(this.#list(rule).length);
    const location = this.at(rule);
    const numbers = split(this.trimmed(column) ?? '', rule.separator).map((part) => changedPart(part, rule) ?? '0');
    return this.cells.check(() =>
      String(numbers.reduce((sum, number) => sum + BigInt(parsers.count(number, location)), 0n)),
    );
  }

  /** A date, or a yes or no: then published_at is the time of creation. */
  published(rule: ValueRule | undefined): Pick<ProductValues, 'published' | 'published_at'> {
    const found = this.#parsed(rule, (word, location) => parseBoolean(word) ?? this.#date(word, location));
    return typeof found === 'boolean'
      ? { published: found, published_at: null }
      : { published: null, published_at: found };
  }

  /** Rows are not read twice: a date in local form needs a format, or an earlier one that shows the order. */
  #date(word: string, location: SourceLocation): string {
    return this.cells.dates.parse(word, location);
  }

  #list(rule: ValueRule | undefined): readonly string[] {
    if (rule === undefined || (rule.when && !this.holds(rule.when))) return [];
    const [column] = rule.columns;
    const whole = column === undefined ? rule.value : this.trimmed(column);
    const parts = split(whole ?? '', rule.separator ?? ',').flatMap((part) => changedPart(part, rule) ?? []);
    return this.cells.check(() => [...new Set(parts)].map((part) => checkIndexedText(part, this.at(rule)))) ?? [];
  }

  #plain(word: string, location: SourceLocation): string {
    const advice = adviceOnAffix(word);
    if (advice !== undefined) throw location.refuse(word, `a number alone (${advice})`);
    return this.cells.row.numbers.toPlain(word, location);
  }

  #parsed<Value>(rule: ValueRule | undefined, parse: (word: string, location: SourceLocation) => Value): Value | null {
    const word = this.value(rule);
    return word === null ? null : this.cells.check(() => parse(word, this.at(rule)));
  }
}

/**
 * How a map leaves out what a cell has before or behind its number, such as `45,00 €`; undefined for any other cell.
 */
function adviceOnAffix(word: string): string | undefined {
  const [, front = '', behind = ''] = /^([^\d+.,-]{0,20})[+-]?[\d.,'’\s]*\d([^\d.,]{0,20})$/u.exec(word) ?? [];
  const rules = [['behind_last', front.trim()] as const, ['until', behind.trim()] as const]
    .filter(([, text]) => text !== '')
    .map(([member, text]) => `${member}: ${JSON.stringify(text)}`);
  return rules.length === 0 ? undefined : `a map leaves out the rest by ${rules.join(', ')}`;
}

export const split = (text: string, separator: string): string[] =>
  text
    .split(separator === 'whitespace' ? /\s+/ : separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** A part of a list. */
const changedPart = (part: string, rule: ValueRule): string | null => changed(part, { ...rule, separator: undefined });

/** The value that the rule makes from a cell; null where the cell has no meaning. */
function changed(cell: string, { separator, words, until, behind_last: mark, html, prefix }: Changes): string | null {
  let text = separator === undefined ? cell : (split(cell, separator)[0] ?? '');
  const meaning = words?.get(text.trim().toLowerCase());
  if (meaning !== undefined) return meaning === '' ? null : meaning;
  if (until !== undefined) text = before(text, until).trim();
  if (mark !== undefined && text.includes(mark)) text = text.slice(text.lastIndexOf(mark) + mark.length).trim();
  if (html) text = decodeEntities(text);
  if (prefix !== undefined && text !== '' && !/^(?:https?:)?\/\//i.test(text)) text = prefix + text;
  return text.trim() === '' ? null : text;
}

type Changes = {
  readonly [Name in 'separator' | 'words' | 'until' | 'behind_last' | 'html' | 'prefix']?: ValueRule[Name] | undefined;
};

export const before = (text: string, sign: string): string => {
  const at = text.indexOf(sign);
  return at === -1 ? text : text.slice(0, at);
};
