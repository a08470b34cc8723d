import { ApiError } from './api-error';

/**
 * Converts any thrown value to an error that may reach a client: an ApiError is returned unchanged, the text of
 * anything else stays private (D2).
 */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  return new ApiError('INTERNAL_SERVER_ERROR', 'Something went wrong on our end.', { cause: thrown });
}
