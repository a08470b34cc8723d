import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CryptoKey } from 'jose';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { composeSubgraphs } from '../../src/federation/supergraph/compose-subgraphs';
import { createBearerCallers } from '../../src/federation/gateway/bearer-callers';
import type { ServedGateway } from './support/served-gateway';
import { serveGateway, sourceOf } from './support/served-gateway';
import type { StubServer } from './support/stub-server';
import { json, startStubServer } from './support/stub-server';

const issuer = 'https://login.example.com/';
const audience = 'https://graph.example.com/';
const seconds = () => Math.floor(Date.now() / 1000);

interface SigningKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly jwk: object;
}

async function createKey(kid: string, alg = 'ES256'): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg);
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

interface Claims {
  readonly header?: Record<string, unknown>;
  readonly payload?: Record<string, unknown>;
}

const sign = ({ kid, alg, privateKey }: SigningKey, { header = {}, payload = {} }: Claims = {}): Promise<string> =>
  new SignJWT({ iss: issuer, aud: audience, sub: 'ann', exp: seconds() + 60, ...payload })
    .setProtectedHeader({ alg, kid, typ: 'at+jwt', ...header })
    .sign(privateKey);

let key: SigningKey;
let jwks: StubServer;
let stub: StubServer;
let served: ServedGateway;
const problems: string[] = [];
const callersOf = (keys: string) =>
  createBearerCallers({ jwks: keys, issuer, audience, onKeyFailure: (it) => problems.push(it) });

beforeAll(async () => {
  key = await createKey('k1');
  jwks = await startStubServer();
  jwks.answer = (response) => json(response, { keys: [key.jwk] });
  stub = await startStubServer();
  stub.answer = (response) => json(response, { data: { open: 1, login: 2, scoped: 3, policy: 4 } });
  const sdl = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.9",
      import: ["@policy", { name: "@authenticated", as: "@members" }, { name: "@requiresScopes", as: "@needs" }])
    type Query { open: Int login: Int @members scoped: Int @needs(scopes: [["a", "b"], ["c"]]) policy: Int @policy(policies: [["p"]]) }`;
  const supergraph = composeSubgraphs([{ name: 'stub', url: stub.url, sdl }]);
  served = await serveGateway(sourceOf(supergraph), {
    readCaller: await callersOf(jwks.url),
  });
});
afterAll(async () => {
  await served.stop();
  await stub.close();
  await jwks.close();
});

async function ask(...authorization: readonly string[]) {
  const response = await fetch(served.url, {
    method: 'POST',
    headers: [
      ['content-type', 'application/json'],
      ...authorization.map((value): [string, string] => ['authorization', value]),
    ],
    body: JSON.stringify({ query: '{ open login scoped policy }' }),
  });
  const { data, errors } = (await response.json()) as { data?: unknown; errors?: { extensions: { code: string } }[] };
  const challenge = response.headers.get('www-authenticate');
  return { status: response.status, challenge, data, codes: errors?.map(({ extensions }) => extensions.code) };
}

it.each([
  ['no token', [], { open: 1, login: null, scoped: null, policy: null }],
  ['another scheme', ['Basic YTpi'], { open: 1, login: null, scoped: null, policy: null }],
])('a caller with %s is anonymous', async (_, authorization, data) => {
  expect(await ask(...authorization)).toMatchObject({ status: 200, challenge: null, data });
});

it.each([
  ['nothing', {}, null],
  ['a scope of another list', { scope: 'a' }, null],
  ['all scopes of a list', { scope: 'b x a' }, 3],
  ['the other list', { scope: 'c' }, 3],
  ['scp as text', { scp: 'a b' }, 3],
  ['scp as a list', { scp: ['a', 'b'] }, 3],
  ['no text in scp', { scp: [{ a: 1 }, 7] }, null],
  ['the graph as one of several audiences', { aud: ['x', audience], scope: 'c' }, 3],
])('a token with %s gives access to what that allows, and satisfies no policy', async (_, payload, scoped) => {
  stub.requests.length = 0;

  expect(await ask(`Bearer ${await sign(key, { payload })}`)).toMatchObject({
    status: 200,
    data: { open: 1, login: 2, scoped, policy: null },
  });
  expect(stub.requests.every(({ headers }) => headers.authorization === undefined)).toBe(true);
  expect(stub.requests.some(({ body }) => JSON.stringify(body).includes('policy'))).toBe(false);
});

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

it.each<[string, () => string | Promise<string>]>([
  ['has expired', () => sign(key, { payload: { exp: seconds() - 1 } })],
  ['does not expire', () => sign(key, { payload: { exp: undefined } })],
  ['is not valid yet', () => sign(key, { payload: { nbf: seconds() + 60 } })],
  ['is of another issuer', () => sign(key, { payload: { iss: 'https://login.example.com' } })],
  ['is for another audience', () => sign(key, { payload: { aud: 'https://other.example.com/' } })],
  ['is for nobody', () => sign(key, { payload: { aud: undefined } })],
  ['is of another type', () => sign(key, { header: { typ: 'logout+jwt' } })],
  ['needs an extension', () => sign(key, { header: { crit: ['x'], x: 1 } }).catch(() => 'a.b.c')],
  ['is signed by a key of its own', async () => sign(await createKey('k1'))],
  ['is not signed', () => `${base64({ alg: 'none', kid: 'k1' })}.${base64({ iss: issuer, aud: audience, exp: seconds() + 60 })}.`],
  ['is signed with the public key as a secret', async () => {
    const payload = { iss: issuer, aud: audience, exp: seconds() + 60 };
    return new SignJWT(payload).setProtectedHeader({ alg: 'HS256', kid: 'k1' }).sign(Buffer.from(JSON.stringify(key.jwk)));
  }],
  ['is changed', async () => (await sign(key)).replace(/\.[^.]+\./, `.${base64({ iss: issuer, aud: audience, exp: seconds() + 60, scope: 'c' })}.`)],
  ['is not a JWT', () => 'hello'],
])('a token that %s is refused with 401 and a challenge, and no subgraph is queried', async (_, make) => {
  stub.requests.length = 0;
  const { status, challenge, data, codes } = await ask(`Bearer ${await make()}`);

  expect({ status, data, codes }).toEqual({ status: 401, data: undefined, codes: ['UNAUTHORIZED'] });
  expect(challenge).toMatch(/^Bearer error="invalid_token", error_description="[^"\\]+"$/);
  expect(stub.requests).toEqual([]);
}); // prettier-ignore

it('refuses two credentials', async () => {
  const { request } = await import('node:http');
  const token = `Bearer ${await sign(key)}`;
  const status = await new Promise((resolve, reject) => {
    const sent = request(served.url, { method: 'POST', headers: { 'content-type': 'application/json', authorization: [token, token] as unknown as string } }, (response) => resolve(response.resume().statusCode)); // prettier-ignore
    sent.on('error', reject).end('{"query":"{ open }"}');
  });

  expect(status).toBe(401);
});

it('requests keys once for any number of tokens with made-up keys', async () => {
  const before = jwks.requests.length;
  for (let index = 0; index < 20; index += 1) {
    const { status } = await ask(`Bearer ${await sign({ ...key, kid: `made-up-${index}` })}`);

    expect(status).toBe(401);
  }
  expect(jwks.requests.length - before).toBeLessThanOrEqual(1);
});

it('reads keys from a file, and new keys from it once the last lookup was some time ago', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'jwks-')), 'keys.json');
  writeFileSync(file, JSON.stringify({ keys: [key.jwk] }));
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'setTimeout', 'clearTimeout'] });
  try {
    const readCaller = await callersOf(file);
    const next = await createKey('k2', 'EdDSA');
    writeFileSync(file, JSON.stringify({ keys: [next.jwk] }));

    expect(await readCaller([`Bearer ${await sign(key)}`])).toMatchObject({ isAuthenticated: true });
    await expect(readCaller([`Bearer ${await sign(next)}`])).rejects.toMatchObject({ status: 401 }); // prettier-ignore
    jest.setSystemTime(Date.now() + 31_000);
    expect(await readCaller([`Bearer ${await sign(next, { payload: { scope: 'z' } })}`])).toEqual({ isAuthenticated: true, scopes: new Set(['z']) }); // prettier-ignore
    await expect(readCaller([`Bearer ${await sign(key)}`])).rejects.toMatchObject({ status: 401 }); // prettier-ignore
  } finally {
    jest.useRealTimers();
  }
});

it('responds with 503, not 401, while there are no keys, and says so in the log', async () => {
  const closed = await startStubServer();
  const { url } = closed;
  await closed.close();
  const readCaller = await callersOf(url);

  await expect(readCaller([`Bearer ${await sign(key)}`])).rejects.toMatchObject({ status: 503 }); // prettier-ignore
  expect(await readCaller([])).toMatchObject({ isAuthenticated: false });
  expect(problems.find((problem) => problem.includes(url))).toMatch('expected a JSON Web Key Set');
});

it.each([
  ['holds no keys', '{"a":1}'],
  ['is not JSON', 'hello'],
])('does not start with a file that %s', async (_, text) => {
  const file = join(mkdtempSync(join(tmpdir(), 'jwks-')), 'keys.json');
  writeFileSync(file, text);

  await expect(callersOf(file)).rejects.toThrow('expected a JSON Web Key Set');
});
