import { GraphQLError } from 'graphql';
import { ApiError } from '../errors/api-error';
import { toDatabaseApiError } from '../database/database-failure';
import { toApiError } from '../errors/to-api-error';

/**
 * An error of a result as one that may leave. What a resolver threw decides. An error that belongs to no field, and that nobody
 * threw but a scalar in its own words, is about the request itself (a variable that does not fit its type): its text is written
 * for the client.
 */
export function toPublicError(error: GraphQLError): ApiError {
  // Fields that a composed graph refused before anything was asked for them: nobody threw that.
  if (error.originalError === undefined && error.extensions['code'] === 'FORBIDDEN')
    return new ApiError('FORBIDDEN', error.message);
  const thrown = error.originalError ?? (error.path === undefined ? undefined : error);
  if (thrown === undefined) return new ApiError('BAD_USER_INPUT', error.message);
  if (error.path === undefined && thrown instanceof GraphQLError)
    return new ApiError('BAD_USER_INPUT', `${error.message} ${thrown.message}`);
  if (thrown instanceof ApiError) return thrown;
  return toDatabaseApiError(thrown) ?? toApiError(thrown);
}

/** Which other team's subgraph an error comes from; undefined for errors of our own, whatever they passed through. */
export function serviceOf(error: GraphQLError): string | undefined {
  const { service } = error.extensions;
  return typeof service === 'string' && !(error.originalError instanceof ApiError) ? service : undefined;
}
