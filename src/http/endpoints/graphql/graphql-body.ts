import type { Request } from 'express';
import { ApiError } from '../../../errors/api-error';
import { parseMediaType } from '../../../common/header-value';
import { readBody } from '../../request/read-body';

/** Ten times the largest document that the token limit allows. */
const maximumBytes = 256 * 1024;

/** JSON is UTF-8 (RFC 8259 8.1), and ASCII is a subset of it. */
const charsets = ['utf-8', 'utf8', 'us-ascii'];

const bodies = new WeakMap<Request, Promise<unknown>>();

/**
 * The parsed body of a POST to /graphql; undefined for other methods. It is parsed once, on the first call: without a
 * credential the operation itself decides whether one is needed (D26).
 * @throws ApiError BAD_USER_INPUT, PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE
 */
export function readGraphqlBody(request: Request): Promise<unknown> {
  let body = bodies.get(request);
  if (body === undefined) {
    body = request.method === 'POST' ? parseBody(request) : Promise.resolve(undefined);
    bodies.set(request, body);
  }
  return body;
}

async function readBytes(request: Request): Promise<Buffer> {
  const { essence, charsets: named } = parseMediaType(request.headers['content-type'] ?? '');
  if (essence !== 'application/json') {
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'Content-Type: expected application/json.');
  }
  if (!named.every((charset) => charsets.includes(charset))) {
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'Content-Type: expected the charset utf-8, or none.');
  }
  return readBody(request, maximumBytes);
}

async function parseBody(request: Request): Promise<unknown> {
  const text = (await readBytes(request)).toString();
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new ApiError('BAD_USER_INPUT', 'The body: expected a JSON object with the member "query".', { cause });
  }
}
