import { decodeJwt } from 'jose';
import { createClientId, createSecret } from '../../src/auth/api-key';
import type { TokenResponse } from '../../src/auth/oauth/token-endpoint';
import { openDatabase } from '../../src/database/open-database';
import type { SeededKey } from '../support/seed';
import { seedApiKey, seedShop } from '../support/seed';
import { useTestDatabase } from '../support/test-database';
import type { AuthHarness, SentTokenRequest } from './auth-harness';
import { basic, createAuthHarness, publicUrl } from './auth-harness';
import requests from './token-requests.json';

const outcome = ({ status, body }: TokenResponse) => [status, (JSON.parse(body) as { error?: string }).error];
const grantOf = ({ body }: TokenResponse) => JSON.parse(body) as { access_token: string; scope: string };

describe('the token endpoint (D13)', () => {
  let auth: AuthHarness;
  let shopId: string;
  let key: SeededKey;
  const test = useTestDatabase();
  beforeEach(async () => {
    auth = createAuthHarness(test.database);
    shopId = await seedShop(test.sql);
    key = await seedApiKey(test.sql, shopId, { scopes: ['account:read', 'catalog:read'] });
  });

  const request = (changes: Partial<SentTokenRequest> = {}) =>
    auth.requestToken({ authorization: [basic(key.clientId, key.clientSecret)], ...changes });
  const requestScope = (scope: string) =>
    request({ body: new URLSearchParams({ grant_type: 'client_credentials', scope }).toString() });

  type Written = readonly [what: string, request: Partial<SentTokenRequest>];
  const written = requests as unknown as {
    readonly taken: readonly Written[];
    readonly refused: readonly (readonly [...Written, status: number, error: string])[];
  };
  /** A request of the table with the test's credentials filled in: CLIENT, SECRET, and OTHER for another secret. */
  const filled = (request: Partial<SentTokenRequest>): Partial<SentTokenRequest> => {
    const id = key.clientId.slice(3);
    const texts = { PUBLIC_URL: publicUrl, OTHER: createSecret(id), CLIENT: id, SECRET: key.clientSecret };
    const text = JSON.stringify(request).replaceAll(
      /PUBLIC_URL|OTHER|CLIENT|SECRET/g,
      (name) => texts[name as 'OTHER'],
    );
    const given = JSON.parse(text) as Partial<SentTokenRequest>;
    const authorization = given.authorization?.map((header) =>
      header.replace(/^(basic) of (.*) and (.*)$/i, (_, scheme: string, user: string, password: string) =>
        basic(user, password).replace('Basic', scheme),
      ),
    );
    return { ...given, ...(authorization && { authorization }) };
  };

  it('returns a token for one hour that no cache may store', async () => {
    const { status, headers, body } = await request();
    expect([status, headers]).toEqual([200, { 'Cache-Control': 'no-store', Pragma: 'no-cache' }]);
    expect(JSON.parse(body)).toEqual({
      access_token: expect.any(String) as unknown,
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'catalog:read account:read',
    });
    expect(decodeJwt(grantOf({ body } as TokenResponse).access_token)).toMatchObject({
      client_id: key.clientId,
      sub: key.clientId,
    });
  });

  it.each<readonly [string, () => Partial<SentTokenRequest>]>([
    ...written.taken.map(([what, request]) => [what, () => filled(request)] as const),
    ['a body in bytes', () => ({ body: Buffer.from('grant_type=client_credentials') })],
  ])('takes %s', async (_, changes) => {
    expect(outcome(await request(changes()))).toEqual([200, undefined]);
  });

  it.each([
    ['', 'catalog:read account:read'],
    ['account:read', 'account:read'],
    ['account:read catalog:read', 'catalog:read account:read'],
    ['catalog:read catalog:read', 'catalog:read'],
  ])('grants scope %j as %j', async (scope, granted) => {
    expect(grantOf(await requestScope(scope)).scope).toBe(granted);
  });

  it.each([
    'orders:read',
    'catalog:read orders:read',
    'catalog:write',
    'CATALOG:READ',
    ' ',
    'catalog:read ',
    'catalog:read,account:read',
    'catalog:read\taccount:read',
  ])('refuses scope %j as a whole', async (scope) => {
    expect(outcome(await requestScope(scope))).toEqual([400, 'invalid_scope']);
  });

  it.each([
    [
      'orders:read',
      'scope: expected a space-separated list of the scopes granted to this key (catalog:read account:read), got orders:read.',
    ],
    ['catalog:read x', /got x\. Scopes of this API: catalog:read orders:read account:read\.$/],
    ['a"b', /got an invalid scope\. Scopes of this API:/],
  ])('reports which scope of %j is unknown, and which exist', async (scope, message) => {
    const { error_description: text } = JSON.parse((await requestScope(scope)).body) as { error_description: string };
    if (typeof message === 'string') expect(text).toBe(message);
    else expect(text).toMatch(message);
  });

  it.each<readonly [string, () => Partial<SentTokenRequest>, number, string]>([
    ...written.refused.map(([what, request, ...outcome]) => [what, () => filled(request), ...outcome] as const),
    ['a body beyond 16 KiB', () => ({ body: 'a'.repeat(16_385) }), 413, 'invalid_request'],
    ['a body without a type', () => ({ contentType: undefined }), 415, 'invalid_request'],
    ['no body at all', () => ({ contentType: undefined, body: '' }), 400, 'invalid_request'],
  ])('refuses %s in the shape of RFC 6749', async (_, changes, status, error) => {
    const response = await request(changes());
    expect(outcome(response)).toEqual([status, error]);
    const body = JSON.parse(response.body) as { error_description: string };
    expect(Object.keys(body)).toEqual(['error', 'error_description']);
    // The characters RFC 6749 5.2 allows.
    expect(body.error_description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
    expect(response.headers).toMatchObject({ 'Cache-Control': 'no-store' });
  });

  it('sends the scheme with a 401 and the allowed methods with a 405', async () => {
    expect((await request({ authorization: [] })).headers).toMatchObject({
      'WWW-Authenticate': 'Basic realm="Catalog API", charset="UTF-8"',
    });
    expect((await request({ method: 'PUT' })).headers).toMatchObject({ Allow: 'POST, OPTIONS' });
  });

  it('answers an unknown client, a malformed one and a wrong secret identically, with the same work', async () => {
    const unknown = createClientId(shopId);
    // The same for every valid credential of this service. An invalid one is recognized by its format, which is not
    // secret.
    const attempts: [header: string, reads: number][] = [
      [basic(key.clientId, createSecret(key.clientId.slice(3))), 1],
      [basic(unknown, createSecret(unknown)), 1],
      [basic(key.clientId, 'wrong'), 0],
      [basic(key.clientId, `${key.clientSecret.slice(0, -1)}${key.clientSecret.endsWith('a') ? 'b' : 'a'}`), 0],
      [basic('ck_unknown', 'wrong'), 0],
      [basic('no id!', 'wrong'), 0],
    ];
    const responses = await Promise.all(attempts.map(([header]) => request({ authorization: [header] })));
    expect(new Set(responses.map((response) => JSON.stringify(response))).size).toBe(1);
    for (const [header, reads] of attempts) {
      expect(await auth.countStatements(() => request({ authorization: [header] }))).toBe(reads);
    }
  });

  it('reads nothing for a credential that it refused before, once the failures of its address are used up', async () => {
    const revoked = await seedApiKey(test.sql, shopId, { revoked_at: '2026-01-01T00:00:00Z' });
    const call = (used: SeededKey, ip: string) =>
      request({ authorization: [basic(used.clientId, used.clientSecret)], ip });
    for (let index = 0; index < 120; index++) await call(revoked, '192.0.2.7');
    expect(await auth.countStatements(() => call(revoked, '192.0.2.7'))).toBe(0);
    expect(outcome(await call(revoked, '192.0.2.7'))).toEqual([429, 'temporarily_unavailable']);
    expect(outcome(await call(key, '192.0.2.7'))).toEqual([200, undefined]);
    expect(await auth.countStatements(() => call(revoked, '192.0.2.8'))).toBe(1);
  });

  it('accepts exactly one spelling of the credentials (RFC 7617 2, RFC 4648 3.2, 3.3, 3.5)', async () => {
    const encoded = basic(key.clientId, key.clientSecret).slice('Basic '.length);
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
    const others = new Set(
      ['=', '==', '.', '\u00a0', ' ', 'A', '\n'].flatMap((tail) => [encoded + tail, tail + encoded]),
    );
    // Surrounding white space is not part of the value.
    for (const same of [` ${encoded}`, `${encoded} `]) others.delete(same);
    others.add(encoded.replace(/=+$/, ''));
    others.add(encoded.replace(/=*$/, '==='));
    for (let index = 0; index < encoded.length; index++) {
      const next = alphabet[(alphabet.indexOf(encoded[index] ?? '') + 1) % alphabet.length];
      for (const to of [next, '-', '_', '', '=', ' ']) {
        others.add(`${encoded.slice(0, index)}${to}${encoded.slice(index + 1)}`);
      }
    }
    others.delete(encoded);
    // Each from a separate address, so that the limit of failures has no effect.
    const answers = await Promise.all(
      [...others].map((other, index) =>
        request({ authorization: [`Basic ${other}`], ip: `2001:db8:${index.toString(16)}::` }),
      ),
    );
    expect(answers.filter(({ status }) => status !== 401)).toEqual([]);
    expect(outcome(await request({ authorization: [`Basic ${encoded}`] }))).toEqual([200, undefined]);
  });

  it.each([
    ['revoked', 'revoked_at = now()'],
    ['expired', "expires_at = '2026-01-31T12:00:00Z'"],
  ])('issues nothing for a %s key', async (_, assignment) => {
    await test.sql(`UPDATE api_keys SET ${assignment} WHERE shop_id = $1`, [shopId]);
    expect(outcome(await request())).toEqual([401, 'invalid_client']);
  });

  it('issues tokens for a shop that is not on business: the API refuses it', async () => {
    await test.sql(`UPDATE shops SET plan = 'free' WHERE shop_id = $1`, [shopId]);
    expect(outcome(await request())).toEqual([200, undefined]);
  });

  it('limits failures to 120 per minute and address, and neither successes nor other addresses', async () => {
    const wrong = createSecret(key.clientId.slice(3));
    const fail = (ip: string) => request({ authorization: [basic(key.clientId, wrong)], ip });
    for (let success = 0; success < 10; success += 1) await request({ ip: '2001:db8::1' });
    const failures = await Promise.all(Array.from({ length: 200 }, () => fail('2001:db8::1')));
    expect(failures.filter(({ status }) => status === 401)).toHaveLength(120);
    const refused = await fail('2001:db8::2');
    expect(outcome(refused)).toEqual([429, 'temporarily_unavailable']);
    expect(refused.headers).toMatchObject({ 'Retry-After': expect.stringMatching(/^(60|[1-5]?\d)$/) as unknown });
    expect(outcome(await request({ ip: '2001:db8::1' }))).toEqual([200, undefined]);
    expect(outcome(await fail('2001:db8:0:1::1'))).toEqual([401, 'invalid_client']);
  });

  it('answers 503 with Retry-After in the same shape while the database is unavailable', async () => {
    const database = openDatabase({ url: 'postgresql://nobody@127.0.0.1:1/none', poolSize: 1 });
    const response = await createAuthHarness(database).requestToken({
      authorization: [basic(key.clientId, key.clientSecret)],
    });
    expect(outcome(response)).toEqual([503, 'temporarily_unavailable']);
    expect(response.headers).toMatchObject({ 'Retry-After': '1' });
    await database.close();
  });
});
