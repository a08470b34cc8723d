import { ImportError, SourceLocation } from '../values/import-error';
import { listFirst, quotedName } from '../values/display-names';
import { NumberStyle } from '../values/number-style';
import { gunzip } from './compressed';
import { isGzip, isZip, refuseKnownKind, zipKindError } from './file-kinds';
import { delimiterName } from './delimiters';
import { FileNotes, type NoteKind } from './file-notes';
import { RawFile, standardInputName, type OpenFile } from './raw-file';
import type { Block } from './read-blocks';
import { maxLineBytes, readBlocks } from './read-blocks';
import type { ReadingOptions } from './reading-options';
import { TextEncoding } from './text-encoding';
import { isWorkbook, openSheet } from './workbook/open-sheet';
import type { Sheet } from './workbook/sheet';
import { ZipArchive } from './zip-archive';

/** How a file was read, for its report. */
export interface ReadAs {
  readonly container?: 'gzip' | 'zip' | 'xlsx';
  readonly sheet?: string;
  readonly encoding?: string;
  readonly delimiter?: string;
  /** Doubts about how the file was read. The report's own warnings are about content. */
  readonly readingWarnings: readonly string[];
}

interface TextLine {
  readonly line: number;
  readonly text: string;
}

interface Content {
  readonly container?: 'gzip' | 'zip' | 'xlsx';
  /** A text, or the sheet of a workbook. */
  readonly text?: AsyncIterable<Buffer>;
  readonly sheet?: Sheet;
}

interface Opened {
  readonly raw: RawFile;
  readonly content: Content;
  readonly notes: FileNotes;
  readonly encoding: TextEncoding;
  readonly blocks: AsyncGenerator<Block, void, void> | undefined;
}

/**
 * A file that is read once, from start to end: a text or the sheet of a workbook, compressed or not. Its beginning can
 * be inspected first, so a detector needs no second pass.
 */
export class SourceFile {
  /** The number of lines read so far. */
  lines = 0;
  /** The number of rows below the header, or of objects, read so far. */
  items = 0;
  /** Of CSV; the detector sets it. */
  delimiter: string | undefined;
  /** The members of flat objects that are read as a table; the detector sets it. */
  objectColumns: readonly string[] | undefined;
  /** Whether only the header of a table is read. */
  endsAfterHeader = false;
  /** The delimiter given by the user or the file name; undefined when it must be detected. */
  readonly givenDelimiter: string | undefined;
  readonly sheet: Sheet | undefined;
  #first: Block | undefined;

  private constructor(
    private readonly opened: Opened,
    private readonly options: ReadingOptions,
    first: Block | undefined,
  ) {
    const { block, delimiter } = withoutSeparatorLine(first);
    this.sheet = opened.content.sheet;
    this.#first = block;
    this.givenDelimiter = options.delimiter ?? delimiter;
  }

  /** Opens the file and reads its beginning. `-` is standard input. */
  static async open(file: string | OpenFile, options: ReadingOptions = {}): Promise<SourceFile> {
    const raw = await RawFile.open(file, options.standardInput);
    try {
      const notes = new FileNotes();
      const content = await openContent(raw, options, notes);
      const encoding = new TextEncoding(raw.name, options.encoding);
      const blocks = content.text && readBlocks(content.text, raw.name, encoding);
      const block = blocks && (await firstBlock(blocks));
      const isBlank = blocks !== undefined && (block?.bytes.every(isBlankByte) ?? true);
      if (isBlank && options.mayBeEmpty !== true) throw await toBlankError(raw.name, blocks, block);
      return new SourceFile({ raw, content, notes, encoding, blocks }, options, block);
    } catch (error) {
      await raw.close();
      throw error;
    }
  }

  get name(): string {
    return this.opened.raw.name;
  }

  get size(): number {
    return this.opened.raw.size;
  }

  /** The number of bytes read so far. */
  get bytesRead(): number {
    return this.opened.raw.bytesRead;
  }

  /** The beginning of a text: whole lines, at least one; for JSON it may end within a line. */
  get beginning(): string {
    return this.#first?.bytes.toString('utf8') ?? '';
  }

  /** The line where `beginning` starts. */
  get firstLine(): number {
    return this.#first?.line ?? 1;
  }

  /**
   * Files with a delimiter other than the comma may have commas in numbers. A workbook's numbers are known already.
   * @param decimal the sign that such files have, unless the user specifies another
   * @param isLocalized whether the program writes decimals in the shop's language and never separates thousands, with
   * any delimiter; a spreadsheet may have written 1250 as `1,250`
   */
  numbersOf(decimal?: ReadingOptions['decimal'], isLocalized = false): NumberStyle {
    if (this.objectColumns) return new NumberStyle('point', false);
    const { decimal: given } = this.options;
    if (decimal && !given && !this.sheet) return new NumberStyle(decimal, true);
    const isOpen = given !== undefined || (this.delimiter ?? ',') !== ',';
    if (!isOpen && isLocalized) return new NumberStyle(undefined, true, ',');
    return new NumberStyle(given ?? (isOpen ? undefined : 'point'), isOpen);
  }

  get delimiterName(): string {
    return delimiterName(this.delimiter ?? ',');
  }

  /** Something that was read correctly and still deserves a warning. */
  note(kind: NoteKind, line: number): void {
    this.opened.notes.add(kind, line);
  }

  /** How the file was read. Omits the defaults: a text in UTF-8, separated by commas. */
  get readAs(): ReadAs {
    const { displayName, guessedOn } = this.opened.encoding;
    const { container: kind } = this.opened.content;
    const container = kind && { container: kind };
    if (this.sheet) return { ...container, sheet: this.sheet.name, readingWarnings: this.opened.notes.warnings };
    const doubt = guessedOn === undefined ? [] : [`the file is not UTF-8 and was read as ${displayName}: check line ${guessedOn}, or set another encoding with --encoding`]; // prettier-ignore
    return {
      ...container,
      encoding: displayName,
      ...(this.delimiter === undefined ? {} : { delimiter: this.delimiterName }),
      readingWarnings: [...doubt, ...this.opened.notes.warnings],
    };
  }

  /** The whole text, block by block; can be iterated once. */
  async *blocks(): AsyncGenerator<Block, void, void> {
    if (this.#first) yield this.#first;
    this.#first = undefined;
    if (this.opened.blocks) yield* this.opened.blocks;
  }

  /** The whole text, line by line, without line ends. U+2028 does not end a line. */
  async *textLines(): AsyncGenerator<TextLine, void, void> {
    let rest = '';
    let { firstLine: line } = this;
    for await (const block of this.blocks()) {
      const texts = block.bytes.toString('utf8').split('\n');
      texts[0] = rest + (texts[0] ?? '');
      rest = texts.pop() ?? '';
      for (const text of texts) {
        yield this.#toLine(text, line);
        line += 1;
      }
      if (rest.length > maxLineBytes) throw this.#tooLong(line);
    }
    if (rest !== '') yield this.#toLine(rest, line);
  }

  #toLine(text: string, line: number): TextLine {
    if (text.length * 3 > maxLineBytes && Buffer.byteLength(text) > maxLineBytes) throw this.#tooLong(line);
    this.lines = line;
    return { line, text: text.endsWith('\r') ? text.slice(0, -1) : text };
  }

  #tooLong(line: number): ImportError {
    return new SourceLocation(this.name, line).fault(`is longer than ${maxLineBytes} bytes`);
  }

  async close(): Promise<void> {
    // If the consumer stopped early, the readers still hold a decompressor.
    await this.opened.blocks?.return();
    await this.sheet?.close();
    await this.opened.raw.close();
  }
}

/** How much JSON is read to detect its format, in bytes: members that identify the format may follow long ones. */
export const jsonBeginning = 256 * 1024;

async function toBlankError(file: string, blocks: AsyncGenerator<Block, void, void>, first: Block | undefined) {
  const { done } = await blocks.next();
  if (first === undefined || done === true) return new ImportError(`${file}: the file is empty`);
  return new ImportError(
    `${file}: the first ${first.bytes.length} bytes contain only blanks and line breaks: remove them`,
  );
}

async function firstBlock(blocks: AsyncGenerator<Block, void, void>): Promise<Block | undefined> {
  const first = await blocks.next();
  if (first.done === true) return undefined;
  const { bytes, line } = first.value;
  const parts = [bytes];
  let length = bytes.length;
  while (/^\s*[[{]/.test(bytes.toString('latin1', 0, 4096)) && length < jsonBeginning) {
    const next = await blocks.next();
    if (next.done === true) break;
    parts.push(next.value.bytes);
    length += next.value.bytes.length;
  }
  return { bytes: Buffer.concat(parts), line };
}

const isBlankByte = (byte: number): boolean => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);

/** Unwraps the container of the data: gzip, a zip archive of one file, a workbook. */
async function openContent(raw: RawFile, options: ReadingOptions, notes: FileNotes): Promise<Content> {
  const { head, name } = raw;
  refuseKnownKind(head, name);
  if (isGzip(head)) {
    return {
      container: 'gzip',
      text: await checkInner(gunzip(raw.chunks(), name), name),
    };
  }
  if (!isZip(head)) return { text: raw.chunks() };
  const archive = await ZipArchive.open(raw);
  if (isWorkbook(archive)) {
    const sheet = await openSheet(archive, { name, wanted: options.sheet, decimal: options.decimal, notes });
    await sheet.read();
    return { container: 'xlsx', sheet };
  }
  const [only, ...others] = archive.names;
  const kind = zipKindError(archive.names, name);
  if (kind) throw kind;
  if (only === undefined) throw new ImportError(`${name}: the zip archive is empty`);
  if (others.length > 0) {
    throw new ImportError(
      `${name}: expected a zip archive with one file, got ${others.length + 1} (${listFirst(archive.names, 5, quotedName)}); unpack it and import the files`,
    );
  }
  return { container: 'zip', text: await checkInner(archive.read(only), name) };
}

/** Checks that the compressed content is a text, and returns all of it. */
async function checkInner(compressed: AsyncIterable<Buffer>, name: string): Promise<AsyncIterable<Buffer>> {
  const inner = await RawFile.open(standardInputName, () => compressed);
  const { head } = inner;
  try {
    refuseKnownKind(head, name);
    if (isGzip(head) || isZip(head)) {
      throw new ImportError(
        `${name}: it contains another compressed file or a workbook; unpack it and import that file`,
      );
    }
    return inner.chunks();
  } catch (error) {
    await inner.close();
    throw error;
  }
}

/** `sep=;` as the first line, which sets the delimiter in Excel. */
function withoutSeparatorLine(first: Block | undefined): { block: Block | undefined; delimiter: string | undefined } {
  const found = /^"?sep=([^"\r\n])"?\r?\n/i.exec(first?.bytes.toString('latin1', 0, 16) ?? '');
  if (!first || !found) return { block: first, delimiter: undefined };
  return { block: { bytes: first.bytes.subarray(found[0].length), line: first.line + 1 }, delimiter: found[1] };
}
