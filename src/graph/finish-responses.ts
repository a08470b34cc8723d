import type { ApolloServerPlugin, GraphQLRequestContextWillSendResponse } from '@apollo/server';
import type { FormattedExecutionResult, GraphQLError } from 'graphql';
import { AnswerTooLargeError, maximumAnswerBytes } from '../catalog/operation-reads';
import { jsonLength } from '../catalog/passthrough/passthrough-schema';
import type { GraphqlContext } from './graphql-context';
import { toPublicError } from './to-public-error';

/** What the whole of a response decides: its status, and whether it may have data at all. */
export const finishResponses = (): ApolloServerPlugin<GraphqlContext> => ({
  requestDidStart: () =>
    Promise.resolve({
      willSendResponse(context) {
        const { body, http } = context.response;
        if (body.kind !== 'single') return Promise.resolve();
        if (isAnsweredWellAsJson(context, body.singleResult)) http.status = 200;
        const refusal = findRefusal(context.errors, body.singleResult);
        if (refusal !== undefined) {
          http.status = refusal.status;
          body.singleResult = { errors: [{ message: refusal.message, extensions: { code: refusal.code } }] };
        } else if (isOutageOnly(body.singleResult)) {
          const { errors = [], extensions } = body.singleResult;
          http.status = 503;
          http.headers.set('retry-after', '1');
          // An error of a field would identify the field; this one is about the request, and one is enough.
          const request = errors.slice(0, 1).map(({ path: _path, locations: _locations, ...error }) => error);
          body.singleResult = { errors: request, ...(extensions && { extensions }) };
        }
        return Promise.resolve();
      },
    }),
});

/**
 * GraphQL over HTTP, section 6.4: under `application/json` a well-formed request gets 200 even if its document does not
 * parse or validate; under `application/graphql-response+json` it gets 400. Apollo responds with 400 for both.
 */
function isAnsweredWellAsJson(
  { request }: GraphQLRequestContextWillSendResponse<GraphqlContext>,
  { errors }: FormattedExecutionResult,
): boolean {
  const prefersJson = !(request.http?.headers.get('accept') ?? '').includes('application/graphql-response+json');
  const code = errors?.[0]?.extensions?.['code'];
  return prefersJson && (code === 'GRAPHQL_PARSE_FAILED' || code === 'GRAPHQL_VALIDATION_FAILED');
}

/**
 * An operation that requests more than one answer may hold is refused as a whole, with 400 and one error
 * (docs/decisions.md 41): if its rows are too large, or if the data made from them would be. The latter is detected
 * before anything is written.
 */
function findRefusal(errors: readonly GraphQLError[] = [], { data }: FormattedExecutionResult) {
  for (const error of errors) {
    const thrown = toPublicError(error);
    if (thrown instanceof AnswerTooLargeError) return thrown;
  }
  return jsonLength(data) > maximumAnswerBytes ? new AnswerTooLargeError() : undefined;
}

/**
 * Whether there is nothing but an outage, wherever it began: before the operation, as everywhere else, or after. That
 * is answered with 503 and no data (docs/decisions.md 20); an answer that has a part of its data keeps it, with 200.
 */
const isOutageOnly = ({ data, errors = [] }: FormattedExecutionResult): boolean =>
  errors.length > 0 &&
  errors.every(({ extensions }) => extensions?.['code'] === 'SERVICE_UNAVAILABLE' && !('service' in extensions)) &&
  hasNoValue(data ?? {});

/** Whether no root field has a value. */
export const hasNoValue = (data: object): boolean => Object.values(data).every(isNothing);

/** An empty list is data; a list of nulls is not. */
const isNothing = (value: unknown): boolean =>
  value === null || (Array.isArray(value) && value.length > 0 && value.every(isNothing));
