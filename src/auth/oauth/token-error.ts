import type { ApiError } from '../../errors/api-error';
import { maskAddresses } from '../../privacy/addresses';
import type { TokenResponse } from './token-messages';
import { toTokenResponse } from './token-messages';

/** The codes of RFC 6749 5.2, and those of 4.1.2.1 for a server that cannot answer. */
export type TokenErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'unsupported_grant_type'
  | 'invalid_scope'
  | 'temporarily_unavailable'
  | 'server_error';

interface TokenErrorOptions {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A response of the token endpoint that is not a token. The description is public. */
export class TokenError extends Error {
  override readonly name = 'TokenError';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    readonly code: TokenErrorCode,
    description: string,
    { status = 400, headers = {} }: TokenErrorOptions = {},
  ) {
    super(maskAddresses(description));
    this.status = status;
    this.headers = headers;
  }
}

/** The RFC's format, not the API's envelope: standard OAuth clients reject anything else (D13). */
export const toTokenErrorResponse = ({ status, code, message, headers }: TokenError): TokenResponse =>
  toTokenResponse(status, { error: code, error_description: message }, headers);

export const methodNotAllowed = (method: string): TokenError =>
  new TokenError('invalid_request', `Expected POST, got ${method.replace(/[^A-Z]/g, '').slice(0, 20)}.`, {
    status: 405,
    headers: { Allow: 'POST, OPTIONS' },
  });

/** Also used by the server, which stops reading a body before this endpoint receives it. */
export const payloadTooLarge = (): TokenError =>
  new TokenError('invalid_request', 'The body is too large for a token request.', { status: 413 });

export const unsupportedMediaType = (): TokenError =>
  new TokenError('invalid_request', 'Expected a body of type application/x-www-form-urlencoded, in UTF-8.', {
    status: 415,
  });

/** RFC 6749 5.2: a 401 contains the expected scheme. */
export const invalidClient = (realm: string): TokenError =>
  new TokenError('invalid_client', 'Expected HTTP Basic with the client id and client secret of a usable key.', {
    status: 401,
    headers: { 'WWW-Authenticate': `Basic realm="${realm}", charset="UTF-8"` },
  });

export const tooManyFailures = (retryAfterSeconds: number): TokenError =>
  new TokenError('temporarily_unavailable', 'Too many failed authentications from this address; try again later.', {
    status: 429,
    headers: { 'Retry-After': String(retryAfterSeconds) },
  });

/** Converts errors of the rest of the service to this endpoint's: an outage (503) or a defect (500). */
export const toTokenError = (error: ApiError): TokenError =>
  error.code === 'SERVICE_UNAVAILABLE'
    ? new TokenError('temporarily_unavailable', error.message, { status: 503, headers: error.headers })
    : new TokenError('server_error', 'Something went wrong on our side.', { status: 500 });
