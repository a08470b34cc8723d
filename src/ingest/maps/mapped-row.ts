import type { StoredImage, StoredLineItem } from '../../catalog/model';
import type { Category } from '../formats/categories';
import { inOrder, lineTotal, quantityBounds, toImage } from '../formats/lists';
import type { CsvCells } from '../formats/csv-columns';
import type { ProductValues } from '../formats/record';
import type { Parse, Values } from '../formats/rules';
import type { Sales } from '../formats/sales';
import type { SourceLocation } from '../values/import-error';
import { parseBoolean } from '../values/boolean';
import { decodeEntities } from '../../common/html-entities';
import { countBounds, positionBounds, parseDecimal, parseWholeNumber, type Bounds } from '../values/numbers';
import { checkIndexedText, toParts } from '../values/text';
import type { Column } from './map-node';
import { numbered } from './map-node';
import type { Condition, ValueRule, ValueRules } from './read-map';

/** Texts that are trimmed. */
const trimmed: ReadonlySet<string> = new Set(['image_url', 'weight_unit']);

/** Prefix of the names of categories without ids. */
const madeId = 'category:';

const noRules: ValueRules = new Map();

const lineTexts = ['title', 'sku', 'product_external_id', 'variant_external_id'] as const;

/** Rows whose images have another number of alt texts. */
interface UnpairedTexts {
  rows: number;
  lastLine: number;
}

/** One row of a file, read by a map's rules for one kind of object; names are those of members. */
export class MappedRow implements Values {
  constructor(
    readonly cells: CsvCells<Column>,
    readonly sales: Sales,
    private readonly domain: string,
    private readonly unpaired: UnpairedTexts,
    private readonly rules = noRules,
  ) {}

  by(rules: ValueRules | undefined): MappedRow {
    return new MappedRow(this.cells, this.sales, this.domain, this.unpaired, rules);
  }

  get line(): number {
    return this.cells.row.line;
  }

  trimmed(column: Column): string | null {
    return this.cells.trimmed(column);
  }

  /** The location of a rule's first column. */
  at(name: string): SourceLocation {
    return this.#at(this.rules.get(name));
  }

  holds({ column, is, filled = true }: Condition): boolean {
    const word = this.trimmed(column)?.toLowerCase() ?? '';
    return is === undefined ? (word !== '') === filled : is.has(word) || is.has(String(parseBoolean(word)));
  }

  /** The unchanged text of its cell, unless the rule changes it. */
  text(name: string): string | null {
    const rule = this.rules.get(name);
    const [column, ...others] = rule?.columns ?? [];
    if (column === undefined || rule?.when || others.length > 0 || trimmed.has(name)) return this.value(name);
    const raw = this.cells.text(column);
    return raw === null ? null : this.#changed(raw, rule ?? {});
  }

  /** A text without surrounding whitespace. */
  value(name: string): string | null {
    return this.#value(this.rules.get(name));
  }

  requiredText(name: string, expected = 'text'): string {
    const text = this.text(name);
    if (text === null) this.cells.report(this.at(name).refuse('', expected));
    return text ?? '';
  }

  parsed<Parsed>(name: string, parse: Parse<Parsed>): Parsed | null {
    return this.#parsed(this.rules.get(name), parse);
  }

  id(name: string): string {
    if (this.value(name) === null) this.cells.report(this.at(name).refuse('', 'an ID on the first row of each object'));
    return this.parsed(name, checkIndexedText) ?? '';
  }

  decimal(name: string): string | null {
    return this.decimalOf(undefined, name);
  }

  /**
   * The number in another column of a rule, such as the sale price: its cells have the format of the rule's own column.
   */
  readonly decimalOf = (column: Column | undefined, name: string): string | null => {
    const rule = this.rules.get(name);
    return this.#parsed(rule && column !== undefined ? { ...rule, columns: [column] } : rule, (word, at) =>
      parseDecimal(isMeaning(word, rule) ? word : this.#plain(word, at), at),
    );
  };

  wholeNumber(name: string, bounds: Bounds): string | null {
    return this.parsed(name, (word, at) => parseWholeNumber(this.#plain(word, at), bounds, at));
  }

  timestamp(name: string): string | null {
    return this.parsed(name, this.#date);
  }

  tags(name: string): readonly string[] {
    const parts = this.#parts(this.rules.get(name));
    return this.cells.check(() => [...new Set(parts)].map((part) => checkIndexedText(part, this.at(name)))) ?? [];
  }

  /**
   * A count: a number; with a separator, the number of different parts of a list; with `until` as well, the sum of
   * their numbers.
   */
  count(name: string): string | null {
    const rule = this.rules.get(name);
    if (rule?.separator === undefined) return this.wholeNumber(name, countBounds);
    if (rule.until === undefined) return String(this.tags(name).length);
    return this.cells.check(() =>
      String(
        this.#parts(rule).reduce((sum, part) => sum + BigInt(parseWholeNumber(part, countBounds, this.at(name))), 0n),
      ),
    );
  }

  /** The images of a list or of numbered columns, with alternative texts if there are equally many. */
  images(name: string): readonly StoredImage[] {
    const rule = this.rules.get(name);
    if (rule === undefined || !this.#applies(rule)) return [];
    const { separator, alt, position: place } = rule;
    const cellsOf = (column: Column): readonly string[] => {
      if (separator !== undefined) return this.#list(this.trimmed(column), separator, column);
      return [this.trimmed(column)].filter((cell) => cell !== null);
    };
    const images = rule.columns.flatMap((column) =>
      numbered(column).flatMap((one, index) => {
        const urls = cellsOf(one);
        const texts = alt === undefined ? [] : cellsOf(numbered(alt)[index] ?? alt);
        if (
          urls.length > 0 &&
          texts.length > 0 &&
          texts.length !== urls.length &&
          this.unpaired.lastLine !== this.line
        ) {
          this.unpaired.lastLine = this.line;
          this.unpaired.rows += 1;
        }
        const position = place === undefined || urls.length !== 1 ? null : this.cells.wholeNumber(numbered(place)[index] ?? place, positionBounds); // prettier-ignore
        return urls.flatMap((url, at) =>
          toImage(this.#change(rule)(url), (texts.length === urls.length && texts[at]) || null, position),
        );
      }),
    );
    return inOrder(images);
  }

  /** The collections of a product; with `create` they have the cell's whole path in their ids. */
  collections(): readonly Category[] {
    const rule = this.rules.get('collections');
    return this.#parts(rule, (part) => part).flatMap((part) => {
      const title = this.#change(rule)(part);
      const id = title !== null && rule?.create === true ? `${madeId}${part}` : title;
      const checked = id === null ? null : this.cells.check(() => checkIndexedText(id, this.at('collections')));
      return checked === null ? [] : [{ id: checked, title: title ?? '', handle: null }];
    });
  }

  /** The position of a product in its collections. */
  place(): string | null {
    const column = this.rules.get('collections')?.position;
    return column === undefined ? null : this.cells.wholeNumber(column, positionBounds);
  }

  /** The line item of an order row; none if the row has no values for one. */
  item(): readonly StoredLineItem[] {
    const texts = lineTexts.map((name) => [name, this.value(name)] as const);
    const [given, unit_price] = [this.wholeNumber('quantity', quantityBounds), this.decimal('unit_price')];
    if (given === null && texts.every(([, value]) => value === null)) return [];
    const quantity = Number(given ?? 1);
    const total = this.rules.has('total') ? this.decimal('total') : lineTotal(unit_price, quantity, null);
    return [{ ...(Object.fromEntries(texts) as Pick<StoredLineItem, (typeof lineTexts)[number]>), quantity, unit_price, total }]; // prettier-ignore
  }

  /** The parts of a list in a cell, without blanks. */
  list(column: Column, separator: string): readonly string[] {
    return this.#list(this.trimmed(column), separator, column).filter(isFilled);
  }

  /** A date, or yes or no: then published_at is the time of creation. */
  published(): Pick<ProductValues, 'published' | 'published_at'> {
    const found = this.parsed('published_at', (word, at) => parseBoolean(word) ?? this.#date(word, at));
    return typeof found === 'boolean'
      ? { published: found, published_at: null }
      : { published: null, published_at: found };
  }

  /** Rows are not read twice: a local date needs a given format, or an earlier date that shows it. */
  readonly #date = (word: string, at: SourceLocation): string => this.cells.dates.parse(word, at);

  #applies({ when }: ValueRule): boolean {
    return when?.some((condition) => this.holds(condition)) ?? true;
  }

  #at(rule: ValueRule | undefined): SourceLocation {
    return this.cells.at(rule?.columns[0] ?? '');
  }

  #value(rule: ValueRule | undefined): string | null {
    if (rule === undefined || !this.#applies(rule)) return null;
    if (rule.columns.length === 0) return rule.value ?? null;
    const words = rule.columns.flatMap((column) => this.trimmed(column) ?? []);
    return words.length === 0 ? null : this.#changed(words.join(rule.between ?? ' '), rule);
  }

  #list(cell: string | null, separator: string, column: Column): readonly string[] {
    if (cell === null) return [];
    return this.cells.check(() => toParts(cell, signOf(separator), this.cells.at(column))) ?? [];
  }

  /** The parts of a list. */
  #parts(rule: ValueRule | undefined, change = this.#change(rule)): readonly string[] {
    if (rule === undefined || !this.#applies(rule)) return [];
    const [column] = rule.columns;
    const whole = column === undefined ? rule.value : this.trimmed(column);
    const parts = this.#list(whole ?? null, rule.separator ?? ',', column ?? '');
    return parts.filter(isFilled).flatMap((part) => change(part) ?? []);
  }

  /** The conversion of a part of a list. */
  #change(rule: ValueRule | undefined): (part: string) => string | null {
    return (part) => this.#changed(part, { ...rule, separator: undefined });
  }

  #changed(cell: string, rule: Changes): string | null {
    const prefix = rule.prefix?.replaceAll('{domain}', this.domain);
    return changed(cell, prefix === undefined ? rule : { ...rule, prefix });
  }

  #parsed<Parsed>(rule: ValueRule | undefined, parse: Parse<Parsed>): Parsed | null {
    const word = this.#value(rule);
    return word === null ? null : this.cells.check(() => parse(word, this.#at(rule)));
  }

  #plain(word: string, at: SourceLocation): string {
    const advice = adviceOnAffix(word);
    if (advice !== undefined) throw at.refuse(word, `only a number (${advice})`);
    return this.cells.row.numbers.toPlain(word, at);
  }
}

/** Whether the value comes from the mapping file, where numbers always have a decimal point, and not from a cell. */
const isMeaning = (word: string, rule: ValueRule | undefined): boolean =>
  rule?.value === word || [...(rule?.words?.values() ?? [])].includes(word);

/** The text before and after the number of a cell, as in `45,00 €`; undefined for any other cell. */
export function affixesOf(word: string): readonly [front: string, behind: string] | undefined {
  const found = /^([^\d+.,-]{0,20})[+-]?[\d.,'’\s]*\d([^\d.,]{0,20})$/u.exec(word);
  return found ? [found[1]?.trim() ?? '', found[2]?.trim() ?? ''] : undefined;
}

/** How a map can remove that text. */
function adviceOnAffix(word: string): string | undefined {
  const [front = '', behind = ''] = affixesOf(word) ?? [];
  const rules = [['behind_last', front] as const, ['until', behind] as const]
    .filter(([, text]) => text !== '')
    .map(([member, text]) => `${member}: ${JSON.stringify(text)}`);
  return rules.length === 0 ? undefined : `a mapping file can exclude the rest with ${rules.join(', ')}`;
}

const isFilled = (part: string): boolean => part.trim() !== '';
const signOf = (separator: string): string | RegExp => (separator === 'whitespace' ? /\s+/ : separator);

/** The value that the rule makes from a cell; null where the cell has no meaning. */
function changed(cell: string, { separator, words, until, behind_last: mark, html, prefix }: Changes): string | null {
  let text = separator === undefined ? cell : (cell.split(signOf(separator)).find(isFilled) ?? '').trim();
  const word = text.trim().toLowerCase();
  // Spreadsheets translate `true`.
  const meaning = words?.get(word) ?? words?.get(String(parseBoolean(word)));
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
