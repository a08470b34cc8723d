import type { Request } from 'express';
import { ApiError } from '../../errors/api-error';
import { holdBytes } from './buffered-bytes';

const createTooLargeError = (maximumBytes: number): ApiError =>
  new ApiError('PAYLOAD_TOO_LARGE', `Expected a body of at most ${maximumBytes} bytes.`, {
    // A client that is still sending the rest must stop.
    headers: { Connection: 'close' },
  });

/**
 * Collects the bytes in one buffer. A list of chunks would need two hundred bytes for each byte of a body that is sent
 * in chunks of one.
 */
class GrowingBuffer {
  #bytes = Buffer.alloc(0);
  length = 0;

  get capacity(): number {
    return this.#bytes.length;
  }

  append(chunk: Buffer): void {
    const length = this.length + chunk.length;
    if (length > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#bytes.length));
      this.#bytes.copy(larger, 0, 0, this.length);
      this.#bytes = larger;
    }
    chunk.copy(this.#bytes, this.length);
    this.length = length;
  }

  read(): Buffer {
    return this.#bytes.subarray(0, this.length);
  }
}

/** Smaller ones are bounded by the number of connections. */
const smallBytes = 16 * 1024;

/**
 * The whole body of a request, as it was sent.
 * @throws ApiError PAYLOAD_TOO_LARGE before more than `maximumBytes` are read, UNSUPPORTED_MEDIA_TYPE if it is
 * compressed, BAD_USER_INPUT if it ends too early
 */
export async function readBody(request: Request, maximumBytes: number): Promise<Buffer> {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'Content-Encoding: expected a body that is not compressed.');
  }
  if (Number(request.headers['content-length'] ?? 0) > maximumBytes) throw createTooLargeError(maximumBytes);
  if (request.headers.expect !== undefined && request.httpVersion === '1.1') request.res?.writeContinue();
  return new Promise((resolve, reject) => {
    const body = new GrowingBuffer();
    let held = smallBytes;
    let release = (): void => undefined;
    request.once('close', () => release());
    request.on('data', (chunk: Buffer) => {
      if (body.length + chunk.length > maximumBytes) return reject(createTooLargeError(maximumBytes));
      body.append(chunk);
      if (body.capacity <= held || request.res === undefined) return;
      release();
      held = body.capacity;
      release = holdBytes(request.res, held);
    });
    request.on('end', () => resolve(body.read()));
    // The client disconnected or broke the framing. No client reads this response; it must not look like our fault in
    // the log.
    request.on('error', (cause) =>
      reject(new ApiError('BAD_USER_INPUT', 'The body did not arrive in full.', { cause })),
    );
  });
}
