import { CsvColumns, type CsvCells } from '../formats/csv-columns';
import { variantIdWithin } from '../formats/shopify-product';
import type { ReadContext } from '../format';
import type { Place } from '../import-error';
import { type ProductValues, type UnplacedVariant, type VariantValues } from '../record';
import { productStatuses, type ProductStatus, type VariantOption } from '../../catalog/model';
import type { CsvRow } from '../source/table-row';
import { parseBoolean } from '../values/boolean';
import { parseDecimal } from '../values/decimal';
import { isZero, lessPercent } from '../values/decimal-sum';
import { decodeEntities } from '../values/html-entities';
import { orderOf, parseLocalDate } from '../values/local-date';
import { checkCurrency, checkIndexedText } from '../values/text';
import { countBounds, parseWholeNumber, positionBounds, safeBounds } from '../values/whole-number';
import type {
  ColumnReference,
  Condition,
  OptionRule,
  ProductMember,
  ValueRule,
  VariantMember,
  VariantRules,
} from './import-map';

/** Columns are identified by their names in the map, joined. */
export const keyOf = (column: ColumnReference): string => column.join('\u0000');

/** One row of a file that a map describes. */
export class MappedRow {
  constructor(
    readonly cells: CsvCells<string>,
    private readonly context: ReadContext,
  ) {}

  get line(): number {
    return this.cells.row.line;
  }

  word(column: ColumnReference): string | null {
    return this.cells.word(keyOf(column));
  }

  at(column: ColumnReference | undefined): Place {
    return this.cells.at(column === undefined ? '' : keyOf(column));
  }

  holds({ column, words, isFilled }: Condition): boolean {
    const word = this.word(column);
    return words === undefined ? (word !== null) === isFilled : words.has(word?.toLowerCase() ?? '');
  }

  isSkipped(conditions: readonly Condition[]): boolean {
    return conditions.some((condition) => this.holds(condition));
  }

  /** The unchanged text of its cell, unless the rule changes it. */
  text(rule: ValueRule | undefined): string | null {
    if (rule?.column === undefined || rule.when) return this.value(rule);
    const raw = this.cells.text(keyOf(rule.column));
    return raw === null ? null : changed(raw, rule);
  }

  /** A text without surrounding whitespace. */
  value(rule: ValueRule | undefined): string | null {
    if (rule === undefined || (rule.when && !this.holds(rule.when))) return null;
    if (rule.column === undefined) return rule.value ?? null;
    const word = this.word(rule.column);
    return word === null ? null : changed(word, rule);
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

  /** The number of another column of a rule, such as that of the sale: its cells are written as those of the rule's own column. */
  decimalOf(column: ColumnReference | undefined, rule: ValueRule | undefined): string | null {
    return column === undefined || rule === undefined ? null : this.decimal({ ...rule, column });
  }

  currency(rule: ValueRule | undefined): string | null {
    return this.#parsed(rule, checkCurrency);
  }

  flag(rule: ValueRule | undefined): boolean | null {
    return this.#parsed(rule, (word, place) => {
      const flag = parseBoolean(word);
      if (flag === undefined) throw place.refuse(word, '"true", "false" or words of the map');
      return flag;
    });
  }

  /** A count: a number, or with a separator the parts of a list. */
  count(rule: ValueRule | undefined): string | null {
    if (rule?.separator !== undefined) return String(this.list(rule).length);
    return this.wholeNumber(rule, countBounds);
  }

  wholeNumber(rule: ValueRule | undefined, bounds: { min: number; max: number }): string | null {
    return this.#number(rule, (word, place) => parseWholeNumber(word, bounds, place));
  }

  /** A date in local form needs an explicit format: rows are not read twice to determine it. */
  timestamp(rule: ValueRule | undefined): string | null {
    if (rule?.column === undefined) return null;
    return this.#parsed(rule, (word, place) => this.#date(word, place));
  }

  status(rule: ValueRule | undefined): ProductStatus {
    return (
      this.#parsed(rule, (word, place) => {
        const status = productStatuses.find((known) => known === word.toUpperCase());
        if (status !== undefined) return status;
        throw place.refuse(
          word,
          [...(rule?.words?.keys() ?? productStatuses)].map((known) => JSON.stringify(known)).join(', '),
        );
      }) ?? 'ACTIVE'
    );
  }

  /** A date, or a yes or no: then published_at is the time of creation. */
  published(rule: ValueRule | undefined): Pick<ProductValues, 'published' | 'published_at'> {
    const found = this.#parsed(rule, (word, place) => {
      const isPublished = parseBoolean(word);
      return isPublished ?? this.#date(word, place);
    });
    return typeof found === 'boolean'
      ? { published: found, published_at: null }
      : { published: null, published_at: found };
  }

  #date(word: string, place: Place): string {
    const date = parseLocalDate(word);
    if (date !== undefined && this.context.dateFormat === undefined && orderOf(date) !== 'year') {
      throw place.refuse(
        word,
        'a timestamp such as 2026-01-31T12:00:00Z; set how such dates are meant with date_format in the map, or --date-format',
      );
    }
    return this.cells.dates.parse(word, place);
  }

  #number(rule: ValueRule | undefined, parse: (word: string, place: Place) => string): string | null {
    return this.#parsed(rule, (word, place) => {
      const advice = adviceOnAffix(word);
      if (advice !== undefined) throw place.refuse(word, `a number alone (${advice})`);
      return parse(this.cells.row.numbers.toPlain(word, place), place);
    });
  }

  #parsed<Value>(rule: ValueRule | undefined, parse: (word: string, place: Place) => Value): Value | null {
    const word = this.value(rule);
    return word === null ? null : this.cells.check(() => parse(word, this.at(rule?.column)));
  }
}

/** How a map leaves out what a cell has before or behind its number, such as `45,00 €`; undefined for any other cell. */
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

const split = (text: string, separator: string): string[] =>
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

const before = (text: string, sign: string): string => {
  const at = text.indexOf(sign);
  return at === -1 ? text : text.slice(0, at);
};

type ProductRules = ReadonlyMap<ProductMember, ValueRule>;

/** The product that a row describes. */
export function toProductValues(row: MappedRow, rules: ProductRules, context: ReadContext): ProductValues {
  const rule = (member: ProductMember): ValueRule | undefined => rules.get(member);
  const text = (member: ProductMember): string | null => row.text(rule(member));
  const title = text('title');
  const body = text('description_html');
  if (title === null) row.cells.report(row.at(rule('title')?.column).refuse('', 'a title on the row of each product'));
  for (const [member, value] of [['title', title], ['description_html', body]] as const) {
    const column = rule(member)?.column;
    if (column) context.damage.checkText(value, row.cells.nameOf(keyOf(column)), row.line);
  } // prettier-ignore
  return {
    external_id: row.indexed(rule('external_id')) ?? '',
    title: title ?? '',
    handle: row.indexed(rule('handle')),
    status: row.status(rule('status')),
    vendor: row.indexed(rule('vendor')),
    product_type: row.indexed(rule('product_type')),
    tags: row.list(rule('tags')),
    description_html: body,
    seo_title: text('seo_title'),
    seo_description: text('seo_description'),
    image_url: row.value(rule('image_url')),
    ...row.published(rule('published_at')),
    created_at: row.timestamp(rule('created_at')),
    updated_at: row.timestamp(rule('updated_at')),
  };
}

export function toVariant(
  row: MappedRow,
  { members, options }: VariantRules,
  first: MappedRow,
  context: ReadContext,
): UnplacedVariant {
  const rule = (member: VariantMember): ValueRule | undefined => members.get(member);
  const found = options === undefined ? [] : toOptions(row, options, first);
  const sku = row.text(rule('sku'));
  // A leading apostrophe keeps spreadsheets from turning the digits into a number.
  const barcode = row.value(rule('barcode'))?.replace(/^'/, '') ?? null;
  checkDamage(row, 'sku', sku, members, context);
  checkDamage(row, 'barcode', barcode, members, context);
  const weight = row.decimal(rule('weight'));
  return {
    line: row.line,
    external_id: row.indexed(rule('external_id')),
    title: row.text(rule('title')) ?? titleOf(found),
    sku,
    barcode,
    ...toPrices(row, rule('price'), rule('compare_at_price')),
    cost_price: taxed(row.decimal(rule('cost_price')), rule('cost_price')),
    inventory_quantity: row.wholeNumber(rule('inventory_quantity'), safeBounds),
    weight,
    weight_unit: weight === null ? null : row.value(rule('weight_unit')),
    position: row.wholeNumber(rule('position'), positionBounds),
    image_url: row.value(rule('image_url')),
    options: found,
    created_at: row.timestamp(rule('created_at')),
    updated_at: row.timestamp(rule('updated_at')),
    ...(rule('price')?.add && { addPrice: taxed(row.decimalOf(rule('price')?.add, rule('price')), rule('price')) }),
    ...(rule('weight')?.add && { addWeight: row.decimalOf(rule('weight')?.add, rule('weight')) }),
  };
}

function checkDamage(
  row: MappedRow,
  member: 'sku' | 'barcode',
  value: string | null,
  members: VariantRules['members'],
  { damage }: ReadContext,
): void {
  const column = members.get(member)?.column;
  if (column === undefined) return;
  const name = row.cells.nameOf(keyOf(column));
  if (member === 'sku') damage.checkCode(value, name, row.line);
  else damage.checkBarcode(value, name, row.line);
}

export const titleOf = (options: readonly VariantOption[]): string =>
  options.length === 0 ? 'Default Title' : options.map(({ value }) => value).join(' / ');

/** A sale price of zero is not a sale: exports write 0.00 where there is none. */
function toPrices(
  row: MappedRow,
  rule: ValueRule | undefined,
  compare: ValueRule | undefined,
): Pick<VariantValues, 'price' | 'compare_at_price'> {
  const regular = taxed(row.decimal(rule), rule);
  const other = taxed(row.decimal(compare), compare);
  const sale = row.decimalOf(rule?.sale, rule);
  if (sale === null || isZero(sale) || (rule?.saleWhen && !row.holds(rule.saleWhen))) {
    return { price: regular, compare_at_price: other };
  }
  return { price: taxed(sale, rule), compare_at_price: regular };
}

const taxed = (amount: string | null, rule: ValueRule | undefined): string | null =>
  amount === null || rule?.taxPercent === undefined ? amount : lessPercent(amount, `-${rule.taxPercent}`);

/** Names may be on the first row of a product only. */
function toOptions(row: MappedRow, rule: OptionRule, first: MappedRow): readonly VariantOption[] {
  switch (rule.form) {
    case 'fixed':
      return rule.options.flatMap(({ name, column }) => toOption(name, row.word(column)));
    case 'numbered':
      return optionNumbersOf(row.cells, rule).flatMap((number) => {
        const names = rule.names && numbered(rule.names, number);
        const name = names && (row.word(names) ?? first.word(names));
        return toOption(name ?? `Option${number}`, row.word(numbered(rule.values, number)), rule.until);
      });
    case 'lists': {
      const names = listOf(row.word(rule.names), rule.separator, rule.until);
      const values = listOf(row.word(rule.values), rule.separator, rule.until);
      if (names.length === values.length) return names.flatMap((name, at) => toOption(name, values[at] ?? null));
      const place = row.at(rule.values);
      row.cells.report(
        place.fault(`expected as many values as the ${names.length} names of the options, got ${values.length}`),
      );
      return [];
    }
    case 'pairs':
      return (row.word(rule.column) ?? '').split(rule.separator).flatMap((pair) => {
        const at = pair.indexOf(rule.between);
        if (at === -1) return [];
        // [S]Size=Small: the kind of the option is in brackets.
        const name = pair
          .slice(0, at)
          .trim()
          .replace(/^\[\w*\]/, '');
        return toOption(name, pair.slice(at + rule.between.length), rule.until);
      });
    case 'marked':
      return (row.word(rule.column) ?? '')
        .split(rule.start)
        .slice(1)
        .flatMap((part) => {
          const parts = part.split(rule.separator).map((one) => one.trim());
          const behind = (mark: string): string | null =>
            parts.find((one) => one.startsWith(mark))?.slice(mark.length) ?? null;
          return toOption(behind(rule.name) ?? 'Option', behind(rule.value), rule.until);
        });
  }
}

function toOption(name: string, value: string | null, until?: string): readonly VariantOption[] {
  const shown = value === null ? '' : (until === undefined ? value : before(value, until)).trim();
  return shown === '' ? [] : [{ name: name.trim(), value: shown }];
}

const listOf = (list: string | null, separator: string, until: string | undefined): string[] =>
  list === null ? [] : split(list, separator).map((part) => (until === undefined ? part : before(part, until).trim()));

/** A variant with more options than this is invalid. */
const maxOptions = 20;

const numbered = (column: ColumnReference, number: number): ColumnReference =>
  column.map((name) => name.replaceAll('{n}', String(number)));

const optionNumbersOf = (cells: CsvCells<string>, rule: { readonly values: ColumnReference }): readonly number[] =>
  Array.from({ length: maxOptions }, (_, index) => index + 1).filter((number) =>
    cells.has(keyOf(numbered(rule.values, number))),
  );

/** The columns of options: of numbered ones, the first and those that the header contains. */
export function optionColumns(rule: OptionRule, header: ReadonlySet<string>): readonly ColumnReference[] {
  switch (rule.form) {
    case 'fixed':
      return rule.options.map(({ column }) => column);
    case 'lists':
      return [rule.names, rule.values];
    case 'pairs':
    case 'marked':
      return [rule.column];
    case 'numbered':
      return Array.from({ length: maxOptions }, (_, index) => index + 1).flatMap((number) => {
        const columns = [...(rule.names ? [numbered(rule.names, number)] : []), numbered(rule.values, number)];
        return number === 1 || columns.some((column) => column.some((name) => header.has(name.toLowerCase())))
          ? columns
          : [];
      });
  }
}

/** The id of a variant: its own, otherwise what distinguishes it within its product. */
export const toVariantId = (
  productId: string,
  { external_id, options }: Pick<UnplacedVariant, 'external_id' | 'options'>,
): string => external_id ?? variantIdWithin(productId, options);

export type MapColumns = CsvColumns<string>;
export const openColumns = (
  file: string,
  header: CsvRow,
  columns: readonly ColumnReference[],
  context: ReadContext,
): MapColumns =>
  new CsvColumns(file, header, Object.fromEntries(columns.map((column) => [keyOf(column), column])), context);
