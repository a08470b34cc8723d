/** The words of `extensions.code` for a subgraph that could not be asked; those that Apollo Router uses. */
export type TransportErrorCode = 'SUBREQUEST_HTTP_ERROR' | 'GATEWAY_TIMEOUT' | 'SUBREQUEST_MALFORMED_RESPONSE';

/** A request that got no GraphQL answer. The message is for the log: it may name addresses. */
export class TransportError extends Error {
  override readonly name = 'TransportError';

  constructor(
    readonly code: TransportErrorCode,
    message: string,
    readonly options: {
      readonly cause?: unknown;
      readonly isRetryable?: boolean;
      readonly status?: number;
      /** Larger than a subgraph may answer. */
      readonly isExcessive?: boolean;
    } = {},
  ) {
    super(message, { cause: options.cause });
  }

  /** Whether asking again soon may help. */
  get isRetryable(): boolean {
    return this.options.isRetryable ?? false;
  }
}
