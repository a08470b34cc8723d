import type { FileSample, ReadContext } from './format';
import { type ImportError, SourceLocation } from '../values/import-error';
import type { Problems } from './problems';
import { type Bounds, parseDecimal, parseWholeNumber } from '../values/numbers';
import { checkIndexedText, isBlank, toTags } from '../values/text';
import type { CsvRow } from '../source/table-row';
import { readCsvRows } from '../source/csv-rows';
import type { SourceFile } from '../source/source-file';
import type { NumberStyle } from '../values/number-style';
import { FileDates } from './file-dates';
import type { ColumnNames, Parse, Values } from './rules';

/** The required columns that a file lacks, each with its spellings. */
export const absentColumns = (needed: readonly (readonly string[])[], { header }: FileSample) =>
  needed.filter((spellings) => !spellings.some((name) => header.has(name.toLowerCase())));

interface FoundColumn {
  readonly index: number;
  readonly name: string;
  /** The name as errors show it. */
  readonly field: string;
}

const fieldOf = (name: string): string => `column ${JSON.stringify(name)}`;

/** The header of one CSV file: the index of each column. */
export class CsvColumns<Column extends string> {
  readonly dates: FileDates;
  readonly #file: string;
  readonly #at = new Map<Column, FoundColumn>();

  constructor(
    file: string,
    header: CsvRow,
    names: ColumnNames<Column>,
    private readonly context: ReadContext,
  ) {
    this.#file = file;
    this.dates = new FileDates(context.dateFormat);
    const cells = header.cells.map((cell) => cell.trim().toLowerCase());
    for (const column of Object.keys(names) as Column[]) {
      const name = names[column].map((spelling) => spelling.toLowerCase()).find((spelling) => cells.includes(spelling));
      if (name === undefined) continue;
      const index = cells.indexOf(name);
      const title = header.cells[index]?.trim() ?? name;
      if (cells.lastIndexOf(name) !== index)
        throw new SourceLocation(file, header.line, title).fault('duplicate column');
      this.#at.set(column, { index, name: title, field: fieldOf(title) });
    }
    this.#report(header, names);
  }

  readonly provides = (column: string): boolean => this.#at.has(column as Column);

  nameOf(column: Column): string {
    return this.#at.get(column)?.name ?? column;
  }

  row(row: CsvRow): CsvCells<Column> {
    return new CsvCells(row, this.#at, new SourceLocation(this.#file, row.line), this.context.problems, this.dates);
  }

  /** Reports missing columns in the spelling of the rest of the header. */
  #report(header: CsvRow, names: ColumnNames<Column>): void {
    const found = [...this.#at].map(([column, { name }]) => spellingOf(names[column], name));
    const isNewer = found.filter((spelling) => spelling > 0).length > found.filter((spelling) => spelling < 0).length;
    const missing = (Object.keys(names) as Column[])
      .filter((column) => !this.provides(column))
      .map((column) => names[column][isNewer ? 1 : 0] ?? names[column][0] ?? column);
    const read = new Set([...this.#at.values()].map(({ index }) => index));
    const unread = header.cells.map((cell) => cell.trim()).filter((cell, index) => cell !== '' && !read.has(index));
    const foundColumns = [...this.#at].map(([column, { index, name }]) => ({ column, index, name }));
    this.context.noteColumns(missing, unread, foundColumns);
  }
}

/** -1 for the first of several spellings, 1 for another, 0 where there is only one. */
function spellingOf(spellings: readonly string[], name: string): -1 | 0 | 1 {
  if (spellings.length === 1) return 0;
  return spellings[0]?.toLowerCase() === name.toLowerCase() ? -1 : 1;
}

/** The rows of a table that are not blank. `open` receives its header. */
export async function* readRows<Column extends string>(
  source: SourceFile,
  open: (header: CsvRow) => CsvColumns<Column>,
  numbers?: NumberStyle,
  unescape?: (cell: string) => string,
): AsyncGenerator<CsvCells<Column>, void, void> {
  let columns: CsvColumns<Column> | undefined;
  for await (const row of readCsvRows(source, numbers)) {
    if (columns === undefined) columns = open(row);
    else yield columns.row(unescape ? { ...row, cells: row.cells.map(unescape) } : row);
  }
}

/**
 * One row, read by column. A blank cell and a missing column are null. So is an invalid cell, which is also reported as
 * a problem.
 */
export class CsvCells<Column extends string> implements Values<Column> {
  constructor(
    readonly row: CsvRow,
    private readonly columns: ReadonlyMap<Column, FoundColumn>,
    readonly location: SourceLocation,
    private readonly problems: Problems,
    readonly dates: FileDates,
  ) {}

  /** The length of the row's text: a value parsed from a cell may keep the whole cell in memory. */
  get size(): number {
    return this.row.cells.reduce((sum, cell) => sum + cell.length, 0);
  }

  provides(column: string): boolean {
    return this.columns.has(column as Column);
  }

  /** The unchanged cell. */
  raw(column: Column): string {
    return this.row.cells[this.columns.get(column)?.index ?? -1] ?? '';
  }

  /** The unchanged cell; null where it is blank. */
  text(column: Column): string | null {
    const cell = this.raw(column);
    return isBlank(cell) ? null : cell;
  }

  /** The cell without surrounding whitespace. */
  trimmed(column: Column): string | null {
    return this.text(column)?.trim() ?? null;
  }

  /** The cell's word, parsed; null, and a problem, where it is invalid. */
  parsed<Value>(column: Column, parse: Parse<Value>): Value | null {
    const word = this.trimmed(column);
    return word === null ? null : this.problems.readOr(() => parse(word, this.at(column)), null);
  }

  /** A value made from several cells; null, and a problem, where they are invalid. */
  check<Value>(make: () => Value): Value | null {
    return this.problems.readOr(make, null);
  }

  /** Reports anything else that is wrong with the row. */
  report(problem: ImportError): void {
    this.problems.add(problem);
  }

  /** @param expected for the message when it is blank */
  requiredText(column: Column, expected = 'text'): string {
    const text = this.text(column);
    if (text === null) this.report(this.at(column).refuse('', expected));
    return text ?? '';
  }

  id(column: Column): string {
    return this.indexedText(column) ?? '';
  }

  indexedText(column: Column): string | null {
    return this.parsed(column, checkIndexedText);
  }

  /**
   * The word that identifies an object of several rows; null where it is blank or invalid, and reported. A row without
   * it may belong to the object before or after it, which would lose it, so no object may be left out instead.
   */
  identity(column: Column, expected: string): string | null {
    if (this.text(column) !== null) return this.indexedText(column);
    this.problems.addFatal(this.at(column).refuse('', expected));
    return null;
  }

  tags(column: Column): readonly string[] {
    return this.parsed(column, toTags) ?? [];
  }

  decimal(column: Column, numbers = this.row.numbers): string | null {
    return this.parsed(column, (word, location) => parseDecimal(numbers.toPlain(word, location), location));
  }

  wholeNumber(column: Column, bounds: Bounds): string | null {
    return this.parsed(column, (word, location) =>
      parseWholeNumber(this.row.numbers.toPlain(word, location), bounds, location),
    );
  }

  timestamp(column: Column): string | null {
    return this.parsed(column, (word, location) => this.dates.parse(word, location));
  }

  /** Notes a date that is parsed later, when other rows have shown the format of local dates. */
  noteDate(column: Column): void {
    this.dates.note(this.trimmed(column), this.at(column));
  }

  /** The place of a cell, for an error about it. */
  at(column: Column): SourceLocation {
    return this.location.at(this.columns.get(column)?.field ?? fieldOf(column));
  }

  nameOf(column: Column): string {
    return this.columns.get(column)?.name ?? column;
  }
}
