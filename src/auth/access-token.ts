import { randomUUID } from 'node:crypto';
import { sign } from 'jsonwebtoken';
import type { Scope } from './api-key';
import type { SigningKeys } from '../config/signing-key-set';

export const accessTokenLifetimeSeconds = 3600;

/** Issuer and audience of tokens: both follow from PUBLIC_URL, never from a request (D17). */
export interface TokenAudience {
  readonly issuer: string;
  readonly audience: string;
}

export const toTokenAudience = (publicUrl: string): TokenAudience => ({
  issuer: publicUrl,
  audience: `${publicUrl}/v1`,
});

interface AccessTokenClaims {
  /** As shown: with the prefix. */
  readonly clientId: string;
  readonly scopes: readonly Scope[];
  /** Digest of the secret that the token was issued for. The token is valid as long as that secret. */
  readonly secretDigest: Buffer;
}

/** An access token as RFC 9068 describes it (D14). Without a user the subject is the client itself (RFC 9068 2.2). */
export function createAccessToken(
  { current }: SigningKeys,
  { issuer, audience }: TokenAudience,
  { clientId, scopes, secretDigest }: AccessTokenClaims,
  now: number,
): string {
  const issuedAt = Math.floor(now / 1000);
  const payload = {
    iss: issuer,
    aud: audience,
    sub: clientId,
    client_id: clientId,
    scope: scopes.join(' '),
    iat: issuedAt,
    exp: issuedAt + accessTokenLifetimeSeconds,
    jti: randomUUID(),
    secret_digest: secretDigest.toString('base64url'),
  };
  return sign(payload, current.privateKey, {
    algorithm: 'ES256',
    header: { alg: 'ES256', typ: 'at+jwt', kid: current.kid },
  });
}
