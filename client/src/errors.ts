import type { RestErrorCode } from './types.ts';

/** Codes of GraphQL, and of the change feed (`RESYNC_REQUIRED`). */
type GraphqlErrorCode =
  | 'GRAPHQL_PARSE_FAILED'
  | 'GRAPHQL_VALIDATION_FAILED'
  | 'METHOD_NOT_ALLOWED'
  | 'PAYLOAD_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'RESYNC_REQUIRED'
  | 'ANSWER_TOO_LARGE';

/** Error codes of the token endpoint (RFC 6749, RFC 8707). */
type TokenErrorCode =
  | 'invalid_client'
  | 'invalid_request'
  | 'invalid_scope'
  | 'invalid_target'
  | 'unsupported_grant_type'
  | 'server_error'
  | 'temporarily_unavailable';

/** Codes of failures without a response from the service. */
type TransportErrorCode = 'CONNECTION_FAILED' | 'TIMEOUT' | 'UNEXPECTED_RESPONSE';

export type ErrorCode = RestErrorCode | GraphqlErrorCode | TokenErrorCode | TransportErrorCode;

interface ErrorDetails {
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** Thrown for every failed call. If the signal is aborted, its reason is thrown instead. */
export class CatalogError extends Error {
  override readonly name: string = 'CatalogError';
  /** HTTP status; undefined if there was no response. */
  readonly status: number | undefined;
  /** `X-Request-Id` of the response. Include it when you report a problem. */
  readonly requestId: string | undefined;
  /** `Retry-After` of the response. */
  readonly retryAfterMs: number | undefined;

  constructor(
    /** Stable error code. Newer versions of the service may return codes that are not listed here. */
    readonly code: ErrorCode,
    message: string,
    { status, requestId, retryAfterMs, cause }: ErrorDetails = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
  }
}

/** One entry of `errors` in a GraphQL response. */
export interface GraphqlErrorEntry {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions?: { readonly code?: string; readonly [name: string]: unknown };
}

/** A GraphQL response with errors. `code` is that of the first error. */
export class GraphqlError extends CatalogError {
  override readonly name = 'GraphqlError';

  constructor(
    readonly errors: readonly GraphqlErrorEntry[],
    /** The `data` of the response, which may be partial. */
    readonly data: unknown,
    details: ErrorDetails,
  ) {
    // Data from the network may have any shape.
    const { message, extensions } = (errors[0] ?? {}) as { readonly message?: unknown; readonly extensions?: unknown };
    const code = ((extensions ?? {}) as { readonly code?: unknown }).code;
    super(
      (typeof code === 'string' ? code : 'UNEXPECTED_RESPONSE') as ErrorCode,
      typeof message === 'string' ? message : 'The GraphQL response has errors without a message.',
      details,
    );
  }
}

/** Whether a value is a CatalogError, optionally with this code. Recognizes errors of other copies of this package. */
export function isCatalogError<Code extends ErrorCode>(
  value: unknown,
  code?: Code,
): value is CatalogError & { readonly code: Code } {
  if (!(value instanceof Error) || !['CatalogError', 'GraphqlError'].includes(value.name)) return false;
  return code === undefined || (value as CatalogError).code === code;
}

const transientCodes: readonly string[] = [
  'RATE_LIMITED',
  'SERVICE_UNAVAILABLE',
  'INTERNAL_SERVER_ERROR',
  'temporarily_unavailable',
  'CONNECTION_FAILED',
  'TIMEOUT',
] satisfies readonly ErrorCode[];

/** Whether retrying the call may succeed. */
export const isTransient = ({ code, status = 0 }: CatalogError): boolean =>
  transientCodes.includes(code) || [429, 500, 502, 503, 504].includes(status);
