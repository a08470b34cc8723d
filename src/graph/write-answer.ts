import { GraphQLError } from 'graphql';
import type { ExecutionResult } from 'graphql';
import { AnswerTooLargeError, maximumAnswerBytes } from '../catalog/answer-size';
import { stringify, stringifyInPieces } from '../catalog/passthrough/raw-json';
import type { WorkTurns } from '../event-loop-turns';
import { isTooLargeAnswer } from './bound-answers';

/** Characters that are written in one turn of the event loop: about a millisecond. */
const charactersPerTurn = 128 * 1024;

/**
 * Writes the data of an answer as JSON text, in turns of the event loop if the operation has used turns before.
 * @returns undefined if it is too large for an answer (docs/decisions.md 41)
 */
export async function writeAnswer(data: object, turns: WorkTurns): Promise<string | undefined> {
  if (!turns.hasWaited) return isTooLargeAnswer(data) ? undefined : stringify(data);
  let text = '';
  let pausedAt = 0;
  for (const piece of stringifyInPieces(data)) {
    text += piece;
    if (text.length > maximumAnswerBytes) return undefined;
    if (text.length - pausedAt < charactersPerTurn) continue;
    pausedAt = text.length;
    await turns.next();
  }
  return text;
}

/** Represents an answer that is too large; bound-answers.ts turns it into a refusal. */
export function tooLargeResult(): ExecutionResult {
  const originalError = new AnswerTooLargeError();
  return { data: null, errors: [new GraphQLError(originalError.message, { originalError })] };
}
