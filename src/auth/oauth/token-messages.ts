/** A request to the token endpoint, independent of the HTTP server. */
export interface TokenRequest {
  readonly method: string;
  /** The values of all Authorization headers. */
  readonly authorization: readonly string[];
  readonly contentType: string | undefined;
  readonly body: Buffer | string;
  readonly ip: string;
  /** Identifies the request in the log. */
  readonly requestId?: string | undefined;
}

export interface TokenResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body: string;
}

/** No response of the token endpoint may be cached, least of all a token (RFC 6749 5.1). */
export const toTokenResponse = (
  status: number,
  body: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>> = {},
): TokenResponse => ({
  status,
  headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', Pragma: 'no-cache', ...headers },
  body: JSON.stringify(body),
});
