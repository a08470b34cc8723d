import type { Column, ColumnKind, ObjectTable } from '../model';
import { columnsOf } from '../model';

/** The tables that can be exported as CSV, each as a separate file. */
export const csvTypes = ['products', 'variants', 'collections', 'orders'] as const satisfies readonly ObjectTable[];

export type CsvType = (typeof csvTypes)[number];

/** A column of such a table: a member of the object, or the link from a variant to its product. */
export interface CsvColumn {
  readonly name: string;
  readonly kind: ColumnKind | 'owner';
}

/** Links a variant to its product on import. */
export const ownerColumn = 'product_external_id';

const owners: readonly CsvColumn[] = ['product_id', ownerColumn].map((name) => ({ name, kind: 'owner' }));

/** The columns in their order. */
export function csvColumnsOf(type: CsvType): readonly CsvColumn[] {
  const columns: readonly Pick<Column, 'name' | 'kind'>[] = columnsOf(type);
  return type === 'variants' ? [...columns.slice(0, 1), ...owners, ...columns.slice(1)] : columns;
}

/** The cell of an empty text; an empty cell is null. */
const emptyText = '""';

/**
 * Where a spreadsheet could find a formula: at the beginning, and after any delimiter that programs of any country
 * split at, ignoring spaces and quotes.
 */
const placesOf = (mark: string): RegExp =>
  new RegExp(`(?<![^;|\\t\\r\\n])${mark}(?=['" ]*[=+\\-@＝＋－＠])|^${mark}(?=['" ]*[\\t\\r\\n]|'*${emptyText}$)`, 'g');

const formulas = placesOf('');
const marks = placesOf("'");
const unclear = placesOf("(?=')");

/**
 * The content of a cell for a text. An apostrophe escapes what would otherwise be misread and, with `escapes`, what a
 * spreadsheet would run. `textFromCell` removes it.
 */
function textToCell(text: string, escapes: boolean): string {
  if (text === '') return emptyText;
  if (text === emptyText) return `'${text}`;
  return text.replace(escapes ? formulas : unclear, "'");
}

const textFromCell = (cell: string): string => (cell === emptyText ? '' : cell.replace(marks, ''));

interface Option {
  readonly name: string;
  readonly value: string;
}

/** Lists are comma-separated text if that is unambiguous, otherwise JSON. */
const isPlainTag = (tag: string): boolean => tag !== '' && tag.trim() === tag && !/[,"[\r\n]/.test(tag);
const isPlainOption = ({ name, value }: Option): boolean =>
  [name, value].every((text) => text !== '' && text.trim() === text && !/[:;"[\r\n]/.test(text));

const tagsToCell = (tags: readonly string[]): string =>
  tags.every(isPlainTag) ? tags.join(', ') : JSON.stringify(tags);

const optionsToCell = (options: readonly Option[]): string =>
  options.every(isPlainOption)
    ? options.map(({ name, value }) => `${name}: ${value}`).join('; ')
    : JSON.stringify(options);

/** The cell for a REST value. */
export function toCell({ kind }: CsvColumn, value: unknown, escapes: boolean): string {
  if (value === null || value === undefined) return '';
  switch (kind) {
    case 'tags':
      return textToCell(tagsToCell(value as readonly string[]), escapes).replace(/^""$/, '');
    case 'options':
      return textToCell(optionsToCell(value as readonly Option[]), escapes).replace(/^""$/, '');
    case 'list':
      return (value as readonly unknown[]).length === 0 ? '' : textToCell(JSON.stringify(value), escapes);
    default:
      return typeof value === 'string'
        ? textToCell(value, escapes && !/^-?[0-9.]+$/.test(value))
        : JSON.stringify(value);
  }
}

/**
 * Converts a cell to a snapshot value. Numbers stay text, which keeps their digits.
 * @param toList parses a list that is JSON
 */
export function fromCell({ kind }: CsvColumn, cell: string, toList: (json: string) => unknown): unknown {
  const text = textFromCell(cell);
  if (kind === 'tags' || kind === 'options') {
    if (text.startsWith('[')) return toList(text);
    if (text === '') return [];
    return kind === 'tags' ? text.split(', ') : text.split('; ').map(toOption);
  }
  if (kind === 'list') return text === '' ? [] : toList(text);
  if (cell === '') return null;
  return kind === 'flag' && /^(?:true|false)$/.test(cell) ? cell === 'true' : text;
}

function toOption(text: string): Option {
  const sign = text.indexOf(': ');
  return sign === -1 ? { name: '', value: text } : { name: text.slice(0, sign), value: text.slice(sign + 2) };
}

/** A row in the format of RFC 4180, but with line feeds. */
export const toRow = (cells: readonly string[]): string => `${cells.map(quoteCell).join(',')}\n`;

const quoteCell = (cell: string): string => (/[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
