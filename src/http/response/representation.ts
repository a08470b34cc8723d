import type { RequestHandler } from 'express';
import {
  chooseEncoding,
  encodeBody,
  matchesIfNoneMatch,
  prepareHeaders,
  tagOfBytes,
  tagOfEncoding,
  toLines,
} from './send';

/** A text that stays the same while the process runs, ready to be sent. */
export interface Representation {
  readonly body: Buffer;
  readonly contentType: string;
  /** As name, value, name, value. */
  readonly headers: readonly string[];
  /** Undefined if caches must not store it. */
  readonly etag?: string;
}

/** Caches revalidate each time: a page never runs with the script of another version for longer than a deployment. */
export function createPublicRepresentation(
  text: string | Buffer,
  contentType: string,
  headers: Readonly<Record<string, string>> = {},
): Representation {
  const body = typeof text === 'string' ? Buffer.from(text) : text;
  const own = { 'Cache-Control': 'public, no-cache', Vary: 'Accept-Encoding', ...headers };
  return { body, contentType, etag: tagOfBytes(body), headers: toLines(own) };
}

/** The same for one that holds the demo key. */
export const createPrivateRepresentation = (
  text: string,
  contentType: string,
  headers: Readonly<Record<string, string>>,
): Representation => ({
  body: Buffer.from(text),
  contentType,
  headers: toLines({ 'Cache-Control': 'no-store', Vary: 'Accept-Encoding', ...headers }),
});

/** Responds in the encoding that fits the request. */
export const createRepresentationHandler =
  (choose: (request: Parameters<RequestHandler>[0]) => Representation): RequestHandler =>
  async (request, response) => {
    const { body, contentType, headers, etag } = choose(request);
    // Fonts are compressed already.
    const encoding = contentType.startsWith('font/') ? undefined : chooseEncoding(request);
    const sent = await encodeBody(request, body, encoding);
    // A page's own policies replace those of every response.
    prepareHeaders(response, headers);
    const tag = etag && tagOfEncoding(etag, encoding);
    if (tag !== undefined) response.setHeader('ETag', tag);
    if (tag !== undefined && matchesIfNoneMatch(request, tag)) return void response.writeHead(304).end();
    if (encoding !== undefined && sent !== body) response.setHeader('Content-Encoding', encoding);
    response.writeHead(200, { 'Content-Type': contentType, 'Content-Length': sent.length }).end(sent);
  };
