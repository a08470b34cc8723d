import { isUtf8 } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';
import { maximumAnswerBytes } from '../../catalog/answer-size';
import { ImportError, Place } from '../import-error';

/** Whole lines of a file, checked to be UTF-8 without NUL characters. */
export interface Block {
  readonly bytes: Buffer;
  /** The line that the block starts with, counted from 1. */
  readonly line: number;
}

const readSize = 64 * 1024;
const lineFeed = 0x0a;

/** An object as large as an answer may be, with room for escapes; longer lines are no catalog data, and would have to be held in memory. */
export const maxLineBytes = 2 * maximumAnswerBytes;

/**
 * A file in blocks of whole lines. A line feed is never part of a longer UTF-8 sequence, so each block can be checked
 * and decoded by itself. The byte order mark of UTF-8 is dropped, other encodings are refused.
 */
export async function* readBlocks(
  handle: FileHandle,
  file: string,
  onBytes: (count: number) => void,
): AsyncGenerator<Block, void, void> {
  const buffer = Buffer.alloc(readSize);
  let rest: Buffer[] = [];
  let restBytes = 0;
  let line = 1;
  let isFirst = true;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, 0, readSize, null);
    if (bytesRead === 0) break;
    onBytes(bytesRead);
    let chunk = Buffer.from(buffer.subarray(0, bytesRead));
    if (isFirst) chunk = withoutByteOrderMark(chunk, file);
    isFirst = false;
    const end = chunk.lastIndexOf(lineFeed) + 1;
    const lineBytes = restBytes + (end > 0 ? chunk.indexOf(lineFeed) : chunk.length);
    if (lineBytes > maxLineBytes) throw new Place(file, line).fault(`is longer than ${maxLineBytes} bytes`);
    if (end > 0) {
      const block = { bytes: Buffer.concat([...rest, chunk.subarray(0, end)]), line };
      checkBlock(block, file);
      yield block;
      line += countLines(block.bytes);
      rest = [];
      restBytes = 0;
    }
    rest.push(chunk.subarray(end));
    restBytes += chunk.length - end;
  }
  const last = { bytes: Buffer.concat(rest), line };
  checkBlock(last, file);
  if (last.bytes.length > 0) yield last;
}

const utf8Wanted = 'save the file as UTF-8 and import it again';

function withoutByteOrderMark(chunk: Buffer, file: string): Buffer<ArrayBuffer> {
  const start = chunk.subarray(0, 4).toString('hex');
  if (start.startsWith('fffe') || start.startsWith('feff') || start === '0000feff') {
    throw new ImportError(`${file}: expected UTF-8, got UTF-16 or UTF-32 (by its byte order mark); ${utf8Wanted}`);
  }
  return Buffer.from(start.startsWith('efbbbf') ? chunk.subarray(3) : chunk);
}

function checkBlock({ bytes, line }: Block, file: string): void {
  const nul = bytes.indexOf(0);
  if (nul !== -1) {
    const place = new Place(file, line + countLines(bytes.subarray(0, nul)));
    throw place.fault(`holds a NUL character, which a database cannot store (if the file is UTF-16, ${utf8Wanted})`);
  }
  if (isUtf8(bytes)) return;
  const place = new Place(file, line + countLines(bytes.subarray(0, startOfBadLine(bytes))));
  throw place.fault(`is not UTF-8 (perhaps ISO 8859-1, Windows-1252 or Mac Roman); ${utf8Wanted}`);
}

function startOfBadLine(bytes: Buffer): number {
  let start = 0;
  while (start < bytes.length) {
    const end = bytes.indexOf(lineFeed, start);
    if (end === -1 || !isUtf8(bytes.subarray(start, end))) return start;
    start = end + 1;
  }
  return start;
}

function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(lineFeed); at !== -1; at = bytes.indexOf(lineFeed, at + 1)) count += 1;
  return count;
}
