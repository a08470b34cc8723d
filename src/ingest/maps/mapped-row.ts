import { productStatuses, type ProductStatus } from '../../catalog/model';
import type { CsvCells, CsvColumns } from '../formats/csv-columns';
import type { ReadContext } from '../formats/format';
import type { ProductValues } from '../formats/record';
import type { Sales } from '../formats/sales';
import type { SourceLocation } from '../values/import-error';
import { parseBoolean } from '../values/boolean';
import { parseDecimal } from '../values/decimal';
import { decodeEntities } from '../values/html-entities';
import { checkCurrency, checkIndexedText } from '../values/text';
import { countBounds, parseWholeNumber } from '../values/whole-number';
import type { ColumnReference, Condition, ValueRule } from './import-map';

/** Columns are identified by their names in the map, joined. */
export const keyOf = (column: ColumnReference): string => column.join('\u0000');

export type MapColumns = CsvColumns<string>;

/** One row of a file that a map describes. */
export class MappedRow {
  constructor(
    readonly cells: CsvCells<string>,
    private readonly context: ReadContext,
    readonly sales: Sales,
  ) {}

  get line(): number {
    return this.cells.row.line;
  }

  word(column: ColumnReference): string | null {
    return this.cells.word(keyOf(column));
  }

  at(column: ColumnReference | undefined): SourceLocation {
    return this.cells.at(column === undefined ? '' : keyOf(column));
  }

  holds({ column, words, isFilled }: Condition): boolean {
    const word = this.word(column);
    return words === undefined ? (word !== null) === isFilled : words.has(word?.toLowerCase() ?? '');
  }

  /** The length of its text. */
  get size(): number {
    return this.cells.row.cells.reduce((sum, cell) => sum + cell.length, 0);
  }

  /** The unchanged text of its cell, unless the rule changes it. */
  text(rule: ValueRule | undefined): string | null {
    if (rule?.column === undefined || rule.when || rule.joined.length > 0) return this.value(rule);
    const raw = this.cells.text(keyOf(rule.column));
    return raw === null ? null : changed(raw, rule);
  }

  /** A text without surrounding whitespace. */
  value(rule: ValueRule | undefined): string | null {
    if (rule === undefined || (rule.when && !this.holds(rule.when))) return null;
    if (rule.column === undefined) return rule.value ?? null;
    const words = [rule.column, ...rule.joined].map((column) => this.word(column)).filter((word) => word !== null);
    return words.length === 0 ? null : changed(words.join(' '), rule);
  }

  indexed(rule: ValueRule | undefined): string | null {
    return this.#parsed(rule, checkIndexedText);
  }

  list(rule: ValueRule | undefined): readonly string[] {
    if (rule === undefined || (rule.when && !this.holds(rule.when))) return [];
    const whole = rule.column === undefined ? (rule.value ?? null) : this.word(rule.column);
    const parts = whole === null ? [] : split(whole, rule.separator ?? ',');
    const changedParts = parts.map((part) => changed(part, { ...rule, separator: undefined }));
    const found = [...new Set(changedParts.filter((part) => part !== null))];
    return this.cells.check(() => found.map((part) => checkIndexedText(part, this.at(rule.column)))) ?? [];
  }

  decimal(rule: ValueRule | undefined): string | null {
    return this.#number(rule, parseDecimal);
  }

  /**
   * The number of another column of a rule, such as that of the sale: its cells are written as those of the rule's own
   * column.
   */
  decimalOf(column: ColumnReference | undefined, rule: ValueRule | undefined): string | null {
    return column === undefined || rule === undefined ? null : this.decimal({ ...rule, column });
  }

  currency(rule: ValueRule | undefined): string | null {
    return this.#parsed(rule, checkCurrency);
  }

  flag(rule: ValueRule | undefined): boolean | null {
    return this.#parsed(rule, (word, location) => {
      const flag = parseBoolean(word);
      if (flag === undefined) throw location.refuse(word, '"true", "false" or words of the map');
      return flag;
    });
  }

  /**
   * A count: a number, or with a separator the different parts of a list; with `until`, too, the sum of their numbers.
   */
  count(rule: ValueRule | undefined): string | null {
    if (rule?.separator !== undefined && rule.until !== undefined && rule.column !== undefined) {
      return this.#sum(split(this.word(rule.column) ?? '', rule.separator), rule);
    }
    if (rule?.separator !== undefined) return String(this.list(rule).length);
    return this.wholeNumber(rule, countBounds);
  }

  wholeNumber(rule: ValueRule | undefined, bounds: { min: number; max: number }): string | null {
    return this.#number(rule, (word, location) => parseWholeNumber(word, bounds, location));
  }

  /** Rows are not read twice: a date in local form needs a format, or an earlier one that shows the order. */
  timestamp(rule: ValueRule | undefined): string | null {
    if (rule?.column === undefined) return null;
    return this.#parsed(rule, (word, location) => this.cells.dates.parse(word, location));
  }

  status(rule: ValueRule | undefined): ProductStatus {
    return (
      this.#parsed(rule, (word, location) => {
        const status = productStatuses.find((known) => known === word.toUpperCase());
        if (status !== undefined) return status;
        throw location.refuse(
          word,
          [...(rule?.words?.keys() ?? productStatuses)].map((known) => JSON.stringify(known)).join(', '),
        );
      }) ?? 'ACTIVE'
    );
  }

  /** A date, or a yes or no: then published_at is the time of creation. */
  published(rule: ValueRule | undefined): Pick<ProductValues, 'published' | 'published_at'> {
    const found = this.#parsed(rule, (word, location) => {
      const isPublished = parseBoolean(word);
      return isPublished ?? this.cells.dates.parse(word, location);
    });
    return typeof found === 'boolean'
      ? { published: found, published_at: null }
      : { published: null, published_at: found };
  }

  #sum(parts: readonly string[], rule: ValueRule): string | null {
    const location = this.at(rule.column);
    const numbers = parts.map((part) => changed(part, { ...rule, separator: undefined }) ?? '0');
    return this.cells.check(() =>
      String(numbers.reduce((sum, number) => sum + BigInt(parseWholeNumber(number, countBounds, location)), 0n)),
    );
  }

  #number(rule: ValueRule | undefined, parse: (word: string, location: SourceLocation) => string): string | null {
    return this.#parsed(rule, (word, location) => {
      const advice = adviceOnAffix(word);
      if (advice !== undefined) throw location.refuse(word, `a number alone (${advice})`);
      return parse(this.cells.row.numbers.toPlain(word, location), location);
    });
  }

  #parsed<Value>(rule: ValueRule | undefined, parse: (word: string, location: SourceLocation) => Value): Value | null {
    const word = this.value(rule);
    return word === null ? null : this.cells.check(() => parse(word, this.at(rule?.column)));
  }
}

/**
 * How a map leaves out what a cell has before or behind its number, such as `45,00 €`; undefined for any other cell.
 */
function adviceOnAffix(word: string): string | undefined {
  const [, front = '', behind = ''] = /^([^\d+.,-]{0,20})[+-]?[\d.,'’\s]*\d([^\d.,]{0,20})$/u.exec(word) ?? [];
  const [mark, unit] = [front.trim(), behind.trim()];
  if (mark === '' && unit === '') return undefined;
  const rules = [
    ...(mark === '' ? [] : [`behind_last: ${JSON.stringify(mark)}`]),
    ...(unit === '' ? [] : [`until: ${JSON.stringify(unit)}`]),
  ];
  return `a map leaves out the rest by ${rules.join(', ')}`;
}

export const split = (text: string, separator: string): string[] =>
  text
    .split(separator === 'whitespace' ? /\s+/ : separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** The value that the rule makes from a cell; null where the cell has no meaning. */
function changed(cell: string, rule: ValueRule): string | null {
  let text = rule.separator === undefined ? cell : (split(cell, rule.separator)[0] ?? '');
  const meaning = rule.words?.get(text.trim().toLowerCase());
  if (meaning !== undefined) return meaning === '' ? null : meaning;
  if (rule.until !== undefined) text = before(text, rule.until).trim();
  if (rule.behindLast !== undefined) text = text.slice(text.lastIndexOf(rule.behindLast) + (text.includes(rule.behindLast) ? rule.behindLast.length : 0)).trim(); // prettier-ignore
  if (rule.isHtml) text = decodeEntities(text);
  if (rule.prefix !== undefined && text !== '' && !/^(?:https?:)?\/\//i.test(text)) text = rule.prefix + text;
  return text.trim() === '' ? null : text;
}

export const before = (text: string, sign: string): string => {
  const at = text.indexOf(sign);
  return at === -1 ? text : text.slice(0, at);
};
