import { ApiError } from './api-error';

/** Whatever was thrown, as an error that may leave: an ApiError stays itself, anything else keeps its text to itself (D2). */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  return new ApiError('INTERNAL_SERVER_ERROR', 'Something went wrong on our side.', { cause: thrown });
}
