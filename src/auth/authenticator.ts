import type { Clock } from '../common/clock';
import { toDatabaseApiError } from '../database/database-failure';
import { ApiError } from '../errors/api-error';
import { toApiError } from '../errors/to-api-error';
import { addressBucket } from '../rate-limit/bucket-names';
import { parseApiKey, parseClientId, toShownClientId } from './api-key';
import { toTokenAudience } from './access-token';
import type { UntimelyAccessToken } from './access-token-verifier';
import { clockSkewSeconds, createAccessTokenVerifier } from './access-token-verifier';
import { parseBearerToken } from './bearer-token';
import type { KeyGate } from './key-gate';
import type { KeyReader, KeyRecord } from './key-reader';
import { isUsable, loadKeyByCredential, toKeyAddress } from './load-key-by-credential';
import type { Principal } from './principal';
import { toCommonScopes } from './scopes';
import type { SigningKeys } from '../config/signing-key-set';

export interface Authenticator {
  /**
   * Authenticates the caller by the values of all Authorization headers of the request.
   * @param client Its address is computed only when it is needed, because that takes time.
   * @throws ApiError UNAUTHORIZED, with a fault if a credential was presented (D16), SERVICE_UNAVAILABLE; nothing else
   */
  authenticate(authorization: readonly string[], client?: AuthenticatedClient): Promise<Principal>;
}

export interface AuthenticatedClient {
  readonly ip?: string | undefined;
  /**
   * When its request began, of one that takes so long that it is authenticated again: an access token had to be valid
   * then, its key has to be valid now. In the time of the clock.
   */
  readonly begunAt?: number;
}

export interface AuthenticatorOptions {
  readonly keys: KeyGate;
  readonly signingKeys: SigningKeys;
  /** Origin of issuer and audience (D17). */
  readonly publicUrl: string;
  readonly clock: Clock;
  /** Called with every key that was used; see key-usage.ts. */
  readonly noteUse?: (record: KeyRecord, now: number) => void;
}

/**
 * Authenticates by API key or access token: both lead to the key's row, which determines what they may do now (D12,
 * D14).
 */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { keys, signingKeys, publicUrl, clock, noteUse } = options;
  const verifyAccessToken = createAccessTokenVerifier(signingKeys, toTokenAudience(publicUrl));

  const loadPrincipal = async (token: string, client: AuthenticatedClient): Promise<Principal | undefined> => {
    const now = clock();
    const apiKey = parseApiKey(token);
    const accessToken = apiKey === undefined ? verifyAccessToken(token, client.begunAt ?? now) : undefined;
    if (apiKey === undefined && accessToken === undefined) return undefined;
    if (accessToken !== undefined && 'untimely' in accessToken) throw refuse(...describeUntimely(accessToken));
    const attempt = { credential: token, nameBucket: () => addressBucket(client.ip), now };
    const record = await keys.find(attempt, (readKey) =>
      apiKey === undefined
        ? loadKeyOfToken(readKey, accessToken?.clientId ?? '', now)
        : loadKeyByCredential(readKey, apiKey, now),
    );
    if (record === undefined) return undefined;
    noteUse?.(record, now);
    return {
      clientId: toShownClientId(record.keyPrefix, record.clientId),
      scopes: toCommonScopes(record.scopes, accessToken?.scopes ?? record.scopes),
      shop: record.shop,
      dataVersion: record.dataVersion,
    };
  };

  return {
    async authenticate(authorization, client = {}) {
      const presented = parseBearerToken(authorization);
      if (presented.kind === 'none') {
        throw new ApiError('UNAUTHORIZED', describeMissing(presented.value));
      }
      const principal =
        presented.kind === 'token'
          ? await loadPrincipal(presented.token, client).catch((thrown: unknown) => {
              throw toDatabaseApiError(thrown) ?? toApiError(thrown);
            })
          : undefined;
      if (principal === undefined) {
        throw refuse(
          'Expected a valid API key or access token; this one is malformed, unknown, expired or revoked.',
          'The credential is not valid',
        );
      }
      return principal;
    },
  };
}

const refuse = (message: string, description: string): ApiError =>
  new ApiError('UNAUTHORIZED', message, { credentialFault: { error: 'invalid_token', description } });

const expectation = 'Expected a credential in the Authorization header: Bearer <API key or access token>';

/** Says what the header had in its place, and never quotes it: it may be a key. */
function describeMissing(value: string): string {
  if (value === '') return `${expectation}.`;
  const scheme = /^[A-Za-z]+(?= )/.exec(value)?.[0];
  if (scheme !== undefined) return `${expectation}; got another scheme.`;
  return `${expectation}; got a value without the word "Bearer" and a space before it.`;
}

/** For people, and for the challenge. */
function describeUntimely({ untimely, seconds }: UntimelyAccessToken): [message: string, description: string] {
  if (untimely === 'expired') {
    const description = `The access token expired ${seconds} s ago`;
    return [`${description}; expected one that is valid now. Request another at the token endpoint.`, description];
  }
  const description = `The access token becomes valid only in ${seconds} s`;
  return [
    `${description}; expected one that begins at most ${clockSkewSeconds} s ahead. ` +
      'Set the clock of the machine that issued it, or of this one.',
    description,
  ];
}

/** A token is valid only as long as the key that it was issued for: not once that is revoked or expired (D14). */
async function loadKeyOfToken(readKey: KeyReader, shownClientId: string, now: number): Promise<KeyRecord | undefined> {
  const parsed = parseClientId(shownClientId);
  if (parsed === undefined) return undefined;
  const record = await readKey(toKeyAddress(parsed.clientId));
  return record !== undefined && record.keyPrefix === parsed.keyPrefix && isUsable(record, now) ? record : undefined;
}
