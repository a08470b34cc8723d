import type { Request } from 'express';
import { GraphQLError } from 'graphql';
import type { TrustedDocuments } from '../../../graph/limits/trusted-documents';

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
