import { Place } from '../import-error';
import { parseDecimal } from '../values/decimal';
import { checkIndexedText, isBlank } from '../values/text';
import { parseTimestamp } from '../values/timestamp';
import { parseWholeNumber } from '../values/whole-number';
import type { CsvRow } from '../source/table-row';

/** What each value is called in a file: several spellings, in the order in which they are looked for, in lower case. */
export type ColumnNames<Column extends string> = Readonly<Record<Column, readonly string[]>>;

/** The header of one CSV file: where each value stands. */
export class CsvColumns<Column extends string> {
  readonly #file: string;
  readonly #at = new Map<Column, { readonly index: number; readonly name: string }>();

  constructor(file: string, header: CsvRow, names: ColumnNames<Column>) {
    this.#file = file;
    const cells = header.cells.map((cell) => cell.trim().toLowerCase());
    for (const column of Object.keys(names) as Column[]) {
      const name = names[column].find((candidate) => cells.includes(candidate));
      if (name === undefined) continue;
      const index = cells.indexOf(name);
      const title = header.cells[index]?.trim() ?? name;
      if (cells.lastIndexOf(name) !== index)
        throw new Place(file, header.line, title).fault('this column stands twice');
      this.#at.set(column, { index, name: title });
    }
  }

  has(column: Column): boolean {
    return this.#at.has(column);
  }

  row(row: CsvRow): CsvCells<Column> {
    return new CsvCells(row, this.#at, new Place(this.#file, row.line));
  }
}

/** One row, read by column. A blank cell and a column that the file does not have are null. */
export class CsvCells<Column extends string> {
  constructor(
    readonly row: CsvRow,
    private readonly columns: ReadonlyMap<Column, { readonly index: number; readonly name: string }>,
    private readonly place: Place,
  ) {}

  /** The cell as it is. */
  text(column: Column): string | null {
    const found = this.columns.get(column);
    const cell = found === undefined ? undefined : this.row.cells[found.index];
    return cell === undefined || isBlank(cell) ? null : cell;
  }

  /** The cell without space around it. */
  word(column: Column): string | null {
    return this.text(column)?.trim() ?? null;
  }

  indexedText(column: Column): string | null {
    const text = this.word(column);
    return text === null ? null : checkIndexedText(text, this.at(column));
  }

  decimal(column: Column): string | null {
    const text = this.word(column);
    if (text === null) return null;
    const place = this.at(column);
    return parseDecimal(this.row.numbers.toPlain(text, place), place);
  }

  wholeNumber(column: Column, bounds: { min: number; max: number }): string | null {
    const text = this.word(column);
    if (text === null) return null;
    const place = this.at(column);
    return parseWholeNumber(this.row.numbers.toPlain(text, place), bounds, place);
  }

  timestamp(column: Column): string | null {
    const text = this.word(column);
    return text === null ? null : parseTimestamp(text, this.at(column));
  }

  /** Where a cell is, for an error about it. */
  at(column: Column): Place {
    return this.place.at(`column ${JSON.stringify(this.columns.get(column)?.name ?? column)}`);
  }
}
