import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';
import type { Request } from 'express';

export type ContentEncoding = 'br' | 'gzip';

/** Below this, a compressed body still fills one packet. */
const minimumEncodedBytes = 1024;

/**
 * Qualities at which a page of 50 kB shrinks to a seventh in less than half a millisecond of CPU time; the next ones
 * double that.
 */
const brotliQuality = 3;
const gzipLevel = 4;

/** Runs on libuv's threads, not on the event loop. */
const encoders = {
  br: promisify((body: Buffer, done: (error: Error | null, result: Buffer) => void) =>
    brotliCompress(
      body,
      {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: brotliQuality,
          [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
          [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
        },
      },
      done,
    ),
  ),
  gzip: promisify((body: Buffer, done: (error: Error | null, result: Buffer) => void) =>
    gzip(body, { level: gzipLevel }, done),
  ),
} as const;

/** Compresses a body of any length as it is made; the beginning at once, so that its reader knows that there is one. */
export function encodeChunks(
  chunks: Iterable<Buffer> | AsyncIterable<Buffer>,
  encoding: ContentEncoding,
): AsyncIterable<Buffer> {
  const { BROTLI_PARAM_QUALITY: quality, BROTLI_PARAM_MODE: mode, BROTLI_MODE_TEXT: text } = constants;
  const encoder =
    encoding === 'gzip'
      ? createGzip({ level: gzipLevel })
      : createBrotliCompress({ params: { [quality]: brotliQuality, [mode]: text } });
  const withFlush = async function* (): AsyncGenerator<Buffer, void, void> {
    let isFirst = true;
    for await (const chunk of chunks) {
      yield chunk;
      if (isFirst) encoder.flush();
      isFirst = false;
    }
  };
  // An error reaches who reads.
  pipeline(withFlush, encoder, () => undefined);
  return encoder as AsyncIterable<Buffer>;
}

/**
 * The encoding that the client prefers to the plain body; undefined for the plain one (RFC 9110 12.5.3). A client that
 * refuses the plain body gets an encoding that it does not refuse. The preferences of one that refuses everything are
 * disregarded (RFC 9110 12.1).
 */
export function chooseEncoding(request: Request): ContentEncoding | undefined {
  const accepted = request.headers['accept-encoding'];
  if (accepted === undefined) return undefined;
  const chosen = request.acceptsEncodings('br', 'gzip', 'identity');
  if (chosen !== false) return chosen === 'br' || chosen === 'gzip' ? chosen : undefined;
  const refused = String(accepted).split(',').map((entry) => entry.split(';')[0]?.trim().toLowerCase()); // prettier-ignore
  return refused.includes('*') ? undefined : (['gzip', 'br'] as const).find((encoding) => !refused.includes(encoding));
}

const refusesPlain = (request: Request): boolean =>
  request.headers['accept-encoding'] !== undefined && request.acceptsEncodings('identity') === false;

/** The strong entity tag of a body that stays the same while the process runs. */
export const tagOfBytes = (body: Buffer): string =>
  `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;

/** Each encoding is a separate representation, and a strong tag identifies one to the byte (RFC 9110 8.8.3.3). */
export const tagOfEncoding = (etag: string, encoding: ContentEncoding | undefined): string =>
  `${etag.slice(0, -1)}${tagEnding(encoding)}`;

const tagEnding = (encoding: ContentEncoding | undefined): string => (encoding === undefined ? '"' : `-${encoding}"`);

const entityTags = /(?:W\/)?("[^"]*")/g;

/**
 * The tags of If-None-Match (RFC 9110 13.1.2), to be compared weakly, that name something in this encoding, as they are
 * without it. Anything that is not an entity tag matches nothing: the client then simply gets the representation.
 */
export function readKnownTags({ headers }: Request, encoding: ContentEncoding | undefined): readonly string[] {
  const ifNoneMatch = headers['if-none-match'];
  if (ifNoneMatch === undefined) return [];
  const ending = tagEnding(encoding);
  return Array.from(ifNoneMatch.matchAll(entityTags), ([, tag = '']) => tag)
    .filter((tag) => tag.endsWith(ending))
    .map((tag) => `${tag.slice(0, -ending.length)}"`);
}

/** `*` asks whether a representation exists at all (RFC 9110 13.1.2): only making one determines that. */
export const matchesAny = ({ headers }: Request): boolean => headers['if-none-match']?.trim() === '*';

/** Whether the client holds what has this tag: then no body is sent. */
export const matchesIfNoneMatch = (request: Request, etag: string): boolean =>
  matchesAny(request) || readKnownTags(request, undefined).includes(etag);

/** Parts up to this length are joined and compressed at once. */
const wholeBytes = 512 * 1024;

/**
 * Compresses a body that is sent once, before any of it is sent: an encoder takes megabytes, and would be kept for as
 * long as the client reads.
 * @returns the body itself if it is too small for compression to help, unless the client refuses it
 */
export async function encodeParts(
  request: Request,
  parts: readonly Buffer[],
  encoding: ContentEncoding,
): Promise<readonly Buffer[]> {
  const bytes = parts.reduce((sum, { length }) => sum + length, 0);
  if (bytes < minimumEncodedBytes && !refusesPlain(request)) return parts;
  if (bytes <= wholeBytes) return [await encoders[encoding](Buffer.concat(parts, bytes))];
  const encoded: Buffer[] = [];
  for await (const chunk of encodeChunks(parts, encoding)) encoded.push(chunk);
  return encoded;
}

/**
 * Compresses cached bodies. A body that is sent again is not compressed again: its compressed forms live as long as the
 * body itself, and are smaller.
 */
export function createBodyEncoder() {
  const known = new WeakMap<Buffer, Partial<Record<ContentEncoding, Promise<Buffer>>>>();
  /** @returns the body itself if it is too small for compression to help, unless the client refuses it */
  return async (request: Request, body: Buffer, encoding: ContentEncoding): Promise<Buffer> => {
    if (body.length < minimumEncodedBytes && !refusesPlain(request)) return body;
    const forms = known.get(body) ?? {};
    known.set(body, forms);
    return (forms[encoding] ??= encoders[encoding](body));
  };
}
