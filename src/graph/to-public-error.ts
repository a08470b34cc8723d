import { GraphQLError } from 'graphql';
import { ApiError } from '../errors/api-error';
import { toDatabaseApiError } from '../database/database-failure';
import { toApiError } from '../errors/to-api-error';

/**
 * Converts an error of a result to one that clients may see. The error that a resolver threw decides. An error without
 * a field that was not thrown, or that graphql-js made of the error of a scalar, is about the request itself (a
 * variable that does not fit its type): its text is written for the client.
 */
export function toPublicError(error: GraphQLError): ApiError {
  // Fields that a composed graph refused before it queried anything for them: no error was thrown.
  if (error.originalError === undefined && error.extensions['code'] === 'FORBIDDEN')
    return new ApiError('FORBIDDEN', error.message);
  const thrown = error.originalError ?? (error.path === undefined ? undefined : error);
  if (thrown === undefined || (error.path === undefined && thrown instanceof GraphQLError))
    return new ApiError('BAD_USER_INPUT', error.message);
  if (thrown instanceof ApiError) return thrown;
  if (thrown instanceof GraphQLError && thrown.message.startsWith(argumentRefused))
    return new ApiError('BAD_USER_INPUT', thrown.message);
  return toDatabaseApiError(thrown) ?? toApiError(thrown);
}

/** The beginning of graphql-js's message about a variable's value that an argument does not allow. */
const argumentRefused = 'Argument "';

/**
 * The subgraph of another team that an error comes from; undefined for our own errors, whatever they passed through.
 */
export function serviceOf(error: GraphQLError): string | undefined {
  const { service } = error.extensions;
  return typeof service === 'string' && !(error.originalError instanceof ApiError) ? service : undefined;
}
