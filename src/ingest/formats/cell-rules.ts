import type { Column, ColumnKind } from '../../catalog/model';
import type { SourceLocation } from '../values/import-error';
import { checkCurrency, checkIndexedText, parseCommaList } from '../values/text';
import { countBounds, positionBounds, safeBounds } from '../values/whole-number';
import type { ColumnNames, CsvCells } from './csv-columns';
import type { TableExplained } from './format';
import { explain, made, type Explained, type Rule } from './rules';

type ImportedKind = Exclude<ColumnKind, 'key' | 'derived' | 'options' | 'status' | 'flag'>;
type ReadCell = (cells: CsvCells<string>, name: string, column: Column) => unknown;

const toTags = (list: string, location: SourceLocation): string[] =>
  parseCommaList(list).map((tag) => checkIndexedText(tag, location));

/**
 * How the cells of tables are read, by the kind of our column. What a table writes in its own way has a rule of its
 * own.
 */
const readers: Readonly<Record<ImportedKind, ReadCell>> = {
  externalId: (cells, name) => cells.indexedText(name) ?? '',
  text: (cells, name) => cells.text(name),
  indexed: (cells, name) => cells.indexedText(name),
  currency: (cells, name) => cells.parsed(name, checkCurrency),
  decimal: (cells, name) => cells.decimal(name),
  tags: (cells, name) => cells.parsed(name, toTags) ?? [],
  count: (cells, name) => cells.wholeNumber(name, countBounds) ?? '0',
  quantity: (cells, name) => cells.wholeNumber(name, safeBounds),
  position: (cells, name) => cells.wholeNumber(name, positionBounds),
  timestamp: (cells, name) => cells.timestamp(name),
};

/** The builders of rules for a table with these columns. */
export interface CellRules<Name extends string> {
  /** A value as the kind of our column is written. */
  from(name: Name): Rule<CsvCells<Name>, never>;
  /** The word of the first of several columns that is not blank. */
  word(...names: readonly [Name, ...Name[]]): Rule<CsvCells<Name>, string | null>;
  /** A word that is stored in capital letters. */
  upperCase(name: Name): Rule<CsvCells<Name>, string | null>;
  /** A value that takes more than one column, or more than reading it. */
  made<Value, Around = unknown>(
    names: readonly Name[],
    read: (cells: CsvCells<Name>, around: Around) => Value,
    note?: string,
  ): Rule<CsvCells<Name>, Value, Around>;
}

export const cellRules = <Name extends string>(): CellRules<Name> => ({
  from: (name) => ({
    names: [name],
    read: (cells, column) => readers[column.kind as ImportedKind](cells, name, column) as never,
  }),
  word: (...names) => ({
    names,
    areAlternatives: true,
    read: (cells) => names.map((name) => cells.word(name)).find((found) => found !== null) ?? null,
  }),
  upperCase: (name) => ({ names: [name], read: (cells) => cells.indexedText(name)?.toUpperCase() ?? null }),
  made,
});

/** What `--explain` says of a table's columns. */
export function explainTable<Name extends string>(
  all: Parameters<typeof explain>[0],
  names: ColumnNames<Name>,
  also: Partial<Readonly<Record<Name, string>>> = {},
): TableExplained {
  const shown = (name: string): string => names[name as Name][0] ?? name;
  const { expected, others } = explain(all, also as Explained['others'], shown);
  const meanings = { ...others, ...expected };
  const column = (name: string): string => meanings[name] ?? '';
  return {
    column,
    columns: () => (Object.keys(names) as Name[]).map((name) => [shown(name), column(name)]),
    spellings: Object.values<readonly string[]>(names).flat(),
  };
}
