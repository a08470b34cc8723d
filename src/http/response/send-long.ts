import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import { toDatabaseApiError } from '../../database/database-failure';
import type { LongBody } from '../../graph/graph';
import { countBytes } from '../request/request-state';
import type { ContentEncoding } from './content-encoding';
import { createEncodingStream } from './content-encoding';
import { holdUntilRead, prepareHeaders, setHeaders } from './send';

/**
 * Read ahead of the client, so that its source can close before a slow one is done: twice the largest answer that is
 * not long.
 */
const readAheadBytes = 16 * 1024 * 1024;

interface LongAnswer {
  /** As name, value, name, value. */
  readonly headers: readonly string[];
  readonly encoding: ContentEncoding | undefined;
  readonly body: LongBody;
}

/**
 * Sends a body while it is read. What fails after the status was sent ends the connection: the client sees that the
 * body is incomplete.
 */
export async function sendLong(
  request: Request,
  response: Response,
  { headers, encoding, body }: LongAnswer,
): Promise<void> {
  // Answered already, because it took too long, or left by the client.
  if (response.headersSent || response.destroyed) return body.cancel();
  response.once('close', () => body.cancel());
  // The steps in front and the pipeline listen too.
  response.setMaxListeners(20);
  prepareHeaders(response);
  setHeaders(response, headers);
  response.setHeader('Content-Type', 'application/json');
  if (encoding === undefined) response.setHeader('Content-Length', body.bytes);
  else response.setHeader('Content-Encoding', encoding);
  response.status(200);
  if (request.method === 'HEAD') return void response.end();

  countBytes(response);
  holdUntilRead(response, Math.min(body.bytes, readAheadBytes));
  const chunks = Readable.from(body.chunks, { objectMode: false, highWaterMark: readAheadBytes });
  try {
    if (encoding === undefined) await pipeline(chunks, response);
    else await pipeline(chunks, createEncodingStream(encoding), response);
  } catch (error) {
    const isLeft = (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE';
    if (!isLeft) throw toDatabaseApiError(error) ?? error;
  }
}
