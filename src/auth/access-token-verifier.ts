import { hash } from 'node:crypto';
import { verify } from 'jsonwebtoken';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { TokenAudience } from './access-token';
import { accessTokenLifetimeSeconds } from './access-token';
import { parseJson } from '../common/parse-json';
import type { SigningKeys } from '../config/signing-key-set';

/**
 * The content of a verified token: the client, its maximum scopes, and the secret it was issued for. The shop is
 * determined by the key's row (D14).
 */
export interface VerifiedAccessToken {
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly secretDigest: Buffer;
}

/**
 * A token of this service outside its time of validity. Its holder can read its claims, so the reason reveals nothing.
 */
export interface UntimelyAccessToken {
  readonly untimely: 'expired' | 'early';
  /** Distance from validity in whole seconds, rounded up. */
  readonly seconds: number;
}

/**
 * undefined: not a token of this service, for an undisclosed reason.
 * @param now Undefined for a token that was verified in time when its call began.
 */
type AccessTokenVerifier = (
  token: string,
  now: number | undefined,
) => VerifiedAccessToken | UntimelyAccessToken | undefined;

/**
 * How far `iat` and `nbf` may lie in the future: processes of one installation do not share a clock, and clients use a
 * token immediately (RFC 7519 4.1.5 allows a small leeway). `exp` gets none: a token is valid exactly until then
 * (docs/decisions.md 7).
 */
export const clockSkewSeconds = 10;

// Strict: a header with any other member (crit, jwk, jku, x5u, x5c, b64, …) is not from this service.
const headerShape = z.strictObject({ alg: z.literal('ES256'), typ: z.literal('at+jwt'), kid: z.string() });

const claimsShape = z.object({
  iss: z.string(),
  aud: z.string(),
  sub: z.string(),
  client_id: z.string(),
  scope: z.string(),
  iat: z.int(),
  nbf: z.int().optional(),
  exp: z.int(),
  jti: z.string().min(1),
  secret_digest: z.string().regex(/^[\w-]{43}$/),
});

type Claims = z.infer<typeof claimsShape>;

/**
 * Verifies access tokens as strictly as D14 requires. jsonwebtoken checks signature, issuer and audience. It accepts
 * tokens of any typ, with an unknown crit or with a text as payload, so those are checked here. So are the times, whose
 * result changes between uses.
 */
export function createAccessTokenVerifier(keys: SigningKeys, expected: TokenAudience): AccessTokenVerifier {
  // An ES256 verification takes longer than all the rest of authentication. The cache only records that these exact
  // characters have a valid signature of one of our keys; everything that depends on the time is checked at each use.
  const signed = new LRUCache<string, Claims>({ max: 5000 });

  return (token, now) => {
    const fingerprint = toFingerprint(token);
    let claims = signed.get(fingerprint);
    if (claims === undefined) {
      const segments = token.split('.');
      if (segments.length !== 3 || !segments.every(isBase64url)) return undefined;
      claims = parseSignedClaims(token, segments[0] ?? '', keys, expected);
      if (claims === undefined) return undefined;
      signed.set(fingerprint, claims);
    }
    const untimely = now === undefined ? undefined : findUntimely(claims, now);
    if (untimely !== undefined) return untimely;
    const { client_id: clientId, scope, secret_digest: digest } = claims;
    return { clientId, scopes: scope.split(' '), secretDigest: Buffer.from(digest, 'base64url') };
  };
}

/**
 * Identifies the token by its exact characters. Decoded, the spellings that `isBase64url` refuses would be the same
 * token.
 */
const toFingerprint = (token: string): string => hash('sha256', token, 'base64url');

/**
 * Whether the text is the canonical base64url of its bytes (RFC 7515 2): no padding, no other alphabet, no trailing
 * bits. Decoders, including jsonwebtoken's, accept other spellings.
 */
const isBase64url = (text: string): boolean => Buffer.from(text, 'base64url').toString('base64url') === text;

function parseSignedClaims(
  token: string,
  header: string,
  keys: SigningKeys,
  { issuer, audience }: TokenAudience,
): Claims | undefined {
  const parsedHeader = headerShape.safeParse(parseJson(Buffer.from(header, 'base64url').toString())).data;
  const key = parsedHeader && keys.byKid.get(parsedHeader.kid);
  if (key === undefined) return undefined;
  const payload = verifyOrUndefined(() =>
    verify(token, key.publicKey, {
      algorithms: ['ES256'],
      issuer,
      audience,
      ignoreExpiration: true,
      ignoreNotBefore: true,
    }),
  );
  const claims = claimsShape.safeParse(payload).data;
  // jsonwebtoken accepts an `aud` that lists ours among others; the shape does not. A client represents only itself.
  return claims !== undefined && claims.sub === claims.client_id && isBrief(claims) ? claims : undefined;
}

const isBrief = ({ iat, exp }: Claims): boolean => exp > iat && exp - iat <= accessTokenLifetimeSeconds;

function findUntimely({ iat, nbf = iat, exp }: Claims, now: number): UntimelyAccessToken | undefined {
  const expired = now - exp * 1000;
  if (expired >= 0) return { untimely: 'expired', seconds: Math.ceil(expired / 1000) };
  const early = Math.max(iat, nbf) * 1000 - now;
  return early > clockSkewSeconds * 1000 ? { untimely: 'early', seconds: Math.ceil(early / 1000) } : undefined;
}

function verifyOrUndefined(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return undefined;
  }
}
