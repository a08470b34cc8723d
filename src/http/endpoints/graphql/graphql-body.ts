import type { Request } from 'express';
import { ApiError } from '../../../errors/api-error';
import { parseMediaType } from '../../../common/header-value';
import { readBody } from '../../request/read-body';
import { GraphQLError } from 'graphql';
import type { TrustedDocuments } from '../../../graph/limits/trusted-documents';

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

/**
 * Replaces the identifier of a trusted document, in the body or in the query string, by its text, so that later steps
 * handle documents as text only.
 * @throws GraphQLError, ApiError if the request may not run (see trusted-documents.ts)
 */
export function resolveTrustedDocument(documents: TrustedDocuments, request: Request): void {
  const body: unknown = request.body;
  if (request.method === 'POST') {
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return;
    const source = documents.resolve(body)?.source;
    if (source !== undefined) request.body = withText(body, source);
    return;
  }
  const url = new URL(request.url, 'http://localhost');
  const { extensions, ...others } = Object.fromEntries(url.searchParams);
  const source = documents.resolve({ ...others, extensions: parseJson(extensions) })?.source;
  if (source === undefined) return;
  url.searchParams.set('query', source);
  url.searchParams.delete('documentId');
  url.searchParams.delete('extensions');
  request.url = url.pathname + url.search;
}

/** Removes the identifier: Apollo Server would look it up in its own store. */
function withText(body: object, query: string): object {
  const { documentId: _documentId, extensions: _extensions, ...others } = body as Record<string, unknown>;
  return { ...others, query };
}

function parseJson(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as unknown);
  } catch {
    throw new GraphQLError('extensions: expected a JSON object.', { extensions: { code: 'BAD_USER_INPUT' } });
  }
}
