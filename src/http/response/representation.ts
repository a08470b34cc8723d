import type { RequestHandler } from 'express';
import {
  chooseEncoding,
  createBodyEncoder,
  matchesIfNoneMatch,
  tagOfBytes,
  tagOfEncoding,
  prepareHeaders,
} from './send';

/** A text that stays the same while the process runs, ready to be sent. */
export interface Representation {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  /** Left out where no cache may keep it. */
  readonly etag?: string;
}

const encode = createBodyEncoder();

/**
 * Caches ask again each time, and get 304: a page never runs with the script of another version for longer than a
 * deploy.
 */
export function createPublicRepresentation(
  text: string | Buffer,
  contentType: string,
  headers: Readonly<Record<string, string>> = {},
): Representation {
  const body = typeof text === 'string' ? Buffer.from(text) : text;
  return {
    body,
    etag: tagOfBytes(body),
    headers: { 'Content-Type': contentType, 'Cache-Control': 'public, no-cache', Vary: 'Accept-Encoding', ...headers },
  };
}

/** The same for one that holds the demo key. */
export function createPrivateRepresentation(
  text: string,
  contentType: string,
  headers: Readonly<Record<string, string>>,
): Representation {
  return {
    body: Buffer.from(text),
    headers: { 'Content-Type': contentType, 'Cache-Control': 'no-store', Vary: 'Accept-Encoding', ...headers },
  };
}

/** Answers with what fits the request. */
export const createRepresentationHandler =
  (choose: (request: Parameters<RequestHandler>[0]) => Representation): RequestHandler =>
  async (request, response) => {
    const { body, headers, etag } = choose(request);
    // Fonts are compressed already.
    const encoding = headers['Content-Type']?.startsWith('font/') === true ? undefined : chooseEncoding(request);
    const sent = encoding === undefined ? body : await encode(request, body, encoding);
    prepareHeaders(response);
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    if (etag !== undefined) {
      const tag = tagOfEncoding(etag, encoding);
      response.setHeader('ETag', tag);
      if (matchesIfNoneMatch(request, tag)) {
        response.removeHeader('Content-Type');
        response.writeHead(304).end();
        return;
      }
    }
    if (encoding !== undefined && sent !== body) response.setHeader('Content-Encoding', encoding);
    response.writeHead(200, { 'Content-Length': sent.length }).end(sent);
  };
