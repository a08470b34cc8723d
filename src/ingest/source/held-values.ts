import type { FileHandle } from 'node:fs/promises';
import { openTemporary } from './temporary-file';

/** The bytes that stay in memory; the rest is written to a temporary file. */
const maxHeldBytes = 16 * 1024 * 1024;
const writeSize = 1024 * 1024;

/** The parts of the temporary file that were read last: products are consecutive there, and so are their variations. */
const windowSize = 256 * 1024;
const maxWindows = 4;

interface Window {
  readonly start: number;
  readonly bytes: Buffer;
}

/** Values of a file that can be passed on only when all of it has been read, as JSON texts. */
export class HeldValues<Value> {
  readonly #held: Buffer[] = [];
  #heldBytes = 0;
  #file: FileHandle | undefined;
  /** The positions of the values in the temporary file: where each begins, and where the last one ends. */
  readonly #starts: number[] = [0];
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  readonly #windows: Window[] = [];

  constructor(private readonly maxBytes = maxHeldBytes) {}

  /** @returns the number with which get() finds the value */
  async add(value: Value): Promise<number> {
    const text = Buffer.from(JSON.stringify(value));
    if (this.#starts.length === 1 && this.#heldBytes + text.length <= this.maxBytes) {
      this.#heldBytes += text.length;
      return this.#held.push(text) - 1;
    }
    this.#starts.push((this.#starts.at(-1) ?? 0) + text.length);
    this.#waiting.push(text);
    this.#waitingBytes += text.length;
    if (this.#waitingBytes >= writeSize) await this.#write();
    return this.#held.length + this.#starts.length - 2;
  }

  async get(index: number): Promise<Value> {
    const held = this.#held[index];
    return JSON.parse((held ?? (await this.#read(index - this.#held.length))).toString()) as Value;
  }

  /** The bytes of the value's text. */
  sizeOf(index: number): number {
    const at = index - this.#held.length;
    return this.#held[index]?.length ?? (this.#starts[at + 1] ?? 0) - (this.#starts[at] ?? 0);
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }

  async #read(index: number): Promise<Buffer> {
    const [start, end] = this.#starts.slice(index, index + 2) as [number, number];
    const known = this.#windows.find((window) => window.start <= start && end <= window.start + window.bytes.length);
    const window = known ?? (await this.#readWindow(start, Math.max(end - start, windowSize)));
    return window.bytes.subarray(start - window.start, end - window.start);
  }

  async #readWindow(start: number, size: number): Promise<Window> {
    await this.#write();
    const buffer = Buffer.alloc(Math.min(size, (this.#starts.at(-1) ?? 0) - start));
    for (let at = 0; at < buffer.length;) {
      const { bytesRead } = (await this.#file?.read(buffer, at, buffer.length - at, start + at)) ?? { bytesRead: 0 };
      if (bytesRead === 0) throw new Error('the temporary file of an import is shorter than what was written');
      at += bytesRead;
    }
    const window = { start, bytes: buffer };
    this.#windows.push(window);
    if (this.#windows.length > maxWindows) this.#windows.shift();
    return window;
  }

  async #write(): Promise<void> {
    if (this.#waiting.length === 0) return;
    this.#file ??= await openTemporary();
    const bytes = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#waitingBytes = 0;
    await this.#file.writeFile(bytes);
  }
}
