import type { FileHandle } from 'node:fs/promises';
import { openTemporary } from './temporary-file';

/** So much stays in memory; the rest goes to a temporary file. */
const maxHeldBytes = 16 * 1024 * 1024;
const writeSize = 1024 * 1024;

/** Values of a file that can be passed on only when all of it has been read, as JSON texts. */
export class HeldValues<Value> {
  readonly #held: Buffer[] = [];
  #heldBytes = 0;
  #file: FileHandle | undefined;
  /** Of the values in the temporary file: where each begins, and where the last one ends. */
  readonly #starts: number[] = [0];
  #waiting: Buffer[] = [];
  #waitingBytes = 0;

  constructor(private readonly maxBytes = maxHeldBytes) {}

  /** @returns the number by which get() finds the value */
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
    await this.#write();
    const [start, end] = this.#starts.slice(index, index + 2) as [number, number];
    const buffer = Buffer.alloc(end - start);
    for (let at = 0; at < buffer.length;) {
      const { bytesRead } = (await this.#file?.read(buffer, at, buffer.length - at, start + at)) ?? { bytesRead: 0 };
      if (bytesRead === 0) throw new Error('the temporary file of an import is shorter than what was written');
      at += bytesRead;
    }
    return buffer;
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
