import { Document } from 'yaml';
import { vital } from './formats/vital-members';
import { columnsOf, type ColumnKind, type ObjectTable } from '../catalog/model';
import { holdsAddress } from '../privacy/addresses';
import { readAsTable } from './detect-format';
import { ImportError } from './values/import-error';
import {
  collectionWords,
  optionWords,
  orderWords,
  productWords,
  statusWords,
  toWords,
  variantWords,
  yesNoWords,
} from './maps/column-words';
import { affixesOf } from './maps/mapped-row';
import { readCsvRows } from './source/csv-rows';
import { delimiterName } from './source/delimiters';
import type { ReadingOptions } from './source/reading-options';
import { SourceFile } from './source/source-file';
import { parseBoolean } from './values/boolean';
import { orderOf, parseLocalDate } from './values/local-date';
import { listFirst, quotedName } from './values/display-names';

/** The rows to read: enough to see what columns contain. */
const sampleRows = 1000;
const sampleCharacters = 1_000_000;

/** Maximum length of a column name in a map. */
const maxNameLength = 200;

/** A column with more distinct words, or longer ones, does not contain statuses. */
const maxStatuses = 20;
const maxStatusLength = 50;

const maxUnreadListed = 50;

const currencyCode = /^[A-Z]{3}$/;

/** A column of the table, with its cells in the first rows. */
interface SampledColumn {
  readonly name: string;
  readonly words: string;
  readonly cells: readonly string[];
  /** Those that are not blank. */
  readonly filled: readonly string[];
  readonly isMail: boolean;
}

type Rule = string | Readonly<Record<string, unknown>>;

/**
 * Suggests a map for a table that is in no known format, from the names of its columns and the values in its first
 * rows. It is only a start: the first lines say what was not recognized.
 * @throws ImportError for a file that is not a table, or that contains no products, orders or collections
 */
export async function suggestMap(file: string, reading: ReadingOptions): Promise<string> {
  const source = await SourceFile.open(file, reading);
  try {
    if (!source.sheet && !readAsTable(source)) {
      throw new ImportError(`${source.name}: expected a table with at least two column names in its first row`);
    }
    const rows: (readonly string[])[] = [];
    let characters = 0;
    for await (const { cells } of readCsvRows(source)) {
      // Short rows count as filled up with blank cells.
      if (rows.push(cells) > 1) characters += cells.reduce((sum, { length }) => sum + length, rows[0]?.length ?? 0);
      if (rows.length > sampleRows || characters > sampleCharacters) break;
    }
    return new Suggestion(source, rows).text();
  } finally {
    await source.close();
  }
}

const tables = {
  order: { table: 'orders', words: orderWords },
  collection: { table: 'collections', words: collectionWords },
  product: { table: 'products', words: productWords },
  variant: { table: 'variants', words: variantWords },
} as const satisfies Record<string, { table: ObjectTable; words: Readonly<Record<string, string>> }>;

type Part = keyof typeof tables;

/** Names of an order's members that say nothing after another word: a phone number is not the order's. */
const vague = /^(?:name|num+er|number|reference|amount|betrag|montant|import[eo]|kwota|wartosc|tax|steuer)$/;

/** Whether a column is named like a member: then it is not another one's. */
const isNamed = (part: Part, column: string): boolean =>
  Object.values(tables[part].words).some((names) => names.split(', ').includes(column));

class Suggestion {
  readonly #columns: readonly SampledColumn[];
  readonly #used = new Set<SampledColumn>();
  readonly #notes: string[] = [];
  #dates: string | undefined;

  constructor(
    private readonly source: SourceFile,
    [header = [], ...rows]: readonly (readonly string[])[],
  ) {
    const seen = new Set(['']);
    this.#columns = header.flatMap((cell, index) => {
      const name = cell.trim();
      if (name.length > maxNameLength || seen.has(name.toLowerCase())) return [];
      seen.add(name.toLowerCase());
      const words = toWords(name);
      const cells = rows.map((row) => (row[index] ?? '').trim());
      const filled = cells.filter((one) => one !== '');
      return [{ name, words, cells, filled, isMail: isMail(words, [name, ...filled]) }];
    });
  }

  text(): string {
    const map = this.#map();
    const unread = this.#columns.filter((column) => !this.#used.has(column));
    const delimiter = this.source.delimiter;
    const document = new Document({
      ...(delimiter !== undefined && delimiter !== ',' && { delimiter: delimiterName(delimiter) }),
      ...(this.#dates && { date_format: this.#dates }),
      ...map,
    });
    document.commentBefore = [
      ` Suggested from the columns and the first rows of ${quotedName(this.source.name)}. Review it, correct it, and try it:`,
      ' catalog import --explain FILE --map THIS',
      ...this.#notes.map((note) => ` ${note}`),
      ...(unread.length > 0
        ? [` Not read: ${listFirst(unread, maxUnreadListed, ({ name }) => quotedName(name))}`]
        : []),
    ].join('\n');
    return document.toString({ lineWidth: 0 });
  }

  #map(): Readonly<Record<string, unknown>> {
    const has = (part: Part, ...members: readonly string[]): boolean =>
      members.some((member) => this.#candidates(part, member).length > 0);
    const speaksOfOrders = this.#columns.some(({ words }) =>
      /\b(?:order|bestell|auftrag|commande|pedido|ordine|zamowieni)/.test(words),
    );
    const isOrders =
      has('order', 'order_number', 'external_id') && has('order', 'total_price', 'items_count', 'customer_name');
    if (speaksOfOrders && isOrders && !has('variant', 'barcode')) return this.#orders();
    if (
      has('product', 'title') &&
      !has('order', 'customer_name') &&
      (has('variant', 'price', 'sku') || this.#unused.some(isAmount))
    )
      return this.#products();
    const collection = this.#rules('collection');
    if (collection['external_id'] && collection['title']) return { collection };
    throw new ImportError(
      `${this.source.name}: expected columns for products (a name, and a price or a SKU), orders (an order number, and a total, a quantity or a customer) or collections (an ID and a name); its columns match none of these. Write the mapping file yourself: docs/maps.md`,
    );
  }

  #orders(): Readonly<Record<string, unknown>> {
    const order = this.#rules('order');
    const key = order['external_id'] ?? order['order_number'];
    const id = this.#columnOf(key);
    const rows = id && repeats(id.cells) ? { rows: { same: id.name } } : {};
    this.#noteVital('order', order);
    return { ...rows, order: { external_id: key, ...order } };
  }

  #products(): Readonly<Record<string, unknown>> {
    const product = this.#rules('product');
    const rules = this.#rules('variant');
    const key = product['external_id'] ?? rules['sku'] ?? product['title'];
    const options = this.#options();
    const rows = this.#rows(this.#columnOf(key), this.#columnOf(product['title']), options);
    const variant = { ...rules, ...(options && { options: options.rule }) };
    this.#noteVital('product', { ...product, ...rules });
    return {
      ...(Object.keys(rows).length > 0 && { rows }),
      product: { external_id: key, ...product },
      ...(Object.keys(variant).length > 0 && { variant }),
    };
  }

  #noteVital(kind: 'order' | 'product', rules: object): void {
    for (const [member, [of, label, without]] of Object.entries(vital))
      if (of === kind && !(member in rules))
        this.#notes.push(`No column for ${label}: ${without}.`.replaceAll(/ \(.*?\)/g, ''));
  }

  /** How rows are grouped, and which prices are read if a table has several currencies. */
  #rows(
    id: SampledColumn | undefined,
    title: SampledColumn | undefined,
    options: { readonly values: readonly SampledColumn[] } | undefined,
  ): Readonly<Record<string, unknown>> {
    const currency = this.#columns.find(({ words }) =>
      /(?:^| )(?:currency|currency code|wahrung|devise|moneda|valuta|waluta)$/.test(words),
    );
    const [first, ...others] = currency ? byFrequency(currency.filled) : [];
    const skips =
      currency !== undefined && others.length > 0 && currency.filled.every((cell) => currencyCode.test(cell));
    if (skips) {
      this.#used.add(currency);
      this.#notes.push(`The prices are those in ${first ?? ''}: skip_when skips rows in other currencies.`);
    }
    const skipped = skips ? { skip_when: { column: currency.name, is: others } } : {};
    const isRead = (index: number): boolean => !skips || !others.includes(currency.cells[index] ?? '');
    if (!id || !title || !repeats(id.cells.filter((_, index) => isRead(index)))) return skipped;
    const starts = id.cells.flatMap((cell, index) =>
      isRead(index) && cell !== '' && cell !== id.cells[index - 1] ? [index] : [],
    );
    const isBelow = id.cells.some(
      (cell, index) => isRead(index) && cell !== '' && !starts.includes(index) && title.cells[index] === '',
    );
    if (!isBelow) return { ...skipped, same: id.name };
    const isVariant = (index: number): boolean => options?.values.some(({ cells }) => cells[index] !== '') ?? true;
    return {
      ...skipped,
      product_when: { column: title.name, filled: true },
      ...(starts.filter(isVariant).length * 2 > starts.length && { first_is_variant: true }),
    };
  }

  /** Numbered pairs of columns, or columns that are known to be options. */
  #options(): { readonly rule: unknown; readonly values: readonly SampledColumn[] } | undefined {
    const numbered = /(?:option|attribut|opcion|opzione|opcj|cech)/;
    const one = this.#columns.filter(({ words }) => numbered.test(words) && /(?:^|\D)1(?:\D|$)/.test(words));
    const isValue = ({ words }: SampledColumn): boolean => /valu|wert|valeur|valor|wartos/.test(words);
    const [value, name] = [
      one.find(isValue),
      one.find((column) => !isValue(column) && /name|nom|nazw/.test(column.words)),
    ];
    if (value) {
      const pattern = (column: SampledColumn): string => column.name.replace('1', '{n}');
      const like = (column: SampledColumn): readonly SampledColumn[] =>
        this.#columns.filter(({ name: other }) => other.replace(/\d+/, '{n}') === pattern(column));
      const values = like(value);
      for (const column of [...values, ...(name ? like(name) : [])]) this.#used.add(column);
      return { rule: { ...(name && { names: pattern(name) }), values: pattern(value) }, values };
    }
    const unseen = new Set(optionWords.split(', '));
    const columns = this.#columns.filter(
      (column) => !this.#used.has(column) && column.filled.length > 0 && unseen.delete(column.words),
    );
    if (columns.length === 0) return undefined;
    for (const column of columns) this.#used.add(column);
    return { rule: columns.map(({ name: column }) => ({ name: column, column })), values: columns };
  }

  /** The rule of each member for which there is a column with suitable cells. */
  #rules(part: Part): Readonly<Record<string, Rule>> {
    const { table, words } = tables[part];
    const rules: Record<string, Rule> = {};
    const ways: readonly ((member: string, kind: ColumnKind) => readonly SampledColumn[])[] = [
      (member) => this.#candidates(part, member),
      // `Stock total`, `Price EUR`: the cells distinguish such members.
      (member, kind) =>
        takesText.test(kind)
          ? []
          : this.#find(part, member, (name, of) => of.startsWith(`${name} `) && !isNamed(part, of)),
      (member) => {
        const holds = holdsMember[`${part}.${member}`];
        const found = holds ? this.#unused.filter((column) => holds(column) && !isNamed(part, column.words)) : [];
        return found.length === 1 ? found : [];
      },
    ];
    for (const find of ways) {
      for (const { name, kind } of columnsOf(table)) {
        if (words[name] === undefined || rules[name] !== undefined) continue;
        for (const column of find(name, kind)) {
          const rule = this.#ruleFor(column, name, kind);
          if (rule === undefined) continue;
          this.#used.add(column);
          rules[name] = rule;
          break;
        }
      }
    }
    return rules;
  }

  get #unused(): readonly SampledColumn[] {
    return this.#columns.filter((column) => !this.#used.has(column) && !column.isMail && column.filled.length > 0);
  }

  /** The columns named like a member, then those whose name ends with it; earlier names are better. */
  #candidates(part: Part, member: string): readonly SampledColumn[] {
    return [
      ...this.#find(part, member, (name, of) => of === name || withoutLanguage(of) === name),
      ...this.#find(
        part,
        member,
        (name, of) => of.endsWith(` ${name}`) && !isNamed(part, of) && !(part === 'order' && vague.test(name)),
      ),
    ];
  }

  #find(part: Part, member: string, fits: (name: string, words: string) => boolean): readonly SampledColumn[] {
    const [names, unused] = [tables[part].words[member]?.split(', ') ?? [], this.#unused];
    return names.flatMap((name) => unused.filter(({ words }) => fits(name, words)));
  }

  /** The column of a rule. */
  #columnOf(rule: Rule | undefined): SampledColumn | undefined {
    const name = typeof rule === 'object' ? rule['column'] : rule;
    return this.#columns.find((column) => column.name === name);
  }

  /** Undefined if the cells do not fit. */
  #ruleFor(column: SampledColumn, member: string, kind: ColumnKind): Rule | undefined {
    const { name, filled } = column;
    switch (kind) {
      case 'decimal':
      case 'quantity':
      case 'count':
        return numberRule(column, kind !== 'decimal');
      case 'timestamp':
        return this.#dateRule(column);
      case 'currency':
        return filled.every((cell) => currencyCode.test(cell)) ? name : undefined;
      case 'flag':
        return filled.every((cell) => parseBoolean(cell) !== undefined) ? name : wordRule(column, publishedOf);
      case 'status':
        return wordRule(column, statusOf);
      case 'tags':
        return listRule(column, ',');
      default:
        if (member === 'product_type') return pathRule(column);
        return member === 'image_url' ? listRule(column, undefined) : name;
    }
  }

  /** Dates that begin with the year are read in any format. The zone is written so that people review it. */
  #dateRule({ name, filled }: SampledColumn): Rule | undefined {
    if (!filled.every(isDate)) return undefined;
    const orders = filled.map(parseLocalDate).flatMap((date) => (date && orderOf(date)) ?? []);
    const order = orders.find((one) => one !== 'year');
    if (order !== undefined) this.#dates = order === 'day' ? 'DD/MM/YYYY UTC' : 'MM/DD/YYYY UTC';
    else if (orders.length > 0) this.#dates ??= 'YYYY-MM-DD UTC';
    return name;
  }
}

/** Amounts may have a unit around them. */
function numberRule({ name, filled }: SampledColumn, isWhole: boolean): Rule | undefined {
  const found = filled.map(affixesOf);
  if (found.includes(undefined) || (isWhole && filled.some((cell) => /[.,]0*[1-9]/.test(cell)))) return undefined;
  const [front, ...otherFronts] = new Set(found.flatMap((one) => one?.[0] || []));
  const [unit, ...otherUnits] = new Set(found.flatMap((one) => one?.[1] || []));
  if (otherFronts.length + otherUnits.length > 0) return undefined;
  return front || unit ? { column: name, ...(front && { behind_last: front }), ...(unit && { until: unit }) } : name;
}

const isDate = (cell: string): boolean =>
  parseLocalDate(cell) !== undefined || /^\d{4}-\d\d-\d\d[T ]+\d\d:\d\d.*(?:Z|UTC|[+-]\d\d:?(?:\d\d)?)$/i.test(cell);

/** Kinds of members that take any text. */
const takesText = /text|indexed|externalId|tags/i;

const isAmount = ({ filled }: SampledColumn): boolean =>
  filled.every((cell) => /^(?:\D{1,6})?[\d.,' \u00a0]*\d[.,]\d\d(?:[^\d.,]{1,6})?$/.test(cell) && !isDate(cell));

const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/** Members recognized by the cells alone, if only one column has such cells. */
const holdsMember: Readonly<Record<string, (column: SampledColumn) => boolean>> = {
  'product.status': ({ filled }) =>
    filled.some((cell) => statusOf(cell) === 'ACTIVE' && yesOrNo(cell) === undefined) && filled.every(statusOf),
  'variant.price': isAmount,
  'order.total_price': isAmount,
  'order.currency': ({ filled }) => filled.every((cell) => currencies.has(cell)),
  'order.created_at': ({ filled }) => filled.every(isDate),
};

/** Removes a language at the end, as in `name.en`. */
const withoutLanguage = (words: string): string => words.replace(/ (?:en|de|fr|es|it|pl)(?: [a-z]{2})?$/, '');

const isMail = (words: string, texts: readonly string[]): boolean =>
  /\be ?mail\b|\bcourriel\b|\bcorreo\b/.test(words) || texts.some(holdsAddress);

/** Whether consecutive rows have the same cell. */
const repeats = (cells: readonly string[]): boolean =>
  cells.some((cell, index) => cell !== '' && cell === cells[index - 1]);

function byFrequency(cells: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const cell of cells) counts.set(cell, (counts.get(cell) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).map(([cell]) => cell);
}

const meaningsOf = (all: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  new Map(Object.entries(all).flatMap(([meaning, words]) => words.split(', ').map((word) => [word, meaning] as const)));
const [statuses, answers] = [meaningsOf(statusWords), meaningsOf(yesNoWords)];

const yesOrNo = (cell: string): string | undefined =>
  String(parseBoolean(cell) ?? answers.get(toWords(cell)) ?? '') || undefined;
const statusOf = (cell: string): string | undefined =>
  statuses.get(toWords(cell)) ?? ({ true: 'ACTIVE', false: 'DRAFT' } as Record<string, string>)[yesOrNo(cell) ?? ''];
const publishedOf = (cell: string): string | undefined => {
  const status = statusOf(cell);
  return status && String(status === 'ACTIVE');
};

/** Only if every word is known: an unknown one would end the import. */
function wordRule({ name, filled }: SampledColumn, meaningOf: (cell: string) => string | undefined): Rule | undefined {
  const found = [...new Map(filled.map((word) => [word.toLowerCase(), word])).values()];
  if (found.length > maxStatuses || found.some(({ length }) => length > maxStatusLength)) return undefined;
  const words = found.map((word) => [word, meaningOf(word)] as const);
  if (words.some(([, meaning]) => meaning === undefined)) return undefined;
  return { column: name, words: Object.fromEntries(words) };
}

/** Uses the separator that most cells with several parts have. */
function listRule({ name, filled }: SampledColumn, usual: string | undefined): Rule {
  const [separator] = byFrequency(
    filled.flatMap((cell) => [';', '|', ...(usual === undefined ? [] : [usual])].filter((sign) => cell.includes(sign))),
  );
  return separator === undefined || separator === usual ? name : { column: name, separator };
}

/** The last part of a path of categories. */
function pathRule({ name, filled }: SampledColumn): Rule {
  const sign = [' -> ', ' > ', '->', '>', ' / '].find((one) => filled.some((cell) => cell.includes(one)));
  return sign === undefined ? name : { column: name, behind_last: sign };
}
