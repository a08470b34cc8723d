import type { FileHandle } from 'node:fs/promises';
import { openTemporary } from '../../common/temporary-file';

/** The bytes that stay in memory; the rest is written to a temporary file. */
const maxBytesInMemory = 16 * 1024 * 1024;
const chunkSize = 1024 * 1024;

/** The parts of the temporary file that were read last: products are consecutive there, and so are their variations. */
const windowSize = 256 * 1024;
const maxWindows = 4;

/** Consecutive texts, and the position of the first one. */
interface Window {
  readonly start: number;
  readonly bytes: Buffer;
}

/**
 * Values of a file that can be passed on only when all of it has been read, as JSON texts. The texts share buffers: one
 * for each text takes several times their memory.
 */
export class SpillBuffer<Value> {
  /** The position of each text among all of them, and the end of the last one. */
  readonly #starts: number[] = [0];
  /** The first texts, which stay in memory, and the positions where the buffers begin. */
  readonly #inMemory: Window[] = [];
  /** The position where the temporary file begins: its texts follow those that stay in memory. */
  #fileStart = Infinity;
  #file: FileHandle | undefined;
  /** The last texts: those that are not in the temporary file yet. */
  #waiting = Buffer.alloc(0);
  #waitingStart = 0;
  readonly #windows: Window[] = [];

  constructor(private readonly maxBytes = maxBytesInMemory) {}

  /** @returns the number with which get() finds the value */
  async add(value: Value): Promise<number> {
    const text = JSON.stringify(value);
    const size = Buffer.byteLength(text);
    const start = this.#end;
    if (start - this.#waitingStart + size > this.#waiting.length) await this.#setAside(Math.max(size, chunkSize));
    this.#waiting.write(text, start - this.#waitingStart);
    return this.#starts.push(start + size) - 2;
  }

  async get(index: number): Promise<Value> {
    const start = this.#starts[index] ?? 0;
    const end = this.#starts[index + 1] ?? 0;
    const { start: from, bytes } = await this.#find(start, end);
    return JSON.parse(bytes.toString('utf8', start - from, end - from)) as Value;
  }

  /** The bytes of the value's text. */
  sizeOf(index: number): number {
    return (this.#starts[index + 1] ?? 0) - (this.#starts[index] ?? 0);
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }

  get #end(): number {
    return this.#starts.at(-1) ?? 0;
  }

  /** Makes room for further texts, in a buffer of this size. */
  async #setAside(size: number): Promise<void> {
    const bytes = this.#waiting.subarray(0, this.#end - this.#waitingStart);
    if (this.#end <= this.maxBytes) {
      if (bytes.length > 0) this.#inMemory.push({ start: this.#waitingStart, bytes });
      this.#waiting = Buffer.allocUnsafeSlow(size);
    } else {
      this.#fileStart = Math.min(this.#fileStart, this.#waitingStart);
      this.#file ??= await openTemporary();
      await this.#file.writeFile(bytes);
      if (this.#waiting.length < size) this.#waiting = Buffer.allocUnsafeSlow(size);
    }
    this.#waitingStart = this.#end;
  }

  /** The buffer that contains a text. */
  async #find(start: number, end: number): Promise<Window> {
    if (start >= this.#waitingStart) return { start: this.#waitingStart, bytes: this.#waiting };
    const inMemory = start < this.#fileStart ? this.#inMemory : this.#windows;
    const known = inMemory.find((window) => window.start <= start && end <= window.start + window.bytes.length);
    return known ?? (await this.#readWindow(start, Math.max(end - start, windowSize)));
  }

  async #readWindow(start: number, size: number): Promise<Window> {
    const bytes = Buffer.alloc(Math.min(size, this.#waitingStart - start));
    for (let at = 0; at < bytes.length;) {
      const { bytesRead } = (await this.#file?.read(bytes, at, bytes.length - at, start - this.#fileStart + at)) ?? {
        bytesRead: 0,
      };
      if (bytesRead === 0) throw new Error('the temporary file of an import is shorter than what was written');
      at += bytesRead;
    }
    const window = { start, bytes };
    this.#windows.push(window);
    if (this.#windows.length > maxWindows) this.#windows.shift();
    return window;
  }
}
