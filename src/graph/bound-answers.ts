import type { ApolloServerPlugin } from '@apollo/server';
import type { GraphQLError } from 'graphql';
import { AnswerTooLargeError, maximumAnswerBytes } from '../catalog/operation-reads';
import { jsonLength } from '../catalog/passthrough/passthrough-schema';
import type { GraphqlContext } from './graphql-context';
import { toPublicError } from './to-public-error';

/**
 * Refuses an operation that requests more than one answer may hold, as a whole, with 400 and one error
 * (docs/decisions.md 41): if its rows are too large, or if the data made from them would be. The latter is detected
 * before anything is written.
 */
export const boundAnswers = (): ApolloServerPlugin<GraphqlContext> => ({
  requestDidStart: () =>
    Promise.resolve({
      willSendResponse({ response: { body, http }, errors = [] }) {
        if (body.kind !== 'single') return Promise.resolve();
        const error =
          findRefusal(errors) ??
          (jsonLength(body.singleResult.data) > maximumAnswerBytes ? new AnswerTooLargeError() : undefined);
        if (error === undefined) return Promise.resolve();
        http.status = error.status;
        body.singleResult = { errors: [{ message: error.message, extensions: { code: error.code } }] };
        return Promise.resolve();
      },
    }),
});

function findRefusal(errors: readonly GraphQLError[]): AnswerTooLargeError | undefined {
  for (const error of errors) {
    const thrown = toPublicError(error);
    if (thrown instanceof AnswerTooLargeError) return thrown;
  }
  return undefined;
}
