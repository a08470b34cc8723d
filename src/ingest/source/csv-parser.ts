import type { SourceLocation } from '../values/import-error';
import { isBlank } from '../values/text';
import { maxRowBytes, type RawRow, tooLong } from './table-row';

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const quote = 0x22;
const equals = 0x3d;

/**
 * Parses CSV (RFC 4180) block by block. Rows end with a line feed, a carriage return or both. Blank rows are skipped.
 * Rows may have any number of cells.
 */
export class CsvParser {
  /** The line of the first row that is not read yet. */
  #line: number;
  /** The bytes from that row on. */
  #rest = Buffer.alloc(0);
  /** Where the next row starts in them. */
  #at = 0;
  /** An incomplete row is scanned again only when its bytes have doubled. */
  #enough = 0;
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
  }

  /** The number of lines read so far. */
  get lines(): number {
    return this.#line - 1;
  }

  /**
   * @param bytes UTF-8 that ends after a line or a comma
   * @param isLast whether the text ends here, with or without a line end
   * @throws ImportError for quotes in the wrong place, and for a row that is too long
   */
  *push(bytes: Buffer, isLast = false): Generator<RawRow, void, void> {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    if (this.#rest.length < this.#enough && !isLast) return;
    this.#at = 0;
    while (this.#at < this.#rest.length) {
      const line = this.#line;
      const cells = this.#readRow(this.#rest, isLast);
      if (!cells) break;
      if (!cells.every(isBlank)) yield { line, cells };
    }
    this.#rest = this.#rest.subarray(this.#at);
    this.#enough = 2 * this.#rest.length;
    this.#checkSize(this.#rest.length);
  }

  /** The cells of the next row; undefined if it may continue in the next block. */
  #readRow(bytes: Buffer, isLast: boolean): string[] | undefined {
    const cells: string[] = [];
    let [at, line] = [this.#at, this.#line];
    for (;;) {
      // Programs write `="007"` so that spreadsheets keep the zeros.
      if (bytes[at] === equals && bytes[at + 1] === quote) at += 1;
      const isQuoted = bytes[at] === quote;
      const start = isQuoted ? at + 1 : at;
      const end = isQuoted ? closingQuote(bytes, start) : this.#cellEnd(bytes, start);
      at = isQuoted ? end + 1 : end;
      if (at >= bytes.length && !isLast) return undefined;
      if (at > bytes.length) throw this.#fault('unclosed quote in the row that starts on this line');
      if (!this.#isEnd(bytes[at])) throw this.#fault(isQuoted ? continued : quoteInside);
      const text = bytes.toString('utf8', start, end);
      cells.push(isQuoted ? text.replaceAll('""', '"').replace(/^="([^"]*)"$/, '$1') : text);
      if (isQuoted) line += text.split(/\r\n?|\n/).length - 1;
      at += 1;
      if (bytes[at - 1] === this.#delimiter) continue;
      this.#checkSize(at - 1 - this.#at);
      this.#at = bytes[at - 1] === carriageReturn && bytes[at] === lineFeed ? at + 1 : at;
      this.#line = line + 1;
      return cells;
    }
  }

  /** The end of a cell without quotes, or its first quote. */
  #cellEnd(bytes: Buffer, start: number): number {
    let at = start;
    while (!this.#isEnd(bytes[at]) && bytes[at] !== quote) at += 1;
    return at;
  }

  #isEnd(byte: number | undefined): boolean {
    return byte === this.#delimiter || byte === lineFeed || byte === carriageReturn || byte === undefined;
  }

  #checkSize(bytes: number): void {
    if (bytes > maxRowBytes) throw tooLong(this.at(this.#line), ' (a quote may be missing)');
  }

  /** Without the cell, which may contain an e-mail address (D25). */
  #fault(problem: string): Error {
    return this.at(this.#line).fault(problem);
  }
}

/** The end of a quoted cell, in which two quotes are one; the end of the bytes if there is none. */
function closingQuote(bytes: Buffer, start: number): number {
  let at = start;
  while (at < bytes.length && (bytes[at] !== quote || bytes[at + 1] === quote)) at += bytes[at] === quote ? 2 : 1;
  return at;
}

const continued = 'unexpected text after a closing quote in the row that starts on this line (escape quotes as "")';
const quoteInside =
  'a cell in the row that starts here contains a quote but does not start with one (quote the whole cell, and write quotes in it as "")';
