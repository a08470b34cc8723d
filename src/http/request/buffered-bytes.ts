import type { Request, Response } from 'express';
import type { MediaType } from '../../auth/oauth/token-request';
import { ApiError } from '../../errors/api-error';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { burdenSince, CallerLedger } from '../../common/caller-ledger';
import { addressBucket } from '../../rate-limit/rate-limiter';

const createTooLargeError = (maximumBytes: number): ApiError =>
  new ApiError('PAYLOAD_TOO_LARGE', `Expected a body of at most ${maximumBytes} bytes.`, {
    // A client that is still sending the rest must stop.
    headers: { Connection: 'close' },
  });

/** Smaller ones are bounded by the number of connections. */
export const smallBytes = 16 * 1024;

/** Memory of a chunk besides its bytes, which may be one. */
const bytesOfChunk = 512;

/** Of white space, only SP and HTAB surround a value (RFC 9110 5.6.3). */
const trimmed = /[^ \t](?:.*[^ \t])?/;

/** Parses the parts of a Content-Type that are used here (RFC 9110 8.3.1). Other parameters are ignored. */
export function parseMediaType(value: string): MediaType {
  const [essence = '', ...parameters] = value
    .toLowerCase()
    .split(';')
    .map((part) => trimmed.exec(part)?.[0] ?? '');
  const charsets = parameters
    .filter((parameter) => /^charset\b/.test(parameter))
    .map((parameter) => {
      const [, quoted = '', plain = quoted] = /^charset=(?:"([^"\\]*)"|([^"\\]*))$/.exec(parameter) ?? [];
      return plain;
    });
  return { essence, charsets };
}

/**
 * The whole body of a request, as it was sent.
 * @throws ApiError PAYLOAD_TOO_LARGE before more than `maximumBytes` are read, UNSUPPORTED_MEDIA_TYPE if it is
 * compressed, BAD_USER_INPUT if it ends too early
 */
export async function readBody(request: Request, maximumBytes: number): Promise<Buffer> {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'Content-Encoding: expected an uncompressed body.');
  }
  if (Number(request.headers['content-length'] ?? 0) > maximumBytes) throw createTooLargeError(maximumBytes);
  if (request.headers.expect !== undefined && request.httpVersion === '1.1') request.res?.writeContinue();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    let held = smallBytes;
    let release = (): void => undefined;
    request.on('close', () => release());
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > maximumBytes) return reject(createTooLargeError(maximumBytes));
      chunks.push(chunk);
      const memory = length + chunks.length * bytesOfChunk;
      if (memory <= held || request.res === undefined) return;
      release();
      held = 2 * memory;
      release = holdBytes(request.res, held);
    });
    request.on('end', () => resolve(Buffer.concat(chunks)));
    // The client disconnected or broke the framing. No client reads this response; it must not look like our fault in
    // the log.
    request.on('error', (cause) =>
      reject(new ApiError('BAD_USER_INPUT', 'The request body is incomplete.', { cause })),
    );
  });
}

/** Owner of a response: the caller's shop, or its IP address before authentication. */
export function callerOf(response: ServerResponse): string {
  // Express adds `ip` once it handles the request.
  const { ip, socket } = response.req as IncomingMessage & { readonly ip?: string | undefined };
  const shopId = 'locals' in response ? (response as Response).locals.principal?.shop.id : undefined;
  return shopId === undefined ? addressBucket(ip ?? socket.remoteAddress) : `shop:${shopId}`;
}

/** A reset, because the system would keep trying to deliver the bytes that it accepted. */
export const resetConnection = (socket: Socket | null): void => void socket?.resetAndDestroy();

/**
 * The maximum bytes held for clients that the process waits for: sixteen of the largest responses. Shared by the whole
 * process, like its memory.
 */
export const maximumBufferedBytes = 128 * 1024 * 1024;

const bufferedBytes = new CallerLedger();

/**
 * Counts bytes that are kept for a request or its response. Beyond the maximum, the caller that holds most loses the
 * connection with the largest burden.
 * @returns a function that ends the count
 */
export function holdBytes(response: ServerResponse, bytes: number): () => void {
  const since = performance.now();
  const caller = callerOf(response);
  const { socket } = response.req;
  const release = bufferedBytes.hold({
    caller: () => caller,
    amount: bytes,
    burden: () => burdenSince(since, bytes),
    giveWay: () => resetConnection(socket),
  });
  while (bufferedBytes.total > maximumBufferedBytes && bufferedBytes.evict() > 0);
  return release;
}
