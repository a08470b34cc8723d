import type { Response } from 'express';
import { startInOwnTurn } from '../../common/event-loop-turns';
import { findPrincipal, handOver } from '../request/request-state';
import { holdUntilRead } from './unread-answers';

/** Bodies up to this size are written at once: a page of two hundred products of usual size. */
const wholeBytes = 512 * 1024;
const pieceBytes = 128 * 1024;

/** Sends a body in parts, which are joined only if that is quick. The headers are set, except for the length. */
export function endWithParts(response: Response, parts: readonly Buffer[]): void {
  const bytes = sumOf(parts);
  response.setHeader('Content-Length', bytes);
  endInPieces(response, bytes <= wholeBytes ? [Buffer.concat(parts, bytes)] : parts);
}

/**
 * Ends a response, a long body in pieces: writing megabytes to the socket at once takes tens of milliseconds, during
 * which no other request is answered. Each piece is written once the previous one was sent, in a separate turn of the
 * event loop (docs/decisions.md 67).
 */
export function endInPieces(response: Response, parts: readonly Buffer[]): void {
  const bytes = sumOf(parts);
  holdUntilRead(response, bytes);
  handOver(response);
  const [whole] = parts;
  if (parts.length === 1 && whole !== undefined && bytes <= wholeBytes) return void response.end(whole);
  const pieces = parts.flatMap(cut);
  const last = pieces.length - 1;
  const lane = findPrincipal(response)?.shop.id;
  let next = 0;
  let waitsForDrain = false;
  const writeNext = (): void => {
    if (response.destroyed) return;
    const piece = pieces[next] as Buffer;
    next += 1;
    if (next > last) return void response.end(piece);
    if (response.write(piece)) startInOwnTurn(lane, writeNext);
    else waitsForDrain = true;
  };
  response.on('drain', () => {
    if (!waitsForDrain) return;
    waitsForDrain = false;
    startInOwnTurn(lane, writeNext);
  });
  writeNext();
}

const sumOf = (parts: readonly Buffer[]): number => parts.reduce((sum, { length }) => sum + length, 0);

function cut(part: Buffer): readonly Buffer[] {
  const pieces: Buffer[] = [];
  for (let from = 0; from < part.length; from += pieceBytes) pieces.push(part.subarray(from, from + pieceBytes));
  return pieces;
}
