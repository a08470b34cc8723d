import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { Place } from '../import-error';
import { RowFitter } from './fit-row';
import type { SourceFile } from './source-file';
import { type CsvRow, maxRowBytes, tooLong } from './table-row';
import type { Sheet } from './workbook/sheet';

/** A long line arrives whole; the parser gets it in pieces. */
const pieceSize = 64 * 1024;

/** In sequence. The parser takes some two microseconds for each, which is a byte, and compressed a thousandth of one. */
const maxBlankLines = 100_000;

const csvOptions = {
  record_delimiter: ['\r\n', '\n', '\r'],
  relax_column_count: true,
  // The length in cells; commas are not counted there.
  max_record_size: maxRowBytes,
  // Rows that the parser produces ahead of their consumer.
  readableHighWaterMark: 1,
};

/** The rows of a table from any kind of file, header first. Blank rows are left out, and no row has more cells than the header. */
export const readCsvRows = (source: SourceFile): AsyncGenerator<CsvRow, void, void> =>
  source.sheet ? readSheet(source, source.sheet) : readText(source);

async function* readSheet(source: SourceFile, sheet: Sheet): AsyncGenerator<CsvRow, void, void> {
  const { numbers } = source;
  const fitter = new RowFitter(source);
  for await (const { line, cells } of sheet.rows()) {
    source.lines = line;
    yield fitter.fit({ line, cells, numbers });
  }
}

/** The rows of CSV (RFC 4180), with the delimiter of the file. */
async function* readText(source: SourceFile): AsyncGenerator<CsvRow, void, void> {
  const { numbers } = source;
  const fitter = new RowFitter(source);
  let line = source.firstLine;
  // Counted while parsing, which runs ahead of the consumer, so that an error reports the row that is being parsed. Counted here, because
  // the parser takes a quoted CRLF for two lines.
  const starts: number[] = [];
  let blankLines = 0;
  let blankStart = 0;
  const noteRow = (cells: string[]): string[] | null => {
    const start = line;
    bytesBefore = bytesFed;
    line += 1 + countLineEnds(cells);
    // Not passed on: a blank line is a byte, and passing on a row takes microseconds.
    if (cells.length === 1 && cells[0]?.trim() === '') {
      if (blankLines === 0) blankStart = start;
      blankLines += 1;
      if (blankLines > maxBlankLines)
        throw new Place(source.name, blankStart).fault(
          `expected at most ${maxBlankLines} blank lines in sequence, got more; delete them`,
        );
      return null;
    }
    blankLines = 0;
    starts.push(start);
    return cells;
  };
  /** The characters given to the parser: in total, and up to the end of the last row. */
  let bytesFed = 0;
  let bytesBefore = 0;
  async function* pieces(): AsyncGenerator<Buffer, void, void> {
    for await (const { bytes } of source.blocks()) {
      for (let at = 0; at < bytes.length; at += pieceSize) {
        if (bytesFed - bytesBefore > maxRowBytes) throw tooLong(new Place(source.name, line));
        const piece = bytes.subarray(at, at + pieceSize);
        bytesFed += piece.length;
        yield piece;
      }
    }
  }
  const input = Readable.from(pieces(), { objectMode: false });
  const parser = parse({ ...csvOptions, delimiter: source.delimiter ?? ',', on_record: noteRow });
  // Readable.pipe() does not forward errors.
  input.on('error', (error) => parser.destroy(error));
  input.pipe(parser);
  try {
    for await (const cells of parser as AsyncIterable<string[]>) {
      const row = { line: starts.shift() ?? line, cells, numbers };
      source.lines = row.line + countLineEnds(row.cells);
      yield fitter.fit(row);
    }
    source.lines = line - 1;
  } catch (error) {
    throw error instanceof CsvError ? toImportError(error, new Place(source.name, line)) : error;
  } finally {
    input.destroy();
    parser.destroy();
  }
}

/** The first rows of a text that may be the beginning of a CSV file. It may end anywhere, even within a row. */
export async function parseFirstRows(text: string, delimiter: string, count: number): Promise<string[][]> {
  const rows: string[][] = [];
  const note = (cells: string[]): string[] => {
    rows.push(cells);
    return cells;
  };
  const parser = parse({ ...csvOptions, delimiter, to: count, on_record: note });
  parser.end(text);
  try {
    for await (const cells of parser) void cells;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
  }
  return rows;
}

function countLineEnds(cells: readonly string[]): number {
  let count = 0;
  for (const cell of cells) {
    if (!cell.includes('\n') && !cell.includes('\r')) continue;
    for (let at = 0; at < cell.length; at += 1) {
      const unit = cell.charCodeAt(at);
      // A carriage return and a line feed are one line end.
      if (unit === lineFeed || (unit === carriageReturn && cell.charCodeAt(at + 1) !== lineFeed)) count += 1;
    }
  }
  return count;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** The parser's own messages quote cells, which may contain an e-mail address (D25). */
function toImportError(error: CsvError, place: Place): Error {
  switch (error.code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return place.fault('a quoted cell of the row that starts here is never closed');
    case 'CSV_INVALID_CLOSING_QUOTE':
      return place.fault(
        'a quoted cell of the row that starts here continues after its closing quote (write "" for a quote)',
      );
    case 'INVALID_OPENING_QUOTE':
      return place.fault(
        'a cell of the row that starts here holds a quote but does not start with one (quote the whole cell)',
      );
    case 'CSV_MAX_RECORD_SIZE':
      return tooLong(place);
    default:
      return place.fault('is not valid CSV');
  }
}
