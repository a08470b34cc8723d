import type { FileHandle } from 'node:fs/promises';
import { openTemporary } from '../../common/temporary-file';

/** The size of the write buffer. A longer text gets a buffer of its own size. */
const chunkSize = 1024 * 1024;

/** The size of one read from the temporary file, and how many are held. Most reads are sequential. */
const windowSize = 256 * 1024;
const maxWindows = 64;

/** Consecutive texts, and the position of the first one. */
interface Window {
  readonly start: number;
  readonly bytes: Buffer;
}

/**
 * Holds values of a file until all of it has been read, as JSON texts in shared buffers: a buffer for each text would
 * take several times the memory.
 */
export class SpillBuffer<Value> {
  /** The start of each text, and the end of the last one. */
  readonly #starts: number[] = [0];
  #file: FileHandle | undefined;
  /** The texts that are not in the temporary file yet. */
  #waiting = Buffer.alloc(0);
  #waitingStart = 0;
  readonly #windows: Window[] = [];

  constructor(private readonly chunkBytes = chunkSize) {}

  /** @returns the index of the value, for get() */
  async add(value: Value): Promise<number> {
    const text = JSON.stringify(value);
    const size = Buffer.byteLength(text);
    const start = this.#starts.at(-1) ?? 0;
    if (start - this.#waitingStart + size > this.#waiting.length) {
      const bytes = this.#waiting.subarray(0, start - this.#waitingStart);
      if (bytes.length > 0) await (this.#file ??= await openTemporary()).writeFile(bytes);
      if (this.#waiting.length < Math.max(size, this.chunkBytes))
        this.#waiting = Buffer.allocUnsafeSlow(Math.max(size, this.chunkBytes));
      this.#waitingStart = start;
    }
    this.#waiting.write(text, start - this.#waitingStart);
    return this.#starts.push(start + size) - 2;
  }

  async get(index: number): Promise<Value> {
    const [start = 0, end = 0] = this.#starts.slice(index, index + 2);
    const isIn = (window: Window): boolean => window.start <= start && end <= window.start + window.bytes.length;
    const { start: from, bytes } =
      start >= this.#waitingStart
        ? { start: this.#waitingStart, bytes: this.#waiting }
        : (this.#windows.find(isIn) ?? (await this.#readWindow(start, Math.max(end - start, windowSize))));
    return JSON.parse(bytes.toString('utf8', start - from, end - from)) as Value;
  }

  /** The bytes of the value's text. */
  sizeOf(index: number): number {
    return (this.#starts[index + 1] ?? 0) - (this.#starts[index] ?? 0);
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }

  async #readWindow(start: number, size: number): Promise<Window> {
    const bytes = Buffer.alloc(Math.min(size, this.#waitingStart - start));
    for (let at = 0; at < bytes.length;) {
      const { bytesRead = 0 } = (await this.#file?.read(bytes, at, bytes.length - at, start + at)) ?? {};
      if (bytesRead === 0) throw new Error('the temporary file of the import was truncated');
      at += bytesRead;
    }
    const window = { start, bytes };
    this.#windows.push(window);
    if (this.#windows.length > maxWindows) this.#windows.shift();
    return window;
  }
}
