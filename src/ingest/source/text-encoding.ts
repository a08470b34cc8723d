import { isAscii, isUtf8 } from 'node:buffer';
import { ImportError, SourceLocation } from '../values/import-error';
import { decodeWindows1252, looksLikeWindows1252 } from './windows-1252';

const byteOrderMarks = [
  ['efbbbf', 'utf-8'],
  ['fffe', 'utf-16le'],
  ['feff', 'utf-16be'],
] as const;

const wanted = '--encoding, for example --encoding windows-1252 or --encoding macintosh';

/**
 * Converts the bytes of one file to UTF-8. Without a byte order mark and a user setting, the first bytes beyond ASCII
 * determine the encoding: UTF-8, or else Windows-1252 where they can be nothing else.
 */
export class TextEncoding {
  /** The detected encoding. ASCII is UTF-8. */
  name = 'utf-8';
  /** The line for which the encoding was guessed. The report shows it, so that users can check it. */
  guessedOn: number | undefined;
  #isDecided = false;
  #mayGuess = false;
  #utf16: InstanceType<typeof TextDecoder> | undefined;

  constructor(
    private readonly file: string,
    private readonly asked: string | undefined,
  ) {}

  /** @returns the file's first bytes without a byte order mark */
  start(first: Buffer): Buffer {
    const [mark, marked] = byteOrderMarks.find(([bytes]) => first.toString('hex', 0, 4).startsWith(bytes)) ?? ['', ''];
    if (marked !== '' && this.asked !== undefined && this.asked !== marked) {
      throw new ImportError(
        `${this.file}: is ${marked} according to its byte order mark, not ${this.asked}; omit --encoding`,
      );
    }
    const rest = first.subarray(mark.length / 2);
    const known = marked === '' ? this.asked : marked;
    if (known !== undefined) this.name = known;
    this.#isDecided = known !== undefined;
    // JSON is UTF-8 by definition: any other bytes in it are corruption.
    this.#mayGuess = marked === '' && !/^\s*[{[]/.test(rest.toString('latin1', 0, 4096));
    return rest;
  }

  /** Bytes that can be cut at line feeds: UTF-16 is already converted to UTF-8 here. */
  toLines(chunk: Buffer, line: number): Buffer {
    if (!this.name.startsWith('utf-16')) return chunk;
    this.#utf16 ??= new TextDecoder(this.name, { fatal: true, ignoreBOM: true });
    try {
      return Buffer.from(this.#utf16.decode(chunk, { stream: true }));
    } catch {
      const [valid = ''] = new TextDecoder(this.name).decode(chunk).split('\ufffd', 1);
      throw this.#refuse(line + valid.split('\n').length - 1);
    }
  }

  /** @throws ImportError when the file ends within a character */
  finish(line: number): void {
    try {
      this.#utf16?.decode();
    } catch {
      throw this.#refuse(line);
    }
  }

  /** Whole lines as UTF-8. */
  toUtf8(bytes: Buffer, line: number): Buffer {
    if (this.name === 'utf-8' || this.name.startsWith('utf-16')) {
      if (isUtf8(bytes)) {
        if (!this.#isDecided && !isAscii(bytes)) this.#isDecided = true;
        return bytes;
      }
      if (this.#isDecided || !this.#mayGuess) throw this.#refuse(line + linesBefore(bytes, isUtf8));
      if (!looksLikeWindows1252(bytes)) throw this.#ask(line + linesBefore(bytes, isUtf8));
      this.name = 'windows-1252';
      this.guessedOn = line + linesBefore(bytes, isAscii);
      this.#isDecided = true;
    }
    if (isAscii(bytes)) return bytes;
    if (this.guessedOn !== undefined && !looksLikeWindows1252(bytes))
      throw this.#ask(line + linesBefore(bytes, looksLikeWindows1252));
    const text = decode(bytes, this.name);
    if (text === undefined)
      throw this.#refuse(line + linesBefore(bytes, (part) => decode(part, this.name) !== undefined));
    return Buffer.from(text);
  }

  #refuse(line: number): ImportError {
    const location = new SourceLocation(this.file, line);
    return this.#mayGuess
      ? location.fault(`is not ${this.displayName}; save the file as UTF-8, or set its encoding with ${wanted}`)
      : location.fault(`is not ${this.displayName}; save the file as UTF-8 and import it again`);
  }

  #ask(line: number): ImportError {
    return new SourceLocation(this.file, line).fault(
      `is not UTF-8, and its encoding cannot be determined; save the file as UTF-8, or set its encoding with ${wanted}`,
    );
  }

  get displayName(): string {
    // Windows-1252 and Macintosh are names; others are abbreviations, such as SHIFT_JIS.
    return this.name.toUpperCase().replace(/(?<=^W)INDOWS|(?<=^M)ACINTOSH/, (rest) => rest.toLowerCase());
  }
}

function decode(bytes: Buffer, encoding: string): string | undefined {
  if (encoding === 'windows-1252') return decodeWindows1252(bytes);
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const lineFeed = 0x0a;

/** The number of valid lines before the first invalid one. */
function linesBefore(bytes: Buffer, isRight: (line: Buffer) => boolean): number {
  let lines = 0;
  for (let start = 0; start < bytes.length; lines += 1) {
    const end = bytes.indexOf(lineFeed, start);
    if (end === -1 || !isRight(bytes.subarray(start, end))) return lines;
    start = end + 1;
  }
  return lines;
}
