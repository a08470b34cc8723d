import type { Clock } from '../../common/clock';
import type { SigningKeys } from '../../config/signing-key-set';
import { toDatabaseApiError } from '../../database/database-failure';
import { toApiError } from '../../errors/to-api-error';
import type { RateLimiter } from '../../rate-limit/rate-limiter';
import { tokenBucket } from '../../rate-limit/rate-limiter';
import { accessTokenLifetimeSeconds, createAccessToken, toTokenAudience } from '../access-token';
import { toPublicClientId } from '../api-key';
import type { KeyGate } from '../authenticator';
import { loadKey, toPresented } from '../authenticator';
import type { KeyOwner } from '../usage-counter';
import type { TokenRequest } from './token-request';
import { grantScopes, parseCredential, parseForm, TokenError } from './token-request';

interface TokenEndpointOptions {
  readonly keys: KeyGate;
  readonly signingKeys: SigningKeys;
  readonly rateLimiter: RateLimiter;
  readonly publicUrl: string;
  /** URLs of the resources that a token gives access to. */
  readonly resources: readonly string[];
  readonly clock: Clock;
  readonly noteUse?: ((key: KeyOwner) => void) | undefined;
  /** Called with failures of the service: an outage or a defect. */
  readonly onError?: (error: unknown, requestId: string | undefined) => void;
}

export interface TokenResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body: string;
}

export type TokenEndpoint = (request: TokenRequest) => Promise<TokenResponse>;

/**
 * The client credentials grant of RFC 6749 4.4 (D13). Responds to every request, errors included, and never rejects.
 */
export function createTokenEndpoint(options: TokenEndpointOptions): TokenEndpoint {
  const { keys, signingKeys, rateLimiter, publicUrl, resources, clock, noteUse, onError } = options;
  const audience = toTokenAudience(publicUrl);

  const grantToken = async (request: TokenRequest): Promise<TokenResponse> => {
    const now = clock();
    const form = parseForm(request);
    const credential = parseCredential(request, form);
    const presented = credential && toPresented(credential);
    const bucket = tokenBucket(request.ip);
    const key =
      presented &&
      (await keys.find({ credential: JSON.stringify(credential), nameBucket: () => bucket, now }, (readKey) =>
        loadKey(readKey, presented, now),
      ));
    // Only failures are counted: a client that shares its address with a guesser still gets tokens.
    if (presented === undefined || key === undefined) throw createRefusal(await rateLimiter.consume(bucket));
    const scopes = grantScopes(form, key.scopes, resources);
    const clientId = toPublicClientId(key.keyPrefix, key.clientId);
    const claims = { clientId, scopes, secretDigest: presented.secretDigest };
    const accessToken = createAccessToken(signingKeys, audience, claims, now);
    noteUse?.({ shop: key.shop, clientId });
    return toResponse(200, {
      access_token: accessToken,
      token_type: 'Bearer',
      expires_in: accessTokenLifetimeSeconds,
      scope: scopes.join(' '),
    });
  };

  return (request) =>
    grantToken(request).catch((thrown: unknown) => {
      if (!(thrown instanceof TokenError)) onError?.(thrown, request.requestId);
      const { status, code, message, headers } = thrown instanceof TokenError ? thrown : toTokenError(thrown);
      // The RFC's format, not the API's envelope: standard OAuth clients reject anything else (D13).
      return toResponse(status, { error: code, error_description: message }, headers);
    });
}

/** No response may be cached, least of all a token (RFC 6749 5.1). */
const toResponse = (
  status: number,
  body: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>> = {},
): TokenResponse => ({
  status,
  headers: { 'Cache-Control': 'no-store', Pragma: 'no-cache', ...headers },
  body: JSON.stringify(body),
});

/** A 401 contains the expected scheme (RFC 6749 5.2). */
const createRefusal = ({ admitted, resetSeconds }: Awaited<ReturnType<RateLimiter['consume']>>): TokenError =>
  admitted
    ? new TokenError(
        'invalid_client',
        'Expected the client ID and secret of an active key, in HTTP Basic authentication or in the body.',
        401,
        { 'WWW-Authenticate': 'Basic realm="Catalog API", charset="UTF-8"' },
      )
    : new TokenError(
        'temporarily_unavailable',
        'Too many failed authentication attempts from this IP address. Try again later.',
        429,
        { 'Retry-After': String(resetSeconds) },
      );

/** Converts errors of the rest of the service: an outage (503) or a defect (500). */
function toTokenError(thrown: unknown): TokenError {
  const { code, message, headers } = toDatabaseApiError(thrown) ?? toApiError(thrown);
  return code === 'SERVICE_UNAVAILABLE'
    ? new TokenError('temporarily_unavailable', message, 503, headers)
    : new TokenError('server_error', message, 500);
}
