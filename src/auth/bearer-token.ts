import { trimFieldValue } from '../common/header-value';

export type PresentedToken =
  /** `none`: no credential, or one of another scheme; both are a call without authentication (RFC 6750 3.1). */
  | { readonly kind: 'none'; readonly value: string }
  | { readonly kind: 'malformed' }
  | { readonly kind: 'token'; readonly token: string };

const bearerScheme = /^bearer(?: |$)/i;
/** RFC 6750 2.1: credentials = "Bearer" 1*SP b64token; the scheme in any case (RFC 9110 11.1). */
const bearerCredentials = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/**
 * Finds the bearer token among the values of all Authorization headers. Two values are malformed, because neither takes
 * precedence.
 */
export function parseBearerToken(authorization: readonly string[]): PresentedToken {
  const [value = '', ...others] = authorization.map(trimFieldValue);
  if (others.length > 0) return { kind: 'malformed' };
  if (!bearerScheme.test(value)) return { kind: 'none', value };
  const token = bearerCredentials.exec(value)?.[1];
  return token === undefined ? { kind: 'malformed' } : { kind: 'token', token };
}
