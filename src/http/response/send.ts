import type { Response, Request } from 'express';
import { yieldToLoop } from '../../common/fair-queue';
import { getOrMake } from '../../common/once';
import { rateLimitHeaders, toUnusedWindow } from '../../rate-limit/rate-limiter';
import { isRateLimited } from '../routes';
import { holdBytes, smallBytes } from '../request/buffered-bytes';
import { toServerTiming } from '../request/request';
import { hash } from 'node:crypto';
import { pipeline, Readable } from 'node:stream';
import type { BrotliCompress, Gzip } from 'node:zlib';
import { constants, createBrotliCompress, createGzip } from 'node:zlib';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';

/**
 * Counts a response until its client has read it (`../request/buffered-bytes.ts`). A client that reads slowly is not
 * stalled, and may hold as many responses as it may make calls, until they are too much for the process.
 * @param length The bytes held for this response, whether or not the system has accepted them.
 */
export function holdUntilRead(response: Response, length: number): void {
  if (length > smallBytes && !response.destroyed) response.on('close', holdBytes(response, length));
}

/** Bodies up to this size are written at once: a page of two hundred products of usual size. */
const wholeBytes = 512 * 1024;
const chunkBytes = 128 * 1024;

/**
 * Ends a response, a long body in chunks: writing megabytes to the socket at once takes tens of milliseconds, during
 * which no other request is answered. Each chunk is written once the previous one was sent, in a separate turn of the
 * event loop (docs/decisions.md 67).
 */
function endInChunks(response: Response, body: Buffer): void {
  holdUntilRead(response, body.length);
  response.locals.onHandOver?.();
  if (body.length <= wholeBytes) response.end(body);
  else Readable.from(cut(body, response.locals.principal?.shop.id)).pipe(response);
}

async function* cut(body: Buffer, queue: string | undefined): AsyncGenerator<Buffer, void, void> {
  for (let from = 0; from < body.length; from += chunkBytes) {
    yield body.subarray(from, from + chunkBytes);
    await yieldToLoop(queue);
  }
}

/**
 * Writes a whole response at once: status, the headers of every response, and the given ones as name, value, name,
 * value. node:http writes one flat list fastest.
 */
export function send(
  response: Response,
  status: number,
  headers: readonly string[],
  body?: Buffer,
  contentType = 'application/json',
): void {
  const all = [...linesOfEvery(response), ...headers];
  if (body !== undefined) all.push('Content-Type', contentType, 'Content-Length', String(body.length));
  response.writeHead(status, all);
  if (body === undefined) response.end();
  else endInChunks(response, body);
}

/** Begins a response that is made while it is sent, with the headers that `send` would write. */
export const begin = (response: Response, headers: readonly string[]): Response =>
  response.writeHead(200, [...linesOfEvery(response), ...headers]);

/** Sets the headers that `send` would write, for a handler that writes its own response; the given ones prevail. */
export function prepareHeaders(response: Response, headers: readonly string[] = []): void {
  const all = [...linesOfEvery(response), ...headers];
  for (let index = 0; index + 1 < all.length; index += 2) {
    response.setHeader(all[index] as string, all[index + 1] as string);
  }
}

/** Scripts of other origins read a response only if it has CORS headers. */
function linesOfEvery({ locals, req }: Response): string[] {
  const { route, requestId, steps } = locals;
  const lines = [
    ...(route?.isSameOriginOnly ? securityHeaders : standingHeaders),
    ...rateLimitLines(locals, req.originalUrl),
  ];
  if (requestId !== undefined) lines.push('X-Request-Id', requestId);
  if (steps !== undefined) lines.push('Server-Timing', toServerTiming(locals));
  return lines;
}

/** A call that draws on no bucket shows an unused window, so that no caller waits for what others did (D19). */
export function rateLimitLines(
  { limit = Infinity, rateLimit, principal }: Response['locals'],
  target: string,
): string[] {
  if (limit === Infinity) return [];
  const decision = rateLimit ?? (isRateLimited(target) ? toUnusedWindow(limit) : undefined);
  return decision === undefined ? [] : toLines(rateLimitHeaders(decision, principal === undefined ? 'address' : 'key'));
}

/** Flattens headers by name to a list. */
export function toLines(headers: Readonly<Record<string, string>>): string[] {
  const lines: string[] = [];
  for (const name in headers) lines.push(name, headers[name] as string);
  return lines;
}

export type ContentEncoding = 'br' | 'gzip';

/** Below this, a compressed body still fills one packet. */
const minimumEncodedBytes = 1024;

const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_MODE, BROTLI_PARAM_SIZE_HINT, BROTLI_MODE_TEXT } = constants;

/**
 * Compresses on libuv's threads, not on the event loop. At these qualities, a page of 50 kB shrinks to a seventh in
 * less than half a millisecond of CPU time; the next ones double that.
 * @param length of the whole body; 0 if unknown
 */
function createEncoder(encoding: ContentEncoding, length: number): BrotliCompress | Gzip {
  if (encoding === 'gzip') return createGzip({ level: 4 });
  const params = {
    [BROTLI_PARAM_QUALITY]: 3,
    [BROTLI_PARAM_MODE]: BROTLI_MODE_TEXT,
    [BROTLI_PARAM_SIZE_HINT]: length,
  };
  return createBrotliCompress({ params });
}

/**
 * Compresses a body of any length as it is made. Flushes the beginning immediately, so that the client sees a response.
 */
export function encodeChunks(
  chunks: Iterable<Buffer> | AsyncIterable<Buffer>,
  encoding: ContentEncoding,
): AsyncIterable<Buffer> {
  const encoder = createEncoder(encoding, 0);
  const withFlush = async function* (): AsyncGenerator<Buffer, void, void> {
    let isFirst = true;
    for await (const chunk of chunks) {
      yield chunk;
      if (isFirst) encoder.flush();
      isFirst = false;
    }
  };
  // Errors reach the reader.
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
export const tagOfBytes = (body: Buffer): string => `"${hash('sha256', body, 'base64url').slice(0, 27)}"`;

/** Each encoding is a separate representation, and a strong tag identifies one to the byte (RFC 9110 8.8.3.3). */
export const tagOfEncoding = (etag: string, encoding: ContentEncoding | undefined): string =>
  `${etag.slice(0, -1)}${tagEnding(encoding)}`;

const tagEnding = (encoding: ContentEncoding | undefined): string => (encoding === undefined ? '"' : `-${encoding}"`);

const entityTags = /(?:W\/)?("[^"]*")/g;

/**
 * The tags of If-None-Match (RFC 9110 13.1.2), for weak comparison, that belong to this encoding, converted to those of
 * the plain body. Anything that is not an entity tag matches nothing: the client then simply gets the representation.
 */
export function readKnownTags({ headers }: Request, encoding: ContentEncoding | undefined): readonly string[] {
  const ifNoneMatch = headers['if-none-match'];
  if (ifNoneMatch === undefined) return [];
  const ending = tagEnding(encoding);
  return Array.from(ifNoneMatch.matchAll(entityTags), ([, tag = '']) => tag)
    .filter((tag) => tag.endsWith(ending))
    .map((tag) => `${tag.slice(0, -ending.length)}"`);
}

/** `*` matches any existing representation (RFC 9110 13.1.2): only making one shows whether it exists. */
export const matchesAny = ({ headers }: Request): boolean => headers['if-none-match']?.trim() === '*';

/** Whether the client has cached the representation with this tag: then no body is sent. */
export const matchesIfNoneMatch = (request: Request, etag: string): boolean =>
  matchesAny(request) || readKnownTags(request, undefined).includes(etag);

/** The compressed forms of a body, which live as long as the body itself. */
type Forms = Partial<Record<ContentEncoding, Promise<Buffer>>>;
const compressed = new WeakMap<Buffer, Forms>();

/**
 * Compresses a body as the client prefers; compressed forms are cached.
 * @returns the body itself if it is too small for compression to help, unless the client refuses it
 */
export async function encodeBody(
  request: Request,
  body: Buffer,
  encoding: ContentEncoding | undefined,
): Promise<Buffer> {
  if (encoding === undefined || (body.length < minimumEncodedBytes && !refusesPlain(request))) return body;
  const forms = getOrMake<Buffer, Forms>(compressed, body, () => ({}));
  return (forms[encoding] ??= compress(encoding, body));
}

/** Functions such as `gzip()` would keep the body until V8 marks its whole heap, which it would then do sooner. */
const compress = async (encoding: ContentEncoding, body: Buffer): Promise<Buffer> =>
  Buffer.concat((await createEncoder(encoding, body.length).end(body).toArray()) as Buffer[]);

/** Sends such a body. @param headers As name, value, name, value; none of those that every response has. */
export async function sendEncoded(
  request: Request,
  response: Response,
  body: Buffer,
  headers: readonly string[],
  encoding: ContentEncoding | undefined,
  status = 200,
  contentType?: string,
): Promise<void> {
  const sent = await encodeBody(request, body, encoding);
  // The response was already 503 (request.ts).
  if (response.headersSent) return;
  const isEncoded = encoding !== undefined && sent !== body;
  send(response, status, isEncoded ? [...headers, 'Content-Encoding', encoding] : headers, sent, contentType);
}

/** Headers that a script in a browser may read, besides the few that are always readable. */
const exposedHeaders = [
  'ETag',
  'Ignored-Parameters',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
  'Retry-After',
  'WWW-Authenticate',
  'X-Request-Id',
];

const answerSecurityHeaders = helmet({
  // Responses are not pages; the few pages have their own policies.
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] },
  },
});

/** The headers of every response, as name, value, name, value: those that helmet sets on any request. */
export const securityHeaders: readonly string[] = recordSecurityHeaders();

/**
 * The headers of API responses. Browsers may call from any origin: credentials are sent in Authorization, never in
 * cookies.
 */
export const standingHeaders: readonly string[] = [
  ...securityHeaders,
  ...['access-control-allow-origin', '*'],
  ...['access-control-expose-headers', exposedHeaders.join(',')],
];

/** Response to a CORS preflight (Fetch, "CORS-preflight"): any header may be sent whose name is printable ASCII. */
export function preflightHeaders({ headers }: IncomingMessage): readonly string[] {
  const asked = headers['access-control-request-headers'];
  return [
    ...['Access-Control-Allow-Methods', 'GET,HEAD,POST,OPTIONS', 'Access-Control-Max-Age', '86400'],
    ...(asked !== undefined && /^[\x20-\x7e]+$/.test(asked) ? ['Access-Control-Allow-Headers', asked] : []),
    ...['Vary', 'Access-Control-Request-Headers'],
  ];
}

/** Computed once at start instead of per request. */
function recordSecurityHeaders(): string[] {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  answerSecurityHeaders(request, response, () => undefined);
  return response.getHeaderNames().flatMap((name) => [name, String(response.getHeader(name))]);
}
