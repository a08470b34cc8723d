import type { ApolloServerPlugin } from '@apollo/server';
import type { FormattedExecutionResult } from 'graphql';
import type { GraphqlContext } from './graphql-context';

/**
 * An outage that leaves nothing to answer with is HTTP 503 without data, wherever it began: before the operation, as everywhere
 * else, or after (docs/decisions.md 24). Whoever has a part of the answer keeps it, with 200.
 */
export const answerOutages = (): ApolloServerPlugin<GraphqlContext> => ({
  requestDidStart: () =>
    Promise.resolve({
      willSendResponse({ response: { body, http } }) {
        if (body.kind !== 'single' || !isOutageOnly(body.singleResult)) return Promise.resolve();
        const { errors = [], extensions } = body.singleResult;
        http.status = 503;
        http.headers.set('retry-after', '1');
        // An error of a field would name it; this is one of the request, and one is enough.
        const request = errors.slice(0, 1).map(({ path: _path, ...error }) => error);
        body.singleResult = { errors: request, ...(extensions && { extensions }) };
        return Promise.resolve();
      },
    }),
});

const isOutageOnly = ({ data, errors = [] }: FormattedExecutionResult): boolean =>
  errors.length > 0 &&
  errors.every(({ extensions }) => extensions?.['code'] === 'SERVICE_UNAVAILABLE') &&
  Object.values(data ?? {}).every(isNothing);

/** An empty list is an answer; one of nulls is none. */
const isNothing = (value: unknown): boolean =>
  value === null || (Array.isArray(value) && value.length > 0 && value.every(isNothing));
