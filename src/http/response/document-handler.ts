import type { RequestHandler } from 'express';
import { matchesIfNoneMatch } from './content-encoding';
import { tagOfBytes } from './content-encoding';
import { toJson } from './error-body';
import { send } from './send';

/** Serves a public document that does not change while the process runs, with an entity tag of its bytes (D7). */
export function createDocumentHandler(document: object, cacheControl: string): RequestHandler {
  const body = toJson(document);
  const etag = tagOfBytes(body);
  const headers = ['ETag', etag, 'Cache-Control', cacheControl];
  return (request, response) => {
    if (matchesIfNoneMatch(request, etag)) send(response, 304, headers);
    else send(response, 200, headers, body);
  };
}
