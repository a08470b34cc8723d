import type { GraphQLError } from 'graphql';
import { ApiError } from '../errors/api-error';
import { toDatabaseApiError } from '../database/database-failure';
import { toApiError } from '../errors/to-api-error';

/**
 * An error of a result as one that may leave. What a resolver threw decides; an error without such an origin is about the
 * request itself (a variable that does not fit its type), and its text is graphql-js's own, written for the client.
 */
export function toPublicError(error: GraphQLError): ApiError {
  const thrown = error.originalError;
  if (thrown === undefined || thrown === null) return new ApiError('BAD_USER_INPUT', error.message);
  if (thrown instanceof ApiError) return thrown;
  return toDatabaseApiError(thrown) ?? toApiError(thrown);
}
