import { ApiError } from '../../errors/api-error';
import { toApiError } from '../../errors/to-api-error';

/**
 * Converts whatever a handler threw to an error that clients may see. Express and its body parsers mark client errors
 * with a status; their texts expose internals and are not sent.
 */
export function toHttpError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  const status = statusOf(thrown);
  const options = { cause: thrown };
  if (status === 413)
    return new ApiError('PAYLOAD_TOO_LARGE', 'The request body is larger than allowed here.', options);
  if (status === 415) {
    return new ApiError(
      'UNSUPPORTED_MEDIA_TYPE',
      'The encoding or charset of the request body is not supported.',
      options,
    );
  }
  if (status !== undefined && status >= 400 && status < 500) {
    return new ApiError(
      'BAD_USER_INPUT',
      'The request could not be read: its body or its encoding is malformed.',
      options,
    );
  }
  return toApiError(thrown);
}

function statusOf(thrown: unknown): number | undefined {
  if (!(thrown instanceof Error) || !('status' in thrown)) return undefined;
  return typeof thrown.status === 'number' ? thrown.status : undefined;
}
