import type { ApolloServerPlugin } from '@apollo/server';
import { GraphQLError } from 'graphql';
import type { ApiError } from '../errors/api-error';
import { toApiError } from '../errors/to-api-error';
import type { GraphqlContext } from './graphql-context';
import { serviceOf, toPublicError } from './to-public-error';

/** Tells what went wrong underneath errors that are answered with a general message only, with the request they belong to. */
export const reportErrors = (
  onInternalError: (error: ApiError, requestId: string | undefined) => void,
): ApolloServerPlugin<GraphqlContext> => ({
  requestDidStart: () =>
    Promise.resolve({
      didEncounterErrors({ errors, contextValue }) {
        for (const error of errors) {
          // Other teams' failures are told by who asked them.
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
