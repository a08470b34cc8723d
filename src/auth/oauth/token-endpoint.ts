import type { Clock } from '../../common/clock';
import { toDatabaseApiError } from '../../database/database-failure';
import { toApiError } from '../../errors/to-api-error';
import type { RateLimiter } from '../../rate-limit/rate-limiter';
import { accessTokenLifetimeSeconds, createAccessToken, toTokenAudience } from '../access-token';
import { toPublicClientId } from '../api-key';
import type { KeyGate } from '../authenticator';
import type { KeyRecord } from '../key-reader';
import type { SigningKeys } from '../../config/signing-key-set';
import { authenticateClient } from './authenticate-client';
import { checkEnvelope } from './check-envelope';
import { checkGrantType } from './check-grant-type';
import { grantScopes } from './grant-scopes';
import { parseClientCredentials } from './parse-client-credentials';
import { parseForm } from './parse-form';
import { TokenError, toTokenError, toTokenErrorResponse } from './token-error';
import type { TokenRequest, TokenResponse } from './token-messages';
import { toTokenResponse } from './token-messages';

export interface TokenEndpointOptions {
  readonly keys: KeyGate;
  readonly signingKeys: SigningKeys;
  readonly rateLimiter: RateLimiter;
  readonly publicUrl: string;
  readonly clock: Clock;
  readonly noteUse?: (record: KeyRecord, now: number) => void;
  /** Called with failures of the service: an outage or a defect. */
  readonly onError?: (error: unknown, requestId: string | undefined) => void;
}

export type TokenEndpoint = (request: TokenRequest) => Promise<TokenResponse>;

/**
 * The client credentials grant of RFC 6749 4.4 (D13). Responds to every request, errors included, and never rejects.
 */
export function createTokenEndpoint(options: TokenEndpointOptions): TokenEndpoint {
  const { keys, signingKeys, rateLimiter, publicUrl, clock, noteUse, onError } = options;
  const audience = toTokenAudience(publicUrl);
  const authentication = { keys, rateLimiter, realm: 'Catalog API' };

  const grantToken = async (request: TokenRequest): Promise<TokenResponse> => {
    const now = clock();
    checkEnvelope(request);
    const form = parseForm(request);
    const credential = parseClientCredentials(request, form);
    const key = await authenticateClient(authentication, credential, { ip: request.ip, now });
    checkGrantType(form);
    const scopes = grantScopes(form, key.scopes);
    const clientId = toPublicClientId(key.keyPrefix, key.clientId);
    const accessToken = createAccessToken(signingKeys, audience, { clientId, scopes }, now);
    noteUse?.(key, now);
    return toTokenResponse(200, {
      access_token: accessToken,
      token_type: 'Bearer',
      expires_in: accessTokenLifetimeSeconds,
      scope: scopes.join(' '),
    });
  };

  return (request) =>
    grantToken(request).catch((thrown: unknown) => {
      if (thrown instanceof TokenError) return toTokenErrorResponse(thrown);
      onError?.(thrown, request.requestId);
      return toTokenErrorResponse(toTokenError(toDatabaseApiError(thrown) ?? toApiError(thrown)));
    });
}
