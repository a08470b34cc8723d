import type { ErrorCode } from './errors.ts';
import { CatalogError } from './errors.ts';
import type { PageCache } from './page-cache.ts';
import type { HttpAnswer, Members } from './exchange.ts';
import { detailsOf, parseJson, unexpected } from './exchange.ts';
import type { Transport } from './transport.ts';

/** A body, and whether it came from the cache because the server responded 304. */
export interface RestAnswer<Body> {
  readonly body: Body;
  readonly isUnchanged: boolean;
}

/** Parameters that are null or undefined are not sent. */
export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Sends a GET request. @param path Below the base URL, with a leading slash. */
export type Get = <Body>(path: string, query: Query, signal?: AbortSignal) => Promise<RestAnswer<Body>>;

/** @param cache Keeps bodies with their ETags, which are sent to get a 304 while the data is unchanged. */
export function createGet(base: string, transport: Transport, cache: PageCache): Get {
  return <Body>(path: string, query: Query, signal?: AbortSignal) => {
    const url = `${base}${path}${toQueryText(query)}`;
    const cached = cache.find(url);
    return transport.send<RestAnswer<Body>>(
      { url, headers: cached === undefined ? {} : { 'If-None-Match': cached.etag } },
      (answer) => {
        if (answer.status === 304 && cached !== undefined)
          return { body: JSON.parse(cached.text) as Body, isUnchanged: true };
        const body = parseJson(answer);
        if (answer.status !== 200) throw toError(answer, body);
        if (typeof body['data'] !== 'object' || body['data'] === null) throw unexpected(answer, 'an API response');
        const etag = answer.headers.get('ETag');
        if (etag !== null) cache.keep(url, { etag, text: answer.text });
        return { body: body as Body, isUnchanged: false };
      },
      signal,
    );
  };
}

/** With the question mark; empty without parameters. */
function toQueryText(query: Query): string {
  const text = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) text.set(name, String(value));
  }
  return text.toString() === '' ? '' : `?${text.toString()}`;
}

/** The error of an API error response. */
function toError(answer: HttpAnswer, body: Members): CatalogError {
  const { error } = body as { readonly error?: { readonly code?: unknown; readonly message?: unknown } };
  if (typeof error?.code !== 'string') return unexpected(answer, 'an API error');
  return new CatalogError(error.code as ErrorCode, String(error.message), {
    status: answer.status,
    ...detailsOf(answer.headers),
  });
}
