import { RawJson } from '../catalog/passthrough/passthrough-schema';

/**
 * Takes the place of data in the text of a response. JSON text never contains it, because it escapes control
 * characters.
 */
const placeholder = '\x1e';

/**
 * The data of one response, in UTF-8 already. Apollo Server passes responses as text, and converting that back took 15
 * ms for 5 MB: the data bypasses it (docs/decisions.md 67).
 */
export class WrittenData {
  #data: Buffer | undefined;

  /** @returns what Apollo Server gets instead */
  hold(data: Buffer): RawJson {
    this.#data = data;
    return new RawJson(placeholder);
  }

  /** The complete response. */
  putInto(text: string): readonly Buffer[] {
    const [start = '', end] = text.split(placeholder);
    if (this.#data === undefined || end === undefined) return [Buffer.from(text)];
    return [Buffer.from(start), this.#data, Buffer.from(end)];
  }
}
