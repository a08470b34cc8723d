import type { Response } from 'express';
import { holdBytes } from '../request/held-bytes';

/** Smaller ones are bounded by the number of connections. */
const smallBytes = 16 * 1024;

/**
 * Counts an answer until its client has read it (`../request/held-bytes.ts`). A client that reads slowly is not a stalled one,
 * and may hold as many answers as it may make calls, until they are too much for the process.
 * @param length The bytes that are held for this answer, whether or not they were passed to the system.
 */
export function holdUntilRead(response: Response, length: number): void {
  if (length > smallBytes && !response.destroyed) response.once('close', holdBytes(response, length));
}
