import { ImportError, SourceLocation } from '../values/import-error';
import type { NumberStyle } from '../values/number-style';
import { isBlank } from '../values/text';
import { CsvParser } from './csv-parser';
import { maximumColumns, RowFitter } from './fit-row';
import { readObjects } from './object-rows';
import type { SourceFile } from './source-file';
import type { CsvRow, RawRow } from './table-row';
import type { Sheet } from './workbook/sheet';

/**
 * The rows of a table from any kind of file, header first. Blank rows and copies of the header are left out, and no row
 * has more cells than the header.
 */
export async function* readCsvRows(
  source: SourceFile,
  numbers: NumberStyle = source.numbersOf(),
): AsyncGenerator<CsvRow, void, void> {
  const fitter = new RowFitter(source);
  let header: readonly string[] | undefined;
  for await (const row of rowsOf(source)) {
    if (row.cells.every(isBlank)) continue;
    if (header?.every((name, at) => row.cells[at]?.trim() === name.trim())) {
      source.note('header', row.line);
      continue;
    }
    if (header) source.items += 1;
    header ??= row.cells;
    yield fitter.fit({ ...row, numbers });
    if (source.endsAfterHeader) return;
  }
}

function rowsOf(source: SourceFile): AsyncGenerator<RawRow, void, void> {
  if (source.sheet) return readSheet(source, source.sheet);
  return source.objectColumns ? readObjects(source, source.objectColumns) : readText(source);
}

async function* readSheet(source: SourceFile, sheet: Sheet): AsyncGenerator<RawRow, void, void> {
  for await (const row of sheet.rows()) {
    source.lines = row.line;
    yield row;
  }
}

async function* readText(source: SourceFile): AsyncGenerator<RawRow, void, void> {
  const parser = new CsvParser(
    source.delimiter ?? ',',
    source.firstLine,
    (line) => new SourceLocation(source.name, line),
  );
  const rowsIn = function* (bytes: Buffer, isLast?: boolean): Generator<RawRow, void, void> {
    for (const row of parser.push(bytes, isLast)) {
      source.lines = parser.lines;
      yield row;
    }
    source.lines = parser.lines;
  };
  for await (const { bytes } of source.blocks()) yield* rowsIn(bytes);
  yield* rowsIn(Buffer.alloc(0), true);
}

/**
 * The first rows of a text that may be the beginning of a CSV file, and the error after them, if any. The text may end
 * anywhere, even within a row.
 */
export function parseFirstRows(
  { name, firstLine }: Pick<SourceFile, 'name' | 'firstLine'>,
  text: string,
  delimiter: string,
  count: number,
): { readonly rows: readonly (readonly string[])[]; readonly error?: ImportError } {
  const rows: string[][] = [];
  const parser = new CsvParser(delimiter, firstLine, (line) => new SourceLocation(name, line));
  try {
    for (const { cells } of parser.push(Buffer.from(text), true)) {
      // A wider header is rejected when the file is read.
      rows.push(cells.slice(0, maximumColumns));
      if (rows.length === count) return { rows };
    }
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    return { rows, error };
  }
  return { rows };
}
