import { parseJson } from '../common/parse-json';
import type { JsonWebKey, KeyObject } from 'node:crypto';
import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { z } from 'zod';

/** A key with which the service signs and verifies access tokens (D14): ES256 and nothing else. */
export interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** The public part. */
  readonly publicJwk: PublicJwk;
}

export interface PublicJwk {
  readonly kty: 'EC';
  readonly crv: 'P-256';
  readonly x: string;
  readonly y: string;
  readonly kid: string;
  readonly alg: 'ES256';
  readonly use: 'sig';
}

/**
 * The first one signs, all of them verify: a new key is published before it signs, and an old one until its last token
 * has expired.
 */
export interface SigningKeys {
  readonly current: SigningKey;
  readonly byKid: ReadonlyMap<string, SigningKey>;
}

const coordinate = z.string().regex(/^[A-Za-z0-9_-]{43}$/);
const keySet = z.object({
  keys: z
    .array(
      z.object({
        kty: z.literal('EC'),
        crv: z.literal('P-256'),
        kid: z.string().min(1),
        alg: z.literal('ES256').optional(),
        use: z.literal('sig').optional(),
        x: coordinate,
        y: coordinate,
        d: coordinate,
      }),
    )
    .min(1),
});

export const signingKeySetExpectation =
  'a JSON Web Key Set of private EC P-256 keys (kty, crv, kid, x, y, d) with unique kid values';

/** Parses a JSON Web Key Set; undefined when its keys cannot sign and verify. */
export function parseSigningKeySet(text: string): SigningKeys | undefined {
  const jwks = keySet.safeParse(parseJson(text)).data?.keys ?? [];
  const keys = jwks.map((jwk) => toSigningKey(jwk)).filter((key) => key !== undefined);
  const byKid = new Map(keys.map((key) => [key.kid, key]));
  const [current] = keys;
  return current === undefined || keys.length !== jwks.length || byKid.size !== keys.length
    ? undefined
    : { current, byKid };
}

function toSigningKey(jwk: z.infer<typeof keySet>['keys'][number]): SigningKey | undefined {
  const { kid, x, y, d } = jwk;
  try {
    const privateKey = toKeyObject(createPrivateKey, { kty: 'EC', crv: 'P-256', x, y, d });
    const publicKey = toKeyObject(createPublicKey, { kty: 'EC', crv: 'P-256', x, y });
    // Halves of different pairs load without an error and fail with the first token.
    const probe = Buffer.from(kid);
    if (!verify('sha256', probe, publicKey, sign('sha256', probe, privateKey))) return undefined;
    return { kid, privateKey, publicKey, publicJwk: { kty: 'EC', crv: 'P-256', x, y, kid, alg: 'ES256', use: 'sig' } };
  } catch {
    return undefined;
  }
}

const toKeyObject = (create: (input: { key: JsonWebKey; format: 'jwk' }) => KeyObject, key: JsonWebKey): KeyObject =>
  create({ key, format: 'jwk' });
