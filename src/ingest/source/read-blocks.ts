import { maximumAnswerBytes } from '../../catalog/answer-size';
import { SourceLocation } from '../values/import-error';
import type { TextEncoding } from './text-encoding';

/** Whole lines of a file as UTF-8, without NUL characters, or a part of a long line that ends with a comma. */
export interface Block {
  readonly bytes: Buffer;
  /** The line where the block starts, counted from 1. */
  readonly line: number;
}

const lineFeed = 0x0a;
const comma = 0x2c;

/** A long line, such as a JSON array, is passed on in parts of this size. */
const partBytes = 256 * 1024;

/** The beginning of a file, by which its format is recognized. The first line is not cut before this size. */
export const longestBeginning = 1024 * 1024;

/**
 * The size of the largest possible response, with room for escapes; longer lines are not catalog data, and would have
 * to be held in memory.
 */
export const maxLineBytes = 2 * maximumAnswerBytes;

/**
 * Splits a text into blocks of whole lines. In every encoding but UTF-16, a line feed is never part of a longer
 * sequence, so each block can be checked and decoded separately. In UTF-8 the same is true of a comma, after which long
 * lines are cut. A byte order mark is dropped.
 */
export async function* readBlocks(
  chunks: AsyncIterable<Buffer>,
  file: string,
  encoding: TextEncoding,
): AsyncGenerator<Block, void, void> {
  let rest: Buffer[] = [];
  let restBytes = 0;
  let line = 1;
  let isFirst = true;
  let longest = longestBeginning;
  for await (const stored of chunks) {
    const chunk = encoding.toLines(isFirst ? encoding.start(stored) : stored, line);
    isFirst = false;
    let end = chunk.lastIndexOf(lineFeed) + 1;
    const bytes = restBytes + chunk.length;
    if (end === 0 && bytes > longest && encoding.name.startsWith('utf-')) end = chunk.lastIndexOf(comma) + 1;
    if (end === 0 && bytes > maxLineBytes) {
      throw new SourceLocation(file, line).fault(`is longer than ${maxLineBytes} bytes`);
    }
    if (end > 0) {
      const block = toBlock(Buffer.concat([...rest, chunk.subarray(0, end)]), line, file, encoding);
      yield block;
      line += countLines(block.bytes);
      longest = partBytes;
      rest = [];
      restBytes = 0;
    }
    rest.push(chunk.subarray(end));
    restBytes += chunk.length - end;
  }
  const last = toBlock(Buffer.concat(rest), line, file, encoding);
  if (last.bytes.length > 0) yield last;
  encoding.finish(line);
}

function toBlock(stored: Buffer, line: number, file: string, encoding: TextEncoding): Block {
  const nul = stored.indexOf(0);
  if (nul !== -1) {
    const location = new SourceLocation(file, line + countLines(stored.subarray(0, nul)));
    throw location.fault(
      'contains a NUL character, which the database cannot store (the file may be binary, or UTF-16: then set --encoding utf-16le or utf-16be)',
    );
  }
  return { bytes: encoding.toUtf8(stored, line), line };
}

function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(lineFeed); at !== -1; at = bytes.indexOf(lineFeed, at + 1)) count += 1;
  return count;
}
