import crypto from 'node:crypto';
import { decode, sign } from 'jsonwebtoken';
import { createAuthenticator, createKeyGate } from '../../src/auth/authenticator';
import { createClientId, createSecret, digestSecret } from '../../src/auth/api-key';
import { rotateApiKey } from '../../src/auth/api-keys';
import { createAccessToken, toTokenAudience } from '../../src/auth/access-token';
import type { SeededKey } from '../support/seed';
import { seedApiKey, seedShop } from '../support/seed';
import { useTestDatabase } from '../support/test-database';
import type { AuthHarness } from './auth-harness';
import { createAuthHarness, mintToken, publicUrl } from './auth-harness';
import { fc } from '../support/properties';

const invalidToken = {
  name: 'ApiError',
  code: 'UNAUTHORIZED',
  message: 'The API key or access token is malformed, unknown, expired or revoked.',
  credentialFault: { error: 'invalid_token', description: 'The credential is not valid' },
};

const untimely = (description: string, rest: string) => ({
  ...invalidToken,
  message: `${description}${rest}`,
  credentialFault: { error: 'invalid_token', description },
});

const splice = (text: string, index: number, length: number, inserted: string): string =>
  text.slice(0, index) + inserted + text.slice(index + length);

/**
 * A token with a valid signature and arbitrary claims: what an attacker would gain from a bug in the token endpoint.
 */
const signAsWeDo = ({ signingKeys: { current } }: AuthHarness, claims: object): string =>
  sign(claims, current.privateKey, { algorithm: 'ES256', header: { alg: 'ES256', typ: 'at+jwt', kid: current.kid } });

describe('authentication (D12, D14, D16)', () => {
  let auth: AuthHarness;
  let shopId: string;
  let key: SeededKey;
  const test = useTestDatabase();
  beforeEach(async () => {
    auth = createAuthHarness(test.database);
    shopId = await seedShop(test.sql);
    key = await seedApiKey(test.sql, shopId);
  });

  const update = (assignment: string) =>
    test.sql(`UPDATE api_keys SET ${assignment} WHERE shop_id = $1 AND client_id = $2`, [
      shopId,
      key.clientId.slice(3),
    ]);

  it('authenticates an API key with one read', async () => {
    const statements = await auth.countStatements(async () => {
      expect(await auth.authenticate(key.apiKey)).toEqual({
        clientId: key.clientId,
        scopes: ['catalog:read', 'orders:read', 'account:read'],
        shop: expect.objectContaining({ id: shopId, plan: 'business' }) as unknown,
        dataVersion: expect.stringMatching(/^\d+$/) as unknown,
      });
    });
    expect(statements).toBe(1);
  });

  it('authenticates an access token with one read and finds the same caller', async () => {
    const token = await mintToken(auth, key);
    expect(await auth.authenticate(token)).toEqual(await auth.authenticate(key.apiKey));
    expect(await auth.countStatements(() => auth.authenticate(token))).toBe(1);
  });

  it('grants an access token what both it and its key grant, in the order of the specification (D15)', async () => {
    const token = await mintToken(auth, key, 'account:read catalog:read');
    expect((await auth.authenticate(token)).scopes).toEqual(['catalog:read', 'account:read']);
    await update(`scopes = '{orders:read,account:read}'`);
    expect((await auth.authenticate(token)).scopes).toEqual(['account:read']);
    await update(`scopes = '{orders:read}'`);
    expect((await auth.authenticate(token)).scopes).toEqual([]);
  });

  it.each<[name: string, authorization: () => string[], message: RegExp]>([
    ['no header', () => [], /access token>\.$/],
    ['an empty header', () => [''], /access token>\.$/],
    ['another scheme', () => ['Basic Y2s6eA=='], /; got a different scheme\.$/],
    ['a key without its scheme', () => [key.apiKey], /; got a value that does not start with "Bearer "\.$/],
    ['a scheme without a space', () => [`Bearer:${key.apiKey}`], /; got a value that does not start with "Bearer "/],
  ])('finds no fault where there is no credential, and says what there is: %s', async (_, authorization, message) => {
    const refusal: unknown = await auth.authenticator.authenticate(authorization()).catch((thrown: unknown) => thrown);
    expect(refusal).toMatchObject({ code: 'UNAUTHORIZED', credentialFault: undefined });
    expect((refusal as Error).message).toMatch(/^Expected a credential in the Authorization header: Bearer </);
    expect((refusal as Error).message).toMatch(message);
    expect((refusal as Error).message).not.toContain(key.clientId);
  });

  const keyOf = (clientId: string) => `ck_${clientId}.${createSecret(clientId)}`;
  it.each<[string, () => string]>([
    ['a wrong secret', () => keyOf(key.clientId.slice(3))],
    ['an unknown id of the same shop', () => keyOf(createClientId(shopId))],
    ['an id of a shop that does not exist', () => keyOf(createClientId(crypto.randomUUID()))],
    ['an id that names no shop', () => keyOf('z'.repeat(32))],
    ['a short id', () => keyOf('a')],
    ['another prefix', () => key.apiKey.replace('ck_', 'sk_')],
  ])('refuses %s in the same words and with the same work as any other (D12)', async (_, token) => {
    await expect(auth.authenticate(token())).rejects.toMatchObject(invalidToken);
    const comparisons = jest.spyOn(crypto, 'timingSafeEqual');
    expect(await auth.countStatements(() => auth.authenticate(token()))).toBe(1);
    // With the current and the previous digest, or with their dummies: timing does not reveal which ids exist.
    expect(comparisons.mock.calls.map((pair) => pair.map(({ byteLength }) => byteLength))).toEqual([
      [32, 32],
      [32, 32],
    ]);
    comparisons.mockRestore();
  });

  it('refuses malformed credentials without reading anything: any one character of a key changed, added, left out or swapped, or a part of it', async () => {
    const alphanumeric = 'abcxyzABCXYZ0189';
    const at = fc.nat({ max: key.apiKey.length - 1 });
    const noise = fc
      .oneof(
        fc.tuple(at, fc.constantFrom(...alphanumeric)).map(([index, to]) => splice(key.apiKey, index, 1, to)),
        fc.tuple(at, fc.constantFrom(...alphanumeric)).map(([index, to]) => splice(key.apiKey, index, 0, to)),
        at.map((index) => splice(key.apiKey, index, 1, '')),
        at.map((index) => key.apiKey.slice(0, index)),
        at.map((index) => splice(key.apiKey, index, 2, [...key.apiKey.slice(index, index + 2)].reverse().join(''))),
        fc.stringMatching(/^ck_[0-9A-Za-z]{32}\.[0-9A-Za-z]{49}$/),
      )
      // The checksum does not cover the prefix: a key with a different prefix is looked up and not found.
      .filter((text) => text !== key.apiKey && text.startsWith('ck_'));
    const statements = await auth.countStatements(() =>
      fc.assert(
        fc.asyncProperty(noise, async (text) => {
          await expect(auth.authenticate(text)).rejects.toMatchObject(invalidToken);
        }),
        { numRuns: 500 },
      ),
    );
    expect(statements).toBe(0);
  });

  it('accepts a token exactly as long as the secret that it was issued for', async () => {
    const token = await mintToken(auth, key);
    const rotate = (overlapMilliseconds: number) =>
      rotateApiKey(test.database, key.clientId, { overlapMilliseconds, clock: auth.clock });
    const { clientSecret } = await rotate(60_000);
    const newToken = await mintToken(auth, { ...key, clientSecret });
    auth.moveClock(60_000 - 1);
    for (const held of [key.apiKey, token, newToken]) await auth.authenticate(held);
    auth.moveClock(1);
    for (const dead of [key.apiKey, token]) await expect(auth.authenticate(dead)).rejects.toMatchObject(invalidToken);
    await auth.authenticate(newToken);
    await rotate(0);
    await expect(auth.authenticate(newToken)).rejects.toMatchObject(invalidToken);
  });

  it('refuses an expired key and its tokens from the millisecond it expires', async () => {
    const token = await mintToken(auth, key);
    await update(`expires_at = '2026-01-31T12:10:00Z'`);
    auth.moveClock(600_000 - 1);
    await auth.authenticate(key.apiKey);
    await auth.authenticate(token);
    auth.moveClock(1);
    await expect(auth.authenticate(key.apiKey)).rejects.toMatchObject(invalidToken);
    await expect(auth.authenticate(token)).rejects.toMatchObject(invalidToken);
  });

  it('accepts an access token for its hour, and from a process whose clock is 10 s ahead; otherwise the error says by how much it is early or late', async () => {
    const token = await mintToken(auth, key);
    auth.moveClock(-10_000);
    expect(await auth.authenticate(token)).toMatchObject({ clientId: key.clientId });
    auth.moveClock(-1);
    await expect(auth.authenticate(token)).rejects.toMatchObject(
      untimely(
        'The access token becomes valid in 11 s',
        '; at most 10 s of clock skew is allowed. Check the clocks of the issuer and of this server.',
      ),
    );
    expect(await auth.countStatements(() => auth.authenticate(token))).toBe(0);
    auth.moveClock(10_001 + 3_600_000 - 1);
    await auth.authenticate(token);
    auth.moveClock(1);
    await expect(auth.authenticate(token)).rejects.toMatchObject(
      untimely('The access token expired 0 s ago', '. Request a new one from the token endpoint.'),
    );
  });

  it('trusts no claim about the shop or the scopes, even if we signed it: only the row decides', async () => {
    const otherShopId = await seedShop(test.sql);
    const otherKey = await seedApiKey(test.sql, otherShopId);
    const payload = decode(await mintToken(auth, key, 'catalog:read')) as object;
    const forge = (claims: object) => signAsWeDo(auth, { ...payload, ...claims });
    const aboutTheShop = { shop: otherShopId, shop_id: otherShopId, shopId: otherShopId, tenant: otherShopId };
    const everything = { scopes: ['orders:read'], granted_scopes: ['orders:read'], plan: 'business', roles: ['admin'] };
    expect(await auth.authenticate(forge({ ...aboutTheShop, ...everything }))).toMatchObject({
      shop: { id: shopId },
      clientId: key.clientId,
      scopes: ['catalog:read'],
    });
    // Half of another shop's identity is not enough: subject and client must agree.
    for (const half of [{ sub: otherKey.clientId }, { client_id: otherKey.clientId }]) {
      await expect(auth.authenticate(forge(half))).rejects.toMatchObject(invalidToken);
    }
  });

  it.each([
    ['without its prefix', () => key.clientId.slice(3)],
    ['with another prefix', () => key.clientId.replace('ck_', 'sk_')],
    ['that is not an id', () => "'; DROP TABLE api_keys --"],
  ])('refuses a token for a client id %s, though we signed it', async (_, clientId) => {
    const secretDigest = digestSecret(key.clientSecret);
    const claims = { clientId: clientId(), scopes: ['catalog:read'] as const, secretDigest };
    const token = createAccessToken(auth.signingKeys, toTokenAudience(publicUrl), claims, auth.clock());
    await expect(auth.authenticate(token)).rejects.toMatchObject(invalidToken);
  });

  it('throws only errors whose text may be sent', async () => {
    const authenticator = createAuthenticator({
      keys: createKeyGate({ readKey: () => Promise.reject(new TypeError('secret detail')) }),
      signingKeys: auth.signingKeys,
      publicUrl,
      clock: auth.clock,
    });
    await expect(authenticator.authenticate([`Bearer ${key.apiKey}`])).rejects.toMatchObject({
      name: 'ApiError',
      code: 'INTERNAL_SERVER_ERROR',
      message: 'Internal server error. Retry once; if it fails again, report the X-Request-Id.',
    });
  });

  it('refuses anything else that is sent as a credential, without an internal error', async () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        'Bearer ',
        'bearer',
        ' ',
        '.',
        '_',
        'ck_',
        key.clientId,
        key.clientSecret.slice(1),
        'eyJhbGciOiJub25lIn0',
      ),
    );
    const header = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''));
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            header,
            header.map((text) => `Bearer ${text}`),
          ),
          { maxLength: 2 },
        ),
        async (headers) => {
          await expect(auth.authenticator.authenticate(headers)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
        },
      ),
      { numRuns: 300 },
    );
  });

  it('resolves concurrent calls of many keys, each to its own row, with few statements', async () => {
    const keys = await Promise.all(Array.from({ length: 50 }, () => seedApiKey(test.sql, shopId)));
    const statements = await auth.countStatements(async () => {
      const principals = await Promise.all(keys.map(({ apiKey }) => auth.authenticate(apiKey)));
      expect(principals.map(({ clientId }) => clientId)).toEqual(keys.map(({ clientId }) => clientId));
    });
    expect(statements).toBe(1);
  });
});
