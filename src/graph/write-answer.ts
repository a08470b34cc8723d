import { AnswerTooLargeError, maximumAnswerBytes } from '../catalog/answer-size';
import type { JsonPart } from '../catalog/passthrough/raw-json';
import { jsonLength, stringify, stringifyInPieces } from '../catalog/passthrough/raw-json';
import type { WorkTurns } from '../common/event-loop-turns';

/** What is written in one turn of the event loop: less than a millisecond. */
const lengthPerTurn = 256 * 1024;

/**
 * Writes an answer as JSON in UTF-8; a long one in turns of the event loop, and so is one of an operation that has used turns before.
 * Nowhere is a long answer one text: joining its parts and converting the whole took 20 ms for 5 MB (docs/decisions.md 67).
 * @param mostBytes Only rows that are shown as often as they were read need no bound of their own.
 * @throws AnswerTooLargeError (docs/decisions.md 41)
 */
export async function writeAnswer(
  value: object,
  turns: WorkTurns,
  mostBytes: number = maximumAnswerBytes,
): Promise<Buffer> {
  if (!turns.hasWaited) {
    const length = jsonLength(value);
    if (length > mostBytes) throw new AnswerTooLargeError();
    if (length <= lengthPerTurn) return Buffer.from(stringify(value));
  }
  const pieces: JsonPart[] = [];
  let bytes = 0;
  for (const piece of toPieces(stringifyInPieces(value))) {
    // Also before the first: what this turn has received from the database took long enough.
    await turns.next();
    pieces.push(piece);
    bytes += Buffer.byteLength(piece);
    if (bytes > mostBytes) throw new AnswerTooLargeError();
  }
  // One buffer of the right size: more of them would only be garbage, and megabytes of garbage cost a full collection.
  const written = Buffer.allocUnsafeSlow(bytes);
  let at = 0;
  for (const piece of pieces) {
    await turns.next();
    at += typeof piece === 'string' ? written.write(piece, at) : piece.copy(written, at);
  }
  return written;
}

/** Joins short parts and cuts long ones, to what may be written in one turn. */
function* toPieces(parts: Iterable<JsonPart>): Generator<JsonPart, void> {
  let short: string[] = [];
  let length = 0;
  const takeShort = (): string => {
    const text = short.join('');
    [short, length] = [[], 0];
    return text;
  };
  for (const part of parts) {
    if (typeof part === 'string' && length + part.length <= lengthPerTurn) {
      short.push(part);
      length += part.length;
      continue;
    }
    if (length > 0) yield takeShort();
    if (typeof part === 'string') yield* cut(part);
    else yield part;
  }
  if (length > 0) yield takeShort();
}

function* cut(text: string): Generator<string, void> {
  for (let from = 0; from < text.length;) {
    const end = from + lengthPerTurn;
    // Half a surrogate pair has no UTF-8.
    const to = isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end;
    yield text.slice(from, to);
    from = to;
  }
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code < 0xdc00;
