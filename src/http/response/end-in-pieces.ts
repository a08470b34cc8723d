import type { RequestHandler, Response } from 'express';
import { startInOwnTurn } from '../../event-loop-turns';
import { findPrincipal } from '../request/request-state';
import { holdUntilRead } from './unread-answers';

/** Bodies up to this size are written at once: a page of two hundred products of usual size. */
const wholeBytes = 512 * 1024;
const pieceBytes = 128 * 1024;

/**
 * Ends a response, a long body in pieces: writing megabytes to the socket at once takes tens of milliseconds, during
 * which no other request is answered. Each piece is written once the previous one was sent, in a separate turn of the
 * event loop (docs/decisions.md 67).
 */
export function endInPieces(
  response: Response,
  body: Buffer,
  end: (last: Buffer) => void = (last) => response.end(last),
): void {
  holdUntilRead(response, body);
  if (body.length <= wholeBytes) return end(body);
  const lane = findPrincipal(response)?.shop.id;
  let from = 0;
  let waitsForDrain = false;
  const writeNext = (): void => {
    if (response.destroyed) return;
    const piece = body.subarray(from, from + pieceBytes);
    from += pieceBytes;
    if (from >= body.length) return end(piece);
    if (response.write(piece)) startInOwnTurn(lane, writeNext);
    else waitsForDrain = true;
  };
  // One listener for all pieces: `compression` passes each of them to its stream, and cannot remove them.
  response.on('drain', () => {
    if (!waitsForDrain) return;
    waitsForDrain = false;
    startInOwnTurn(lane, writeNext);
  });
  writeNext();
}

/** Makes a handler that ends its own response end it in pieces. */
export const putEndInPieces: RequestHandler = (_request, response, next) => {
  const end = response.end.bind(response) as (chunk?: unknown, ...more: unknown[]) => Response;
  response.end = ((chunk?: unknown, ...more: unknown[]) => {
    if (!Buffer.isBuffer(chunk)) return end(chunk, ...more);
    endInPieces(response, chunk, (last) => void end(last, ...more));
    return response;
  }) as Response['end'];
  next();
};
