import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { ImportError } from '../values/import-error';

/** No real catalog compresses better than this. */
const maxExpansion = 200;

/** Small files may expand by any factor. */
const freeBytes = 16 * 1024 * 1024;

/**
 * Passes on the output of a decompressor, and throws for a decompression bomb.
 * @param compressed the number of compressed bytes read so far, at most
 * @param what what expands, for the error
 */
export async function* checkExpansion(
  chunks: AsyncIterable<Buffer>,
  compressed: () => number,
  what: string,
): AsyncGenerator<Buffer, void, void> {
  let total = 0;
  for await (const chunk of chunks) {
    total += chunk.length;
    if (total > freeBytes && total > maxExpansion * compressed()) {
      throw new ImportError(
        `${what} expands to more than ${maxExpansion} times its size, which is unlikely for a catalog; if it is one, decompress the file first (or, for a workbook, save it as CSV)`,
      );
    }
    yield chunk;
  }
}

/** The content of a gzip file, in chunks. */
export async function* gunzip(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer, void, void> {
  const gunzip = createGunzip();
  const feeding = pipeline(Readable.from(chunks, { objectMode: false, highWaterMark: 1 }), gunzip);
  // The reader of the stream gets the error, too.
  feeding.catch(() => undefined);
  try {
    // Not the bytes read from the file, which are several hundred kilobytes ahead.
    yield* checkExpansion(gunzip as AsyncIterable<Buffer>, () => gunzip.bytesWritten, `${name}: the gzip file`);
    await feeding;
  } catch (error) {
    throw error instanceof ImportError ? error : damaged(name, 'gzip file', error);
  } finally {
    gunzip.destroy();
    await feeding.catch(() => undefined);
  }
}

/** Omits the library's message, which may quote names from inside the file. */
export const damaged = (name: string, what: string, cause: unknown): ImportError =>
  new ImportError(`${name}: the ${what} is truncated or corrupt; export or download it again`, { cause });
