import { parseJson } from '../../common/parse-json';
import type { Cancellation } from '../../common/cancellation';
import type { AnswerLimits, TakesFromBudget } from '../answer/answer-budget';
import type { SubgraphResult } from '../subgraph-executor';
import type { JsonObject } from '../answer/json-objects';
import { isJsonObject } from '../answer/json-objects';
import { BoundedText } from './bounded-text';
import { postHttp } from './http-post';
import type { HttpHead } from './http-post';
import { TransportError } from './transport-error';

export interface GraphqlPost {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
  readonly limits: AnswerLimits;
  /** Limits the size of all answers of the operation together. */
  readonly budget?: TakesFromBudget | undefined;
  readonly cancellation: Cancellation;
}

/** A response that may be a GraphQL response. */
export interface ReceivedText extends HttpHead {
  readonly text: string;
}

const retryableStatuses: ReadonlySet<number> = new Set([502, 503, 504]);

/**
 * Sends one GraphQL request over HTTP.
 * @throws TransportError when there is no response, or one that is too large or not JSON; the reason of the
 * cancellation when it was canceled.
 */
export async function receiveText({ limits, budget, headers, ...post }: GraphqlPost): Promise<ReceivedText> {
  const text = new BoundedText(limits, budget);
  let head: HttpHead | undefined;
  await postHttp({
    ...post,
    headers: {
      ...headers,
      'content-type': 'application/json',
      accept: 'application/graphql-response+json, application/json',
    },
    onHead(received) {
      refuseOtherHeads(received);
      head = received;
      return (chunk) => text.add(chunk);
    },
  });
  return { ...(head as unknown as HttpHead), text: text.toString() };
}

/**
 * Accepts any well-formed GraphQL response, whatever its status, except a redirect: a subgraph's URL is configured, and
 * the subgraph must not redirect our requests and headers elsewhere.
 * @throws TransportError for any other response
 */
export function readGraphqlResponse(received: ReceivedText): SubgraphResult {
  const result = parseJson(received.text);
  const fault = faultOf(result);
  if (fault !== undefined) throw noAnswer(received, fault);
  return toResult(result as JsonObject);
}

/** @throws TransportError for the head of a response that is not a GraphQL response. */
function refuseOtherHeads(head: HttpHead): void {
  const { status, mediaType, retryAfterSeconds } = head;
  if (retryableStatuses.has(status)) {
    throw new TransportError('SUBREQUEST_HTTP_ERROR', `HTTP ${status}`, {
      isRetryable: true,
      status,
      retryAfterSeconds,
    });
  }
  if (status >= 300 && status < 400) throw noAnswer(head, 'a redirect');
  if (mediaType !== undefined && !isJsonMediaType(mediaType)) {
    throw noAnswer(head, `media type ${mediaType.slice(0, 100)}`);
  }
}

/**
 * Includes the types that indicate JSON by their suffix. Responses in parts (`multipart/mixed`, `text/event-stream`)
 * were not requested.
 */
const isJsonMediaType = (mediaType: string): boolean => mediaType === 'application/json' || mediaType.endsWith('+json');

const noAnswer = ({ status, retryAfterSeconds }: HttpHead, fault: string): TransportError =>
  status >= 200 && status < 300
    ? new TransportError('SUBREQUEST_MALFORMED_RESPONSE', `HTTP ${status} without a GraphQL response: ${fault}`, {
        status,
      })
    : new TransportError('SUBREQUEST_HTTP_ERROR', `HTTP ${status}`, { status, retryAfterSeconds });

/**
 * Explains why JSON is not a GraphQL response (GraphQL 7.1): null or empty `errors` count as absent, and then data is
 * required.
 */
function faultOf(result: unknown): string | undefined {
  if (!isJsonObject(result)) return result === undefined ? 'not JSON' : 'not a JSON object';
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
