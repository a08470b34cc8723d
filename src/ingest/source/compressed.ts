import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { ImportError } from '../values/import-error';

/** No catalog compresses better than this: such a file was made to exhaust memory or time. */
const maxExpansion = 200;

/** Small files may expand by any factor. */
const freeBytes = 16 * 1024 * 1024;

/**
 * Passes on the output of a decompressor, and stops a decompression bomb.
 * @param compressed The maximum number of compressed bytes that the output was made from.
 * @param what The file, and what of it expands, for the error.
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
        `${what} expands to more than ${maxExpansion} times its size, which is unlikely for a catalog; if it is one, decompress it before importing`,
      );
    }
    yield chunk;
  }
}

/** The content of a gzip file, in chunks. */
export async function* gunzip(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer, void, void> {
  const gunzip = createGunzip();
  const feeding = pipeline(Readable.from(chunks, { objectMode: false, highWaterMark: 1 }), gunzip);
  // The reader of the other end receives it, too.
  feeding.catch(() => undefined);
  try {
    // Not the bytes read from the file: those are some hundred kilobytes ahead, which may hold 200 times as much.
    yield* checkExpansion(gunzip as AsyncIterable<Buffer>, () => gunzip.bytesWritten, `${name}: the gzip file`);
    await feeding;
  } catch (error) {
    throw error instanceof ImportError ? error : damaged(name, 'gzip file', error);
  } finally {
    gunzip.destroy();
    await feeding.catch(() => undefined);
  }
}

/** The library's own message may quote names from inside the file. */
export const damaged = (name: string, what: string, cause: unknown): ImportError =>
  new ImportError(`${name}: the ${what} is truncated or corrupt; export or download it again`, { cause });
