import type { AnswerBudget, AnswerLimits } from '../answer/answer-budget';
import type { SubgraphResult } from '../subgraph-executor';
import type { JsonObject } from '../plan/json-objects';
import { isJsonObject } from '../plan/json-objects';
import { postHttp } from './http-post';
import type { HttpResponse } from './http-post';
import { readBoundedText } from './read-bounded-text';
import { TransportError } from './transport-error';

export interface GraphqlPost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly limits: AnswerLimits;
  /** Limits the size of all answers of the operation together. */
  readonly budget?: AnswerBudget | undefined;
  readonly signal: AbortSignal;
}

const retryableStatuses: ReadonlySet<number> = new Set([502, 503, 504]);

/**
 * Sends one GraphQL request over HTTP. Any well-formed GraphQL response counts, whatever its status, except that of a
 * redirect: a subgraph's address is configured, and the subgraph must not redirect us, and our headers, elsewhere.
 * @throws TransportError when there is none; the signal's reason when it was aborted.
 */
export async function postGraphql(post: GraphqlPost): Promise<SubgraphResult> {
  const response = await send(post);
  const { status, mediaType, retryAfterSeconds } = response;
  if (retryableStatuses.has(status)) {
    response.discard();
    throw new TransportError('SUBREQUEST_HTTP_ERROR', `HTTP ${status}`, {
      isRetryable: true,
      status,
      retryAfterSeconds,
    });
  }
  const problem =
    status >= 300 && status < 400
      ? 'a redirect'
      : mediaType !== undefined && !isJsonMediaType(mediaType)
        ? `of the media type ${mediaType.slice(0, 100)}`
        : undefined;
  if (problem !== undefined) {
    response.discard();
    throw noAnswer(status, problem, retryAfterSeconds);
  }
  const result = parseJson(await readText(response, post));
  const fault = faultOf(result);
  if (fault === undefined) return toResult(result as JsonObject);
  throw noAnswer(status, fault, retryAfterSeconds);
}

/**
 * Includes the types that indicate JSON by their suffix. Responses in parts (`multipart/mixed`, `text/event-stream`)
 * were not requested.
 */
const isJsonMediaType = (mediaType: string): boolean => mediaType === 'application/json' || mediaType.endsWith('+json');

const noAnswer = (status: number, fault: string, retryAfterSeconds: number | undefined): TransportError =>
  status >= 200 && status < 300
    ? new TransportError('SUBREQUEST_MALFORMED_RESPONSE', `HTTP ${status} without a GraphQL response: ${fault}`, {
        status,
      })
    : new TransportError('SUBREQUEST_HTTP_ERROR', `HTTP ${status}`, { status, retryAfterSeconds });

/**
 * Returns why JSON is not a GraphQL response (GraphQL 7.1): null or empty `errors` count as none, and then data is
 * required.
 */
function faultOf(result: unknown): string | undefined {
  if (!isJsonObject(result)) return result === undefined ? 'no JSON' : 'no JSON object';
  const { data, errors } = result;
  if (data !== undefined && data !== null && !isJsonObject(data)) return 'data that is not an object';
  if (errors !== undefined && errors !== null && !Array.isArray(errors)) return 'errors that are not a list';
  const hasErrors = Array.isArray(errors) && errors.length > 0;
  return hasErrors || isJsonObject(data) ? undefined : 'neither data nor errors';
}

/** Only the members of a GraphQL response. */
const toResult = ({ data, errors }: JsonObject): SubgraphResult => ({
  ...(data !== undefined && { data: data as JsonObject | null }),
  ...(Array.isArray(errors) && errors.length > 0 && { errors }),
});

const send = ({ url, headers, body, signal }: GraphqlPost): Promise<HttpResponse> =>
  postHttp({
    url,
    headers: {
      ...headers,
      'content-type': 'application/json',
      accept: 'application/graphql-response+json, application/json',
    },
    body: JSON.stringify(body),
    signal,
  });

async function readText(response: HttpResponse, { limits, budget, signal }: GraphqlPost): Promise<string> {
  try {
    return await readBoundedText(response.body(), limits, budget);
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
