import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { ImportError } from '../import-error';
import type { Block } from './read-blocks';
import { readBlocks } from './read-blocks';

/** A file that is read once, from start to end. Its first block can be looked at before: a detector needs no second pass. */
export class SourceFile {
  /** Lines that have been read so far. */
  lines = 0;
  /** Bytes that have been read so far. */
  bytesRead = 0;
  readonly #handle: FileHandle;
  readonly #blocks: AsyncGenerator<Block, void, void>;
  #first: Block | undefined;

  private constructor(
    readonly name: string,
    readonly size: number,
    handle: FileHandle,
  ) {
    this.#handle = handle;
    this.#blocks = readBlocks(handle, name, (count) => (this.bytesRead += count));
  }

  /** Opens the file and reads its beginning. */
  static async open(name: string): Promise<SourceFile> {
    const handle = await openToRead(name);
    try {
      const stats = await handle.stat();
      if (stats.isDirectory()) throw new ImportError(`${name}: expected a file, got a directory`);
      const source = new SourceFile(name, stats.size, handle);
      const first = await source.#blocks.next();
      if (first.done || first.value.bytes.every(isBlankByte)) throw new ImportError(`${name}: the file is empty`);
      source.#first = first.value;
      return source;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** The beginning of the file: whole lines, at least one. */
  get beginning(): string {
    return this.#first?.bytes.toString('utf8') ?? '';
  }

  /** The whole file, block by block; can be walked once. */
  async *blocks(): AsyncGenerator<Block, void, void> {
    if (this.#first) yield this.#first;
    this.#first = undefined;
    yield* this.#blocks;
  }

  /** The whole file, line by line, without line ends. U+2028 ends no line. */
  async *textLines(): AsyncGenerator<{ readonly line: number; readonly text: string }, void, void> {
    for await (const block of this.blocks()) {
      let { line } = block;
      const texts = block.bytes.toString('utf8').split('\n');
      if (texts.at(-1) === '') texts.pop();
      for (const text of texts) {
        this.lines = line;
        yield { line, text: text.endsWith('\r') ? text.slice(0, -1) : text };
        line += 1;
      }
    }
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

const isBlankByte = (byte: number): boolean => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'the file may not be read',
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
