import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { detectFormat } from '../../src/ingest/detect-format';
import { readCsvRows } from '../../src/ingest/source/csv-rows';
import type { ReadingOptions } from '../../src/ingest/source/reading-options';
import { type ReadAs, SourceFile } from '../../src/ingest/source/source-file';

interface Table extends ReadAs {
  readonly rows: readonly (readonly string[])[];
}

/** Reads the rows of files as an import does. Call it once per test file. */
export function createTableReader() {
  const directory = mkdtempSync(join(tmpdir(), 'read-table-'));
  afterAll(() => {
    rmSync(directory, { recursive: true, force: true });
  });

  /** The cells of a file, header first, and how it was read. */
  async function read(bytes: Buffer | string, options: ReadingOptions = {}, asPipe = false): Promise<Table> {
    const content = Buffer.from(bytes);
    const path = join(directory, 'table');
    await writeFile(path, content);
    const source = await SourceFile.open(asPipe ? '-' : path, { ...options, standardInput: () => inPieces(content) });
    try {
      detectFormat(source, 'auto');
      const rows: (readonly string[])[] = [];
      for await (const { cells } of readCsvRows(source)) {
        // A missing cell is blank.
        rows.push([...cells, ...Array<string>((rows[0] ?? cells).length - cells.length).fill('')]);
      }
      if (source.bytesRead !== content.length) throw new Error(`read ${source.bytesRead} of ${content.length} bytes`);
      return { rows, ...source.readAs };
    } finally {
      await source.close();
    }
  }

  /** The error message, without the file's directory. */
  async function refusal(bytes: Buffer | string, options: ReadingOptions = {}): Promise<string> {
    try {
      await read(bytes, options);
    } catch (error) {
      if (error instanceof Error && error.name === 'ImportError') return error.message.replaceAll(`${directory}/`, '');
      throw error;
    }
    throw new Error('expected the file to be rejected');
  }

  return { read, refusal };
}

/** Chunks of seven bytes, which may end anywhere. */
function inPieces(bytes: Buffer): Readable {
  function* pieces() {
    for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
  }
  return Readable.from(pieces(), { objectMode: false });
}
