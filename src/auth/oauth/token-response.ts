import type { TokenResponse } from './token-request';

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
