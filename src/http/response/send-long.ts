import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import { toDatabaseApiError } from '../../database/database-failure';
import { countBytes } from '../request/request';
import type { ContentEncoding } from './content-encoding';
import { encodeChunks } from './content-encoding';
import { holdUntilRead, prepareHeaders, setHeaders } from './send';
import type { SpoolLimits } from './spool';
import { readBytes, Spool } from './spool';

/** An answer that is too long to be held, and is made while it is sent. */
interface LongAnswer {
  /** As name, value, name, value. */
  readonly headers: readonly string[];
  readonly encoding: ContentEncoding | undefined;
  /** Of the body as it is made, if that is known. */
  readonly bytes?: number;
  readonly chunks: AsyncIterable<Buffer>;
  /** Called when the response closes, however it ends. */
  readonly cancel: () => void;
}

/**
 * Sends a long body from a temporary file. What fails before its first bytes are there is thrown, and answered; what
 * fails later ends the connection: the client sees that the body is incomplete.
 * @returns whether all of it was sent; otherwise the client has left, or the request was answered before, too late
 */
export async function sendLong(
  request: Request,
  response: Response,
  { headers, encoding, bytes, chunks, cancel }: LongAnswer,
  limits: SpoolLimits,
): Promise<boolean> {
  const isUnwanted = (): boolean => response.headersSent || response.destroyed;
  if (isUnwanted()) cancel();
  response.once('close', cancel);
  // The steps in front and the pipeline listen too.
  response.setMaxListeners(20);
  const encoded = encoding === undefined ? chunks : encodeChunks(chunks, encoding);
  let spool: Spool | undefined;
  try {
    if (request.method !== 'HEAD') spool = await Spool.open(encoded, response, limits);
    if (isUnwanted()) return false;
    prepareHeaders(response);
    setHeaders(response, headers);
    if (encoding !== undefined) response.setHeader('Content-Encoding', encoding);
    else if (bytes !== undefined) response.setHeader('Content-Length', bytes);
    response.status(200);
    if (spool === undefined) {
      response.end();
      return true;
    }
    countBytes(response);
    holdUntilRead(response, 2 * readBytes);
    await pipeline(Readable.from(spool.read(), { objectMode: false, highWaterMark: readBytes }), response);
    return true;
  } catch (error) {
    if (spool?.failure === undefined && isUnwanted()) return false;
    throw toDatabaseApiError(error) ?? error;
  } finally {
    await spool?.close();
  }
}
