import { parse } from 'csv-parse/sync';
import { SourceLocation } from '../../src/ingest/values/import-error';
import { CsvParser } from '../../src/ingest/source/csv-parser';
import { fc } from '../support/properties';

/** The rows of a text that arrives in chunks, each with its line; or the problem. */
function read(
  blocks: readonly string[],
  delimiter: string,
): { rows: [line: number, cells: readonly string[]][]; problem: string | undefined } {
  const parser = new CsvParser(delimiter, 1, (line) => new SourceLocation('file', line));
  const rows: [line: number, cells: readonly string[]][] = [];
  try {
    for (const [index, block] of blocks.entries())
      for (const { line, cells } of parser.push(Buffer.from(block), index === blocks.length - 1))
        rows.push([line, cells]);
    return { rows, problem: undefined };
  } catch (error) {
    return { rows, problem: (error as Error).message };
  }
}

/** The same from a second parser, which does not count line breaks within a cell as imports do. */
function expected(text: string, delimiter: string): unknown[] | undefined {
  try {
    const rows: string[][] = parse(text, {
      delimiter,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
    });
    return rows.filter(isFilled);
  } catch {
    return undefined;
  }
}

const isFilled = (cells: readonly string[]): boolean => cells.join('').trim() !== '';

const signs = fc.constantFrom('a', 'é', '😀', ' ', '"', '""', ',', ';', '\n', '\r', '\r\n', '"\n', ',"', '",', ',\n');
const texts = fc.array(signs, { maxLength: 24 }).map((parts) => parts.join(''));

describe('CSV', () => {
  it('has the rows that another parser finds, in blocks of lines or parts of them as in one', () => {
    fc.assert(
      fc.property(texts, fc.constantFrom(',', ';', '\t'), (text, delimiter) => {
        const found = read([text], delimiter);
        expect(read(text.split(/(?<=\n)/), delimiter)).toEqual(found);
        expect(read(text.split(/(?<=[\n,])/), delimiter)).toEqual(found);
        const wanted = expected(text, delimiter);
        expect(found.problem === undefined).toBe(wanted !== undefined);
        if (wanted) expect(found.rows.map(([, cells]) => cells)).toEqual(wanted);
      }),
      { numRuns: 2_000 },
    );
  });

  it('returns the cells and lines of any table that is written with quotes', () => {
    const cell = fc.string({ unit: fc.constantFrom('x', '"', ',', '\n', 'ü'), maxLength: 5 });
    fc.assert(
      fc.property(fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 5 }), (rows) => {
        const text = rows
          .map((cells) => cells.map((one) => `"${one.replaceAll('"', '""')}"`).join(',') + '\n')
          .join('');
        let line = 1;
        const wanted = rows.map((cells) => {
          const start = line;
          line += 1 + cells.join('').split('\n').length - 1;
          return [start, cells] as const;
        });
        const filled = wanted.filter(([, cells]) => isFilled(cells));
        expect(read([text], ',')).toEqual({ rows: filled, problem: undefined });
      }),
    );
  });
});
