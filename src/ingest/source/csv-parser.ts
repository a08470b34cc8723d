import type { SourceLocation } from '../values/import-error';
import { maxRowBytes, type RawRow, tooLong } from './table-row';

/** Where the parser is: before a cell, in one, in a quoted one, or after a closing quote. */
type State = 'start' | 'plain' | 'quoted' | 'closed';

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const quote = 0x22;

/**
 * Parses CSV (RFC 4180) block by block. Rows end with a line feed, a carriage return or both. Blank rows are skipped.
 * Rows may have any number of cells.
 */
export class CsvParser {
  /** The line that is being read. */
  #line: number;
  /** Where the row that is being read starts. */
  #rowLine: number;
  /** The bytes of that row in earlier blocks. */
  #rowBytes = 0;
  #cells: string[] = [];
  #state: State = 'start';
  /** The beginning of the cell that is being read, from earlier blocks. */
  readonly #parts: Buffer[] = [];
  #hasEscapes = false;
  readonly #delimiter: number;

  /**
   * @param delimiter one character of ASCII
   * @param firstLine the line where the text starts
   * @param at the location of a row, for errors
   */
  constructor(
    delimiter: string,
    firstLine: number,
    private readonly at: (line: number) => SourceLocation,
  ) {
    this.#delimiter = delimiter.charCodeAt(0);
    this.#line = firstLine;
    this.#rowLine = firstLine;
  }

  /** The number of lines read so far. */
  get lines(): number {
    return this.#line - 1;
  }

  /**
   * @param bytes UTF-8 that ends after a line or a comma
   * @throws ImportError for quotes in the wrong place, and for a row that is too long
   */
  *push(bytes: Buffer): Generator<RawRow, void, void> {
    let [state, rowStart, cellStart] = [this.#state, 0, 0];
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (state === 'quoted') {
        if (byte === quote && bytes[at + 1] === quote) {
          this.#hasEscapes = true;
          at += 1;
        } else if (byte === quote) {
          this.#parts.push(bytes.subarray(cellStart, at));
          state = 'closed';
        } else if (byte === lineFeed || (byte === carriageReturn && bytes[at + 1] !== lineFeed)) this.#line += 1;
      } else if (byte === this.#delimiter || byte === lineFeed || byte === carriageReturn) {
        const isRowEnd = byte !== this.#delimiter;
        if (!isRowEnd || state !== 'start' || this.#cells.length > 0) {
          this.#takeCell(bytes, state === 'plain' ? cellStart : at, at);
          this.#checkSize(at - rowStart);
        }
        state = 'start';
        if (!isRowEnd) continue;
        if (byte === carriageReturn && bytes[at + 1] === lineFeed) at += 1;
        this.#line += 1;
        const row = this.#takeRow();
        rowStart = at + 1;
        if (row) yield row;
      } else if (byte === quote) {
        if (state === 'closed') throw this.#fault(continued);
        if (state === 'plain') throw this.#fault(quoteInside);
        [state, cellStart] = ['quoted', at + 1];
      } else if (state === 'start') {
        [state, cellStart] = ['plain', at];
      } else if (state === 'closed') throw this.#fault(continued);
    }
    if (state === 'plain' || state === 'quoted') this.#parts.push(bytes.subarray(cellStart));
    this.#state = state;
    this.#checkSize(bytes.length - rowStart);
    this.#rowBytes += bytes.length - rowStart;
  }

  /**
   * The last row, if it has no line end.
   * @throws ImportError for a quote that is never closed
   */
  finish(): RawRow | undefined {
    if (this.#state === 'quoted') throw this.#fault('unclosed quote in the row that starts on this line');
    if (this.#state === 'start' && this.#cells.length === 0) return undefined;
    this.#takeCell(Buffer.alloc(0), 0, 0);
    this.#line += 1;
    return this.#takeRow();
  }

  #takeCell(bytes: Buffer, start: number, end: number): void {
    if (this.#parts.length === 0) {
      this.#cells.push(start === end ? '' : bytes.toString('utf8', start, end));
      return;
    }
    if (start < end) this.#parts.push(bytes.subarray(start, end));
    const text = (this.#parts.length === 1 ? this.#parts[0] : Buffer.concat(this.#parts))?.toString('utf8') ?? '';
    this.#cells.push(this.#hasEscapes ? text.replaceAll('""', '"') : text);
    this.#parts.length = 0;
    this.#hasEscapes = false;
  }

  #takeRow(): RawRow | undefined {
    const [cells, line] = [this.#cells, this.#rowLine];
    this.#rowLine = this.#line;
    this.#rowBytes = 0;
    if (cells.length === 0) return undefined;
    this.#cells = [];
    return cells.length === 1 && cells[0]?.trim() === '' ? undefined : { line, cells };
  }

  #checkSize(bytesHere: number): void {
    if (this.#rowBytes + bytesHere > maxRowBytes) throw tooLong(this.at(this.#rowLine));
  }

  /** Without the cell, which may contain an e-mail address (D25). */
  #fault(problem: string): Error {
    return this.at(this.#rowLine).fault(problem);
  }
}

const continued = 'unexpected text after a closing quote in the row that starts on this line (escape quotes as "")';
const quoteInside =
  'a cell in the row that starts here contains a quote but does not start with one (quote the whole cell)';
