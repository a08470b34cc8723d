import { ImportError, SourceLocation } from '../../values/import-error';
import { checkText, isBlank } from '../../values/text';
import type { DecimalSign } from '../../values/number-style';
import { maxRowBytes, type RawRow, tooLong } from '../table-row';
import { quotedName } from '../../values/display-names';
import type { FileNotes } from '../file-notes';
import type { NumberFormat } from './number-formats';
import { numberText } from './number-text';
import { type Attributes, readXml, unescapeText } from './read-xml';
import { maxSharedBytes, type SharedStrings } from './shared-strings';

/** Columns A to XFD. */
const maxColumns = 16_384;

/**
 * Blank cells that a sheet omits are filled in up to the row's last cell. Beyond the first 16 million, at most this
 * many per stored cell: otherwise a cell in the last column would cost 16,384.
 */
const maxBlankCells = 200;
const freeBlankCells = 16 * 1024 * 1024;

/**
 * Cells reference shared strings by number, so a row of 40 bytes may expand to a megabyte. Limits all cells together to
 * this many bytes per cell plus maxSharedBytes.
 */
const maxBytesByReference = 4096;

/** The parts of the workbook that the cells of a sheet need. */
export interface WorkbookParts {
  readonly file: string;
  readonly strings: SharedStrings;
  /** By a cell's style. */
  readonly formats: readonly NumberFormat[];
  readonly isFrom1904: boolean;
  readonly decimal: DecimalSign | undefined;
  readonly notes: FileNotes;
}

/**
 * A cell before it is converted to text: a row may reference one long text a thousand times, and many rows are found at
 * once.
 */
interface Cell {
  readonly column: number;
  readonly type: string;
  readonly style: number;
  value: string | undefined;
  isFormula: boolean;
}

interface FoundRow {
  readonly line: number;
  /** Whether a filter or a person hides it. */
  readonly isHidden: boolean;
  readonly cells: readonly Cell[];
}

/** Enough rows to show where the header is, and what a column holds. */
const sampleRows = 20;

/** The non-blank rows of one sheet; the first is the header. */
export class Sheet {
  /** The rows read before the caller requests them. */
  readonly #ahead: RawRow[] = [];
  readonly #rows: AsyncGenerator<RawRow, void, void>;
  #heldCells = 0;
  #madeCells = 0;
  #bytesByReference = 0;

  private constructor(
    readonly name: string,
    chunks: AsyncIterable<Buffer>,
    private readonly parts: WorkbookParts,
  ) {
    this.#rows = this.#read(chunks);
  }

  /** @returns undefined for a sheet without a filled cell */
  static async open(name: string, chunks: AsyncIterable<Buffer>, parts: WorkbookParts): Promise<Sheet | undefined> {
    const sheet = new Sheet(name, chunks, parts);
    await sheet.read(1);
    return sheet.#ahead.length === 0 ? undefined : sheet;
  }

  /** Reads rows before rows() returns them. */
  async read(count = sampleRows): Promise<void> {
    while (this.#ahead.length < count) {
      const next = await this.#rows.next();
      if (next.done === true) break;
      this.#ahead.push(next.value);
    }
  }

  /** The rows read before rows() returns them. */
  get sample(): readonly (readonly string[])[] {
    return this.#ahead.map(({ cells }) => cells);
  }

  /** All rows; can be iterated once. */
  async *rows(): AsyncGenerator<RawRow, void, void> {
    for (let row = this.#ahead.shift(); row; row = this.#ahead.shift()) yield row;
    yield* this.#rows;
  }

  async close(): Promise<void> {
    await this.#rows.return();
  }

  async *#read(chunks: AsyncIterable<Buffer>): AsyncGenerator<RawRow, void, void> {
    const { file } = this.parts;
    const found: FoundRow[] = [];
    const finder = new RowFinder(file, (row) => found.push(row));
    const part = (): string =>
      `the sheet ${quotedName(this.name)}, ${finder.line === 0 ? 'before its first row' : `in or after row ${finder.line}`}`;
    for await (const _ of readXml(chunks, finder, { file, part })) {
      for (const row of found) {
        const cells = this.#toTexts(row);
        if (cells.every(isBlank)) continue;
        if (row.isHidden) this.parts.notes.add('hidden', row.line);
        yield { line: row.line, cells };
      }
      found.length = 0;
    }
  }

  #toTexts({ line, cells }: FoundRow): string[] {
    const texts: string[] = [];
    let bytes = 0;
    this.#heldCells += cells.length;
    this.#madeCells += cells.at(-1)?.column ?? 0;
    if (this.#madeCells > freeBlankCells && this.#madeCells > maxBlankCells * this.#heldCells) {
      throw new SourceLocation(this.parts.file, line).fault(
        `up to this row there are more than ${maxBlankCells} blank cells per filled cell; delete unused columns on the right`,
      );
    }
    for (const cell of cells) {
      bytes += this.#sizeOf(cell, line);
      if (bytes > maxRowBytes) throw tooLong(new SourceLocation(this.parts.file, line));
      while (texts.length < cell.column) texts.push('');
      texts[cell.column] = this.#toText(cell, line);
    }
    // Drops trailing cells that are only formatted.
    while (texts.length > 0 && texts.at(-1) === '') texts.pop();
    return texts;
  }

  #sizeOf({ type, value = '', column }: Cell, line: number): number {
    if (type !== 's' || value === '') return value.length;
    const size = /^\d{1,9}$/.test(value) ? this.parts.strings.sizeOf(Number(value)) : undefined;
    if (size === undefined)
      throw this.#location(line, column).fault('the workbook is damaged: the cell refers to a missing shared string');
    this.#bytesByReference += size;
    if (this.#bytesByReference > maxSharedBytes + maxBytesByReference * this.#heldCells) {
      throw new SourceLocation(this.parts.file, line).fault(
        `too much repeated text: cells up to this row may expand to ${maxSharedBytes} bytes plus ${maxBytesByReference} bytes per cell; save the sheet as CSV and import that`,
      );
    }
    return size;
  }

  #toText({ type, style, value, isFormula, column }: Cell, line: number): string {
    const { notes, strings, formats, isFrom1904, decimal } = this.parts;
    // Some libraries write an empty result; a spreadsheet writes it as text.
    if (isFormula && (value === undefined || (value === '' && type !== 'str'))) {
      throw this.#location(line, column).fault(
        'the formula has no stored result; open the workbook in a spreadsheet program, save it and import it again',
      );
    }
    if (value === undefined || value === '') return '';
    switch (type) {
      case 's':
        return strings.at(Number(value));
      case 'inlineStr':
      case 'str':
        return checkText(unescapeText(value), this.#location(line, column));
      case 'b':
        return value === '1' || value === 'true' ? 'TRUE' : 'FALSE';
      case 'e':
      case 'd':
        return value;
    }
    const format = formats[style] ?? { kind: 'number' };
    const text = numberText(value, format, isFrom1904);
    if (text === undefined) throw this.#location(line, column).refuse(value, 'a number');
    // The text of a code may have points and hyphens.
    if (format.kind === 'zeros' && format.prefix !== '' && text.startsWith(format.prefix)) return text;
    if (/\d[-:]\d/.test(text)) notes.add('date', line, columnName(column));
    return decimal === 'comma' ? text.replace('.', ',') : text;
  }

  #location(line: number, column: number): SourceLocation {
    return new SourceLocation(this.parts.file, line, `column ${columnName(column)}`);
  }
}

/** Finds rows in the XML of a sheet. */
class RowFinder {
  /** The current row; 0 before the first. */
  line = 0;
  #cells: Cell[] | undefined;
  #isHidden = false;
  #cell: Cell | undefined;
  #isInText = false;
  #phonetic = 0;
  #length = 0;

  constructor(
    private readonly file: string,
    private readonly onRow: (row: FoundRow) => void,
  ) {}

  open(name: string, attributes: Attributes): void {
    if (name === 'row') this.#openRow(attributes);
    else if (name === 'c') this.#openCell(attributes);
    else if (name === 'f' && this.#cell) this.#cell.isFormula = true;
    else if (name === 'rPh') this.#phonetic += 1;
    else if (this.#cell && (name === 'v' || (name === 't' && this.#phonetic === 0))) {
      this.#isInText = true;
      this.#cell.value ??= '';
    }
  }

  text(text: string): void {
    if (!this.#isInText || !this.#cell) return;
    this.#length += text.length;
    if (this.#length > maxRowBytes) throw tooLong(new SourceLocation(this.file, this.line));
    this.#cell.value += text;
  }

  close(name: string): void {
    if (name === 'v' || name === 't') this.#isInText = false;
    else if (name === 'rPh') this.#phonetic -= 1;
    else if (name === 'c') this.#cell = undefined;
    else if (name === 'row' && this.#cells) {
      if (this.#cells.length > 0) this.onRow({ line: this.line, isHidden: this.#isHidden, cells: this.#cells });
      this.#cells = undefined;
    }
  }

  #openRow({ r, hidden = '' }: Attributes): void {
    const line = r === undefined ? this.line + 1 : Number(r);
    if (!Number.isSafeInteger(line) || line <= this.line) throw damaged(this.file);
    this.line = line;
    this.#isHidden = /1|true/.test(hidden);
    this.#cells = [];
    this.#length = 0;
  }

  #openCell({ r, t = 'n', s = '0' }: Attributes): void {
    if (!this.#cells) return;
    const last = this.#cells.at(-1)?.column ?? -1;
    const column = r === undefined ? last + 1 : columnNumber(r);
    if (column === undefined || column <= last || column >= maxColumns) throw damaged(this.file);
    // Not the file's own string: thousands of long ones would be held.
    this.#cell = { column, type: types.get(t) ?? 'n', style: Number(s), value: undefined, isFormula: false };
    this.#cells.push(this.#cell);
  }
}

/** The types of cells that mean something; cells of any other type hold numbers. */
const types = new Map(['s', 'inlineStr', 'str', 'b', 'e', 'd'].map((type) => [type, type]));

const damaged = (file: string): Error =>
  new ImportError(`${file}: the workbook is damaged: a row or cell has an invalid position`);

/** `AB12` is in column 27. */
function columnNumber(reference: string): number | undefined {
  const letters = /^([A-Z]{1,3})\d{1,7}$/.exec(reference)?.[1];
  if (letters === undefined) return undefined;
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return column - 1;
}

/** The letters of a column: 27 is AB. */
function columnName(column: number): string {
  const rest = Math.floor(column / 26);
  return (rest === 0 ? '' : columnName(rest - 1)) + String.fromCharCode(65 + (column % 26));
}
