import type { TokenResponse } from './token-request';

/** No answer of the token endpoint may be kept by a cache, least of all a token (RFC 6749 5.1). */
export const toTokenResponse = (
  status: number,
  body: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>> = {},
): TokenResponse => ({
  status,
  headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', Pragma: 'no-cache', ...headers },
  body: JSON.stringify(body),
});
