import { ImportError } from '../../values/import-error';
import { maxRowBytes } from '../table-row';
import { unescapeText, walkXml } from './read-xml';

/**
 * The limit in bytes on the texts of a workbook that are held while its rows are read. Larger workbooks can be saved as
 * CSV, which holds none.
 */
export const maxSharedBytes = 64 * 1024 * 1024;

const maxSharedStrings = 4_000_000;

/** The texts that cells reference by number. Stored contiguously outside the JavaScript heap. */
export class SharedStrings {
  /** Where each text ends in the bytes. */
  readonly #ends: number[] = [];

  private constructor(
    private readonly file: string,
    private readonly bytes: Buffer,
  ) {}

  static none(file: string): SharedStrings {
    return new SharedStrings(file, Buffer.alloc(0));
  }

  /** @param expandedSize The size of the XML: its texts are not longer. */
  static async read(chunks: AsyncIterable<Buffer>, expandedSize: number, file: string): Promise<SharedStrings> {
    const strings = new SharedStrings(file, Buffer.allocUnsafeSlow(Math.min(expandedSize, maxSharedBytes)));
    let parts: string[] = [];
    let length = 0;
    let isText = false;
    let phonetic = 0;
    await walkXml(
      chunks,
      {
        open(name) {
          if (name === 'rPh') phonetic += 1;
          else if (name === 't') isText = phonetic === 0;
        },
        text(text) {
          if (!isText) return;
          parts.push(text);
          length += text.length;
          if (length > maxRowBytes) throw strings.#refuse(`is longer than ${maxRowBytes} bytes, the limit of a row`);
        },
        close(name) {
          if (name === 'rPh') phonetic -= 1;
          else if (name === 't') isText = false;
          if (name !== 'si') return;
          strings.#add(unescapeText(parts.join('')));
          parts = [];
          length = 0;
        },
      },
      { file, part: () => `the shared strings, after string ${strings.#ends.length}` },
    );
    return strings;
  }

  /** The size of a text in bytes; undefined when no text has this number. */
  sizeOf(index: number): number | undefined {
    const end = this.#ends[index];
    return end === undefined ? undefined : end - this.#start(index);
  }

  at(index: number): string {
    return this.bytes.toString('utf8', this.#start(index), this.#ends[index]);
  }

  /** The error for the text that is being read. */
  #refuse(problem: string): Error {
    return new ImportError(`${this.file}: string ${this.#ends.length + 1} of the workbook ${problem}`);
  }

  #start(index: number): number {
    return this.#ends[index - 1] ?? 0;
  }

  #add(text: string): void {
    if (/\0|\p{Surrogate}/u.test(text))
      throw this.#refuse('contains a NUL character or an unpaired surrogate, which the database cannot store');
    const start = this.#ends.at(-1) ?? 0;
    if (Buffer.byteLength(text) > this.bytes.length - start || this.#ends.length >= maxSharedStrings) {
      throw tooMuch(this.file);
    }
    this.#ends.push(start + this.bytes.write(text, start));
  }
}

const tooMuch = (file: string): Error =>
  new ImportError(
    `${file}: the workbook contains more than ${maxSharedBytes} bytes of text or ${maxSharedStrings} strings; save it as CSV and import that`,
  );
