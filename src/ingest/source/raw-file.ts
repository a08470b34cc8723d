import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { ImportError } from '../values/import-error';
import { openTemporary } from '../../common/temporary-file';

/** How the command line denotes standard input. */
export const standardInputName = '-';

const readSize = 64 * 1024;

/** Enough to recognize every kind of file by its first bytes. */
const headSize = 4096;

/** An open file, at its beginning. The reader closes it. */
export interface OpenFile {
  /** For messages. */
  readonly name: string;
  readonly handle: FileHandle;
}

/** Piped input that needs random access is stored in a temporary file, up to this size. */
const maxSpooledBytes = 1024 * 1024 * 1024;

interface Origin {
  readonly chunks: AsyncIterator<Buffer>;
  /** For random access; undefined for pipes. */
  readonly handle: FileHandle | undefined;
  readonly size: number;
  close(): Promise<void>;
}

/** The stored bytes of a file or of standard input, read sequentially or by random access. */
export class RawFile {
  /** The number of bytes read so far. */
  bytesRead = 0;
  /** The first bytes; fewer than 4096 only when the file is shorter. */
  head: Buffer = Buffer.alloc(0);
  #spooled: FileHandle | undefined;

  private constructor(
    readonly name: string,
    private readonly origin: Origin,
  ) {}

  static async open(given: string | OpenFile, standardInput?: () => AsyncIterable<Buffer>): Promise<RawFile> {
    const { name, handle } = typeof given === 'string' ? { name: given, handle: undefined } : given;
    const isStandardInput = name === standardInputName && standardInput !== undefined;
    const origin = isStandardInput ? toOrigin(standardInput()) : await openOrigin(name, handle);
    const file = new RawFile(isStandardInput ? 'standard input' : name, origin);
    try {
      for (let chunk = await file.#next(); chunk; chunk = await file.#next()) {
        file.head = file.head.length === 0 ? chunk : Buffer.concat([file.head, chunk]);
        if (file.head.length >= headSize) break;
      }
      return file;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** The size of piped input is known only when it ends. */
  get size(): number {
    return Math.max(this.origin.size, this.bytesRead);
  }

  /** The whole file; can be iterated once. */
  async *chunks(): AsyncGenerator<Buffer, void, void> {
    try {
      if (this.head.length > 0) yield this.head;
      for (let chunk = await this.#next(); chunk; chunk = await this.#next()) yield chunk;
    } finally {
      // If the reader stops early, this frees the decompressor.
      await this.origin.chunks.return?.();
    }
  }

  /** The file for random access, and its size. Use instead of chunks(). */
  async randomAccess(): Promise<{ readonly handle: FileHandle; readonly size: number }> {
    const { handle, size } = this.origin;
    if (handle) return { handle, size };
    this.#spooled = await openTemporary();
    let position = 0;
    for await (const chunk of this.chunks()) {
      if (position + chunk.length > maxSpooledBytes) {
        throw new ImportError(`${this.name}: expected at most ${maxSpooledBytes} bytes; import it from a file`);
      }
      await this.#spooled.write(chunk, 0, chunk.length, position);
      position += chunk.length;
    }
    return { handle: this.#spooled, size: position };
  }

  async close(): Promise<void> {
    await this.#spooled?.close();
    await this.origin.close();
  }

  async #next(): Promise<Buffer | undefined> {
    const next = await this.origin.chunks.next();
    if (next.done === true) return undefined;
    this.bytesRead += next.value.length;
    return next.value;
  }
}

async function openOrigin(name: string, opened?: FileHandle): Promise<Origin> {
  const handle = opened ?? (await openToRead(name));
  const stats = await handle.stat();
  if (stats.isDirectory()) {
    await handle.close();
    throw new ImportError(`${name}: expected a file, got a directory`);
  }
  return {
    chunks: readChunks(handle),
    handle: stats.isFile() ? handle : undefined,
    size: stats.isFile() ? stats.size : 0,
    close: () => handle.close(),
  };
}

function toOrigin(stream: AsyncIterable<Buffer>): Origin {
  const chunks = stream[Symbol.asyncIterator]();
  return {
    chunks,
    handle: undefined,
    size: 0,
    close: async () => {
      await chunks.return?.();
    },
  };
}

async function* readChunks(handle: FileHandle): AsyncGenerator<Buffer, void, void> {
  const buffer = Buffer.alloc(readSize);
  for (;;) {
    const { bytesRead } = await handle.read(buffer, 0, readSize, null);
    if (bytesRead === 0) return;
    yield Buffer.from(buffer.subarray(0, bytesRead));
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EACCES: 'permission denied',
  EISDIR: 'expected a file, got a directory',
};

async function openToRead(name: string): Promise<FileHandle> {
  try {
    return await open(name, 'r');
  } catch (error) {
    const { code = 'unknown reason' } = error as NodeJS.ErrnoException;
    throw new ImportError(`${name}: ${reasons[code] ?? `cannot be opened (${code})`}`, { cause: error });
  }
}
