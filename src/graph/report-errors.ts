import type { ApolloServerPlugin } from '@apollo/server';
import { GraphQLError } from 'graphql';
import type { ApiError } from '../errors/api-error';
import { toApiError } from '../errors/to-api-error';
import type { GraphqlContext } from './graphql-context';
import { serviceOf, toPublicError } from './to-public-error';

/** Reports the causes of errors that are answered with only a general message, with the request they belong to. */
export const reportErrors = (
  onInternalError: (error: ApiError, requestId: string | undefined) => void,
): ApolloServerPlugin<GraphqlContext> => ({
  requestDidStart: () =>
    Promise.resolve({
      didEncounterErrors({ errors, contextValue }) {
        for (const error of errors) {
          // Failures of other teams' subgraphs are reported where those are queried.
          if (serviceOf(error) !== undefined) continue;
          const publicError = error instanceof GraphQLError ? toPublicError(error) : toApiError(error);
          if (publicError.cause !== undefined) onInternalError(publicError, contextValue.requestId);
        }
        return Promise.resolve();
      },
    }),
  unexpectedErrorProcessingRequest({ error, requestContext }) {
    onInternalError(toApiError(error), requestContext.contextValue.requestId);
    return Promise.resolve();
  },
});
