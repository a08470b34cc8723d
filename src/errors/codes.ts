/**
 * Every public error code and its HTTP status. The first five are the specification's, the others D2's. Append-only:
 * clients match on these codes. REST returns them in its envelope, GraphQL in `extensions.code`.
 */
export const errorStatus = {
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  PLAN_LIMIT_EXCEEDED: 403,
  NOT_FOUND: 404,
  RATE_LIMITED: 429,
  BAD_USER_INPUT: 400,
  METHOD_NOT_ALLOWED: 405,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  INTERNAL_SERVER_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
  RESYNC_REQUIRED: 410,
  ANSWER_TOO_LARGE: 400,
} as const;

export type ErrorCode = keyof typeof errorStatus;

/** Whether a word is a registered error code. */
export const isErrorCode = (word: unknown): word is ErrorCode =>
  typeof word === 'string' && Object.hasOwn(errorStatus, word);
