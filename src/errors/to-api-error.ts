import { ApiError } from './api-error';

/**
 * Converts any thrown value to an error that may reach a client: an ApiError is returned unchanged, the text of
 * anything else stays private (D2).
 */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  return new ApiError(
    'INTERNAL_SERVER_ERROR',
    'Internal server error. Retry once; if it fails again, report the X-Request-Id.',
    { cause: thrown },
  );
}
