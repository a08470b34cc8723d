import type { SubgraphResult } from '../subgraph-executor';
import { isJsonObject } from '../plan/json-objects';
import { readBoundedText } from './read-bounded-text';
import { TransportError } from './transport-error';

export interface GraphqlPost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly maxResponseBytes: number;
  readonly signal: AbortSignal;
}

const retryableStatuses: ReadonlySet<number> = new Set([502, 503, 504]);

/**
 * One GraphQL request over HTTP. Any well-formed GraphQL response counts, whatever its status.
 * @throws TransportError when there is none; the signal's reason when it was aborted.
 */
export async function postGraphql(post: GraphqlPost): Promise<SubgraphResult> {
  const response = await send(post);
  const { status } = response;
  if (retryableStatuses.has(status)) {
    await response.body?.cancel();
    throw new TransportError('SUBREQUEST_HTTP_ERROR', `HTTP ${status}`, { isRetryable: true, status });
  }
  const text = await readText(response, post);
  const result = parseJson(text);
  if (isJsonObject(result) && (isJsonObject(result['data']) || Array.isArray(result['errors']))) return result;
  throw response.ok
    ? new TransportError('SUBREQUEST_MALFORMED_RESPONSE', `HTTP ${status} without a GraphQL response`, { status })
    : new TransportError('SUBREQUEST_HTTP_ERROR', `HTTP ${status}`, { status });
}

async function send({ url, headers, body, signal }: GraphqlPost): Promise<Response> {
  try {
    return await fetch(url, {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        accept: 'application/graphql-response+json, application/json',
      },
      body: JSON.stringify(body),
      // A subgraph's address is configured; it must not be able to send us, and our headers, elsewhere.
      redirect: 'error',
      signal,
    });
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    throw new TransportError('SUBREQUEST_HTTP_ERROR', 'connection failed', { cause, isRetryable: true });
  }
}

async function readText(response: Response, { maxResponseBytes, signal }: GraphqlPost): Promise<string> {
  try {
    return await readBoundedText(response, maxResponseBytes);
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    if (cause instanceof TransportError) throw cause;
    throw new TransportError('SUBREQUEST_HTTP_ERROR', 'connection lost', { cause, isRetryable: true });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
