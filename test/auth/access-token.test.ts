import type { KeyObject } from 'node:crypto';
import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { createAccessToken, toTokenAudience } from '../../src/auth/access-token';
import { createAccessTokenVerifier } from '../../src/auth/access-token-verifier';
import { digestSecret } from '../../src/auth/api-key';
import { publicKeySet } from '../../src/auth/metadata';
import { createSigningKeySet, parseSigningKeys } from '../../src/auth/signing-keys';

const now = Date.parse('2026-01-31T12:00:00.500Z');
const seconds = Math.floor(now / 1000);
const audience = toTokenAudience('https://api.example');
const keySetText = createSigningKeySet();
const keys = parseSigningKeys(keySetText, 'test');
const otherKeys = parseSigningKeys(createSigningKeySet(), 'test');
const secretDigest = digestSecret('a secret');
const claims = { clientId: 'ck_abc', scopes: ['catalog:read', 'account:read'] as const, secretDigest };

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token as an attacker would build it, with any header, payload and signer. */
function forge(
  header: object | string,
  payload: unknown,
  signer: (input: string) => Buffer = (input) => signES256(keys.current.privateKey, input),
): string {
  const input = `${typeof header === 'string' ? header : encode(header)}.${encode(payload)}`;
  return `${input}.${signer(input).toString('base64url')}`;
}

const signES256 = (key: KeyObject, input: string) =>
  sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' });

const goodHeader = { alg: 'ES256', typ: 'at+jwt', kid: keys.current.kid };
const goodPayload = {
  iss: 'https://api.example',
  aud: 'https://api.example/v1',
  sub: 'ck_abc',
  client_id: 'ck_abc',
  scope: 'catalog:read',
  iat: seconds,
  exp: seconds + 3600,
  jti: 'a',
  secret_digest: secretDigest.toString('base64url'),
};
/** Texts that a lenient decoder accepts as the token, and others that differ from it by one step. */
function createSpellings(token: string): Set<string> {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const spellings = new Set<string>();
  const put = (index: number, length: number, inserted: string) =>
    spellings.add(token.slice(0, index) + inserted + token.slice(index + length));
  const dots = [...token.matchAll(/\./g)].map(({ index }) => index);
  for (const end of [0, ...dots, ...dots.map((dot) => dot + 1), token.length]) {
    for (const extra of ['=', '==', '===', '.', ' ', '\t', '\n', '\u00a0', '+', '/', 'A', '%3D']) put(end, 0, extra);
  }
  for (let index = 0; index < token.length; index++) {
    const character = token.charAt(index);
    const cases = [character.toLowerCase(), character.toUpperCase()];
    const standard = [character === '-' ? '+' : '-', character === '_' ? '/' : '_'];
    for (const other of [...cases, ...standard, '', '=', ' ', '\0', `${character}${character}`]) put(index, 1, other);
    // The last two bits and the last four, which encode what follows the last byte of a segment.
    for (const step of [1, 2, 4, 8]) put(index, 1, alphabet.charAt(alphabet.indexOf(character) ^ step));
  }
  // The 63 other characters that could end each segment.
  for (const end of [...dots, token.length]) for (const other of alphabet) put(end - 1, 1, other);
  spellings.add(token.replaceAll('-', '+').replaceAll('_', '/'));
  spellings.add(encodeURIComponent(token).replaceAll('.', '%2E'));
  spellings.add(token.toLowerCase());
  spellings.add(token.toUpperCase());
  return spellings;
}

/** Each member left out or given a wrong value. A token without `nbf` is valid. */
const spoiled = (good: Readonly<Record<string, unknown>>) =>
  Object.entries(good).flatMap(([name, value]) => {
    const others = [null, [value], { value }, typeof value === 'string' ? 7 : String(value)];
    if (name !== 'nbf') others.push(undefined as never);
    if (name !== 'scope' && name !== 'jti') others.push(`${String(value)}/`);
    return others.map((other) => [`${name} that is ${JSON.stringify(other)}`, { ...good, [name]: other }] as const);
  });

const verify = (token: string, at = now) => createAccessTokenVerifier(keys, audience)(token, at);

describe('access tokens (D14)', () => {
  it('are JWTs as RFC 9068 describes them, and jose verifies them against the published keys', async () => {
    const token = createAccessToken(keys, audience, claims, now);
    const { protectedHeader, payload } = await jwtVerify(
      token,
      createLocalJWKSet({ keys: [...publicKeySet(keys).keys] }),
      {
        algorithms: ['ES256'],
        typ: 'at+jwt',
        issuer: 'https://api.example',
        audience: 'https://api.example/v1',
        requiredClaims: ['sub', 'client_id', 'scope', 'iat', 'exp', 'jti'],
        currentDate: new Date(now),
      },
    );
    expect(protectedHeader).toEqual(goodHeader);
    expect(payload).toEqual({ ...goodPayload, scope: 'catalog:read account:read', jti: expect.any(String) as string });
  });

  it('have distinct ids', () => {
    const tokens = Array.from({ length: 10 }, () => createAccessToken(keys, audience, claims, now));
    const ids = tokens.map(
      (token) => (JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { jti: string }).jti,
    );
    expect(new Set(ids).size).toBe(10);
  });

  it('are valid until the second they expire, whether they were verified before or not', () => {
    const verifyAgain = createAccessTokenVerifier(keys, audience);
    const token = createAccessToken(keys, audience, claims, now);
    const accepted = claims;
    const lastMoment = (seconds + 3600) * 1000 - 1;
    expect([verifyAgain(token, now), verifyAgain(token, lastMoment)]).toEqual([accepted, accepted]);
    expect(verify(token, lastMoment)).toEqual(accepted);
    const expired = { untimely: 'expired', seconds: 0 };
    expect([verifyAgain(token, lastMoment + 1), verify(token, lastMoment + 1)]).toEqual([expired, expired]);
    expect(verifyAgain(token, lastMoment + 2)).toEqual({ untimely: 'expired', seconds: 1 });
  });

  it('accepts the valid token that the attacks below modify', () => {
    expect(verify(forge(goodHeader, goodPayload))).toEqual({ ...claims, scopes: ['catalog:read'] });
  });

  it.each<readonly [string, string]>([
    ...spoiled(goodHeader).map(([what, header]) => [what, forge(header, goodPayload)] as const),
    ...spoiled({ ...goodPayload, nbf: seconds }).map(([what, claims]) => [what, forge(goodHeader, claims)] as const),
    ['two segments', forge(goodHeader, goodPayload).split('.').slice(0, 2).join('.')],
    ['four segments', `${forge(goodHeader, goodPayload)}.a`],
    ['five segments', `${forge(goodHeader, goodPayload)}.a.b`],
    ['nothing at all', '..'],
  ])('refuses a token with %s', (_, token) => {
    expect(verify(token)).toBeUndefined();
  });

  it('refuses each header of an attacker with each signature and each payload', () => {
    const { privateKey: rsa } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const publicPem = keys.current.publicKey.export({ type: 'spki', format: 'pem' });
    const byOther = (input: string) => signES256(otherKeys.current.privateKey, input);
    const hmac = (secret: string | Buffer) => (input: string) => createHmac('sha256', secret).update(input).digest();
    const signers = [
      ...[undefined, byOther, hmac(publicPem), hmac(keys.current.publicJwk.x), hmac('')],
      (input: string) => sign('sha256', Buffer.from(input), rsa),
      // In DER.
      (input: string) => sign('sha256', Buffer.from(input), keys.current.privateKey),
      () => Buffer.alloc(0),
      () => Buffer.alloc(64),
    ];
    const others = [
      ...['none', 'nOnE', 'HS256', 'RS256'].map((alg) => ({ alg })),
      ...[otherKeys.current.kid, '../../dev/null', '__proto__'].map((kid) => ({ kid })),
      ...[{ crit: ['exp'] }, { crit: ['b64'], b64: false }, { jwk: otherKeys.current.publicJwk }],
      ...[{ jku: 'https://evil.example/jwks.json' }, { x5u: 'https://evil.example/x' }, { x5c: ['MII'] }],
      { 'x5t#S256': 'a' },
    ];
    const headers = [goodHeader, ...others.map((other) => ({ ...goodHeader, ...other })), 'bm8', encode([goodHeader])];
    const times = [
      { exp: 1e308 },
      { exp: seconds + 3601 },
      { iat: seconds + 1, exp: seconds + 1 },
      { iat: seconds + 0.5 },
    ];
    const payloads = [
      goodPayload,
      'payload',
      null,
      [goodPayload],
      ...times.map((time) => ({ ...goodPayload, ...time })),
    ];
    const tokens = headers.flatMap((header) =>
      payloads.flatMap((payload) => signers.map((signer) => forge(header, payload, signer))),
    );
    // The first is the good one.
    expect(tokens.slice(1).filter((token) => verify(token) !== undefined)).toEqual([]);
  });

  describe('at a wrong time', () => {
    const good = { ...claims, scopes: ['catalog:read'] };
    const at = (times: object) => forge(goodHeader, { ...goodPayload, ...times });
    it.each<[string, object, object]>([
      ['exp in the past', { iat: seconds - 3600, exp: seconds }, { untimely: 'expired', seconds: 1 }],
      ['exp long ago', { iat: seconds - 7200, exp: seconds - 3600 }, { untimely: 'expired', seconds: 3601 }],
      ['iat 1 s ahead', { iat: seconds + 1 }, good],
      ['iat 2 s ahead', { iat: seconds + 2 }, good],
      ['iat at the end of the skew', { iat: seconds + 10 }, good],
      ['iat beyond the skew', { iat: seconds + 11, exp: seconds + 60 }, { untimely: 'early', seconds: 11 }],
      ['iat a day ahead', { iat: seconds + 86_400, exp: seconds + 90_000 }, { untimely: 'early', seconds: 86_400 }],
      ['nbf in the past', { nbf: seconds - 60 }, good],
      ['nbf at the end of the skew', { nbf: seconds + 10 }, good],
      ['nbf beyond the skew', { nbf: seconds + 11 }, { untimely: 'early', seconds: 11 }],
      [
        'nbf beyond the skew, iat before it',
        { iat: seconds + 5, nbf: seconds + 60 },
        { untimely: 'early', seconds: 60 },
      ],
    ])('%s', (_, times, expected) => {
      const token = at({ exp: seconds + 3600, ...times });
      const verifyAgain = createAccessTokenVerifier(keys, audience);
      expect([verifyAgain(token, now), verifyAgain(token, now)]).toEqual([expected, expected]);
    });

    it('ends the skew to the millisecond', () => {
      const token = at({ iat: seconds + 11, exp: seconds + 60 });
      expect(verify(token, (seconds + 1) * 1000 - 1)).toEqual({ untimely: 'early', seconds: 11 });
      expect(verify(token, (seconds + 1) * 1000)).toEqual(good);
    });
  });

  it('have only one spelling, whatever was verified before', () => {
    const token = createAccessToken(keys, audience, claims, now);
    const spellings = [...createSpellings(token)].filter((text) => text !== token);
    expect(spellings.length).toBeGreaterThan(2000);
    const fresh = createAccessTokenVerifier(keys, audience);
    expect(spellings.filter((text) => fresh(text, now) !== undefined)).toEqual([]);
    expect(fresh(token, now)).toBeDefined();
    // The same verifier, which has by now seen the token and all its variants.
    expect(spellings.filter((text) => fresh(text, now) !== undefined)).toEqual([]);
    expect(fresh(token, now)).toBeDefined();
  });
});
