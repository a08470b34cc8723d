/** The values of `extensions.code` for a subgraph that could not be queried; the same as Apollo Router's. */
export type TransportErrorCode = 'SUBREQUEST_HTTP_ERROR' | 'GATEWAY_TIMEOUT' | 'SUBREQUEST_MALFORMED_RESPONSE';

/** A request without a GraphQL response. The message is for the log: it may contain host names. */
export class TransportError extends Error {
  override readonly name = 'TransportError';

  constructor(
    readonly code: TransportErrorCode,
    message: string,
    readonly options: {
      readonly cause?: unknown;
      readonly isRetryable?: boolean;
      readonly status?: number;
      /** `Retry-After` of the subgraph. */
      readonly retryAfterSeconds?: number | undefined;
    } = {},
  ) {
    super(message, { cause: options.cause });
  }

  /** Whether a retry after a short time may help: not where the subgraph names its own time. */
  get isRetryable(): boolean {
    return (this.options.isRetryable ?? false) && this.options.retryAfterSeconds === undefined;
  }
}
