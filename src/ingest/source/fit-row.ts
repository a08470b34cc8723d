import { SourceLocation } from '../values/import-error';
import type { NoteKind } from './file-notes';
import type { CsvRow } from './table-row';

/** The file that the rows come from. */
interface RowSource {
  readonly name: string;
  readonly delimiterName: string;
  /** Whether it is a workbook. */
  readonly sheet: object | undefined;
  note(kind: NoteKind, line: number): void;
}

/** The limit of a worksheet. */
export const maximumColumns = 16_384;

/** Whether a cell is an error value, as spreadsheets of any language, data frames and databases write it. */
export const isErrorValue = (cell: string): boolean =>
  cell.length < 20 &&
  /^(?:#(?:[¡¿]?\p{Lu}{2,12}(?:\/0)?[!?]|(?:N\/[ABD]|Н\/Д|I\/T)!?|NV|YOK|HIÁNYZIK|#{3,})|nan|NaN|<NA>|NULL|null|undefined|\\N)$/u.test(
    cell,
  );

export const isTotal =
  /^\s*(?:(?:grand |sub)?total|totalt|totale|totaal|summe|summa|(?:gesamt|teil)?ergebnis|insgesamt|gesamt(?:summe)?|somme|suma|soma|celkem|összesen|toplam|итого?)s?:?\s*$/i;

/** Whether two short rows are one row, split by an unquoted line break in a cell. */
function isRemainder({ cells }: CsvRow, short: CsvRow, columns: number): boolean {
  const [first = ''] = cells;
  const [id = ''] = short.cells;
  // Two rows that only lack trailing blank cells begin with similar IDs. The rest of a text rarely looks like one.
  const areIds = /\d/.test(id) && shapeOf(first) === shapeOf(id);
  const isRest = short.cells.length + cells.length - 1 === columns && !areIds;
  return (isRest || (cells.length === 1 && columns > 2) || /^\s*<[/a-z!]/i.test(first)) && first !== id;
}

/** The kinds of characters in a text, such as `A-0` for `TEA-19`. */
const shapeOf = (text: string): string => text.replace(/\p{L}+/gu, 'A').replace(/\d+/g, '0');

/** Checks that the rows of one file have as many columns as its header. */
export class RowFitter {
  #columns: number | undefined;
  #short: CsvRow | undefined;

  constructor(private readonly source: RowSource) {}

  /**
   * Removes blank cells after the last column. Notes error values, totals and short rows, whose missing cells are read
   * as blank.
   * @throws ImportError for too many columns, for a row with more cells than the header, and for a row split by a line
   * break
   */
  fit(row: CsvRow): CsvRow {
    const { length } = row.cells;
    if (this.#columns === undefined && length > maximumColumns)
      throw this.#location(row).fault(`expected at most ${maximumColumns} columns, got ${length}`);
    if (this.#columns !== undefined && isTotal.test(row.cells[0] ?? '')) this.source.note('total', row.line);
    const columns = (this.#columns ??= length);
    for (const cell of row.cells) if (isErrorValue(cell)) this.source.note('error', row.line);
    const short = this.#short;
    this.#short = undefined;
    if (length === columns) return row;
    if (length > columns) {
      if (row.cells.slice(columns).every((cell) => cell.trim() === '')) {
        this.source.note('extra', row.line);
        return { ...row, cells: row.cells.slice(0, columns) };
      }
      const advice = this.source.sheet
        ? 'give each column a name'
        : `a cell with a ${this.source.delimiterName} may be missing quotes`;
      throw this.#location(row).fault(`expected as many cells as the header (${columns}), got ${length} (${advice})`);
    }
    // Sheets do not store trailing blank cells.
    if (this.source.sheet) return row;
    if (short && isRemainder(row, short, columns)) {
      throw this.#location(short).fault(
        `expected as many cells as the header (${columns}), got ${short.cells.length}; the rest is on line ${row.line} (a cell with a line break may be missing quotes)`,
      );
    }
    this.#short = row;
    this.source.note('padded', row.line);
    return row;
  }

  #location(row: CsvRow): SourceLocation {
    return new SourceLocation(this.source.name, row.line);
  }
}
