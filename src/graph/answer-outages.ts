import type { ApolloServerPlugin } from '@apollo/server';
import type { FormattedExecutionResult } from 'graphql';
import type { GraphqlContext } from './graphql-context';

/**
 * Responds to an outage without partial data with HTTP 503 and no data, wherever it began: before the operation, as
 * everywhere else, or after (docs/decisions.md 20). An answer that has a part of its data keeps it, with 200.
 */
export const answerOutages = (): ApolloServerPlugin<GraphqlContext> => ({
  requestDidStart: () =>
    Promise.resolve({
      willSendResponse({ response: { body, http } }) {
        if (body.kind !== 'single' || !isOutageOnly(body.singleResult)) return Promise.resolve();
        const { errors = [], extensions } = body.singleResult;
        http.status = 503;
        http.headers.set('retry-after', '1');
        // An error of a field would identify the field; this one is about the request, and one is enough.
        const request = errors.slice(0, 1).map(({ path: _path, ...error }) => error);
        body.singleResult = { errors: request, ...(extensions && { extensions }) };
        return Promise.resolve();
      },
    }),
});

const isOutageOnly = ({ data, errors = [] }: FormattedExecutionResult): boolean =>
  errors.length > 0 &&
  errors.every(({ extensions }) => extensions?.['code'] === 'SERVICE_UNAVAILABLE' && !('service' in extensions)) &&
  hasNoValue(data ?? {});

/** Whether no root field has a value. */
export const hasNoValue = (data: object): boolean => Object.values(data).every(isNothing);

/** An empty list is data; a list of nulls is not. */
const isNothing = (value: unknown): boolean =>
  value === null || (Array.isArray(value) && value.length > 0 && value.every(isNothing));
