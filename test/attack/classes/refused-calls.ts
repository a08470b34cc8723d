import { createSign, generateKeyPairSync } from 'node:crypto';
import type { Attack, Scene } from '../support/attack';
import { readInnerFigures } from '../support/process-figures';
import type { Random } from '../support/random';

const forger = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function forgedToken(random: Random): string {
  const header = random.pick([
    { alg: 'none', typ: 'at+jwt' },
    { alg: 'ES256', typ: 'at+jwt', kid: random.word(8) },
    { alg: 'HS256', typ: 'at+jwt', kid: 'a' },
    { alg: 'ES256', typ: 'at+jwt', jku: 'http://127.0.0.1:1/', crit: ['exp'] },
  ]);
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: 'https://catalog.example',
    aud: 'https://catalog.example/v1',
    sub: random.word(32),
    iat: now,
    exp: now + 3600,
  };
  const signed = `${base64url(header)}.${base64url(claims)}`;
  const signature = createSign('sha256').update(signed).sign({ key: forger.privateKey, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${random.pick([signature.toString('base64url'), '', random.word(86), random.word(8_000)])}`;
}

/** What nobody was given: shaped like a key, like a token, like nothing. `known` is a client id that exists. */
const noise = (random: Random, known: string): string =>
  random.pick([
    () => `ck_${random.word(32)}.${random.word(43)}`,
    () => `ck_${known}.${random.word(43)}`,
    () => `${known}.${random.word(43)}`,
    () => forgedToken(random),
    () => random.word(random.pick([1, 40, 8_000])),
    () => `${'.'.repeat(random.pick([1, 2, 5_000]))}`,
    () => `ck_${random.word(5)}`,
  ])();

/** Of a bucket that is empty, nothing but the answer: no statement may reach the database. */
async function demandNoStatements({ attacker, service, random, shop, fail, note }: Scene, send: Send): Promise<void> {
  const { clientId } = await shop.createKey();
  const calls = 300;
  const before = await readInnerFigures(service);
  for (let call = 0; call < calls; call++) await send({ attacker, random, clientId });
  const after = await readInnerFigures(service);
  const statements = after.statements - before.statements;
  note(`${statements} statements for ${calls} calls beyond the limit of the address`);
  // A timer of the service's own may run one.
  if (statements > calls / 50)
    fail(`calls that are refused unread reach the database: ${statements} statements for ${calls}`);
}

type Send = (tools: Pick<Scene, 'attacker' | 'random'> & { readonly clientId: string }) => Promise<unknown>;

const sendNoise: Send = ({ attacker, random, clientId }) =>
  attacker.send({
    path: random.pick(['/v1/shop', '/v1/products?limit=200', '/v1/orders', '/graphql?query={shop{id}}']),
    headers: { Authorization: `${random.pick(['Bearer', 'bearer', 'BEARER'])} ${noise(random, clientId)}` },
    label: 'a credential of noise',
  });

const guessToken: Send = ({ attacker, random, clientId }) => {
  const name = random.pick([
    clientId,
    `ck_${random.word(32)}`,
    random.word(8),
    encodeURIComponent('ü'.repeat(random.pick([1, 800]))),
  ]);
  const credentials = Buffer.from(`${name}:${random.word(random.pick([1, 43, 4_000]))}`).toString('base64');
  return attacker.send({
    path: '/oauth/token',
    method: 'POST',
    headers: {
      Authorization: `Basic ${random.chance(0.9) ? credentials : random.word(20)}`,
      'Content-Type': 'application/x-www-form-urlencoded',
    },
    body: random.pick([
      'grant_type=client_credentials',
      `grant_type=client_credentials&scope=${random.word(3_000)}`,
      'grant_type=client_credentials&'.repeat(100),
      `${random.word(9)}=1&`.repeat(900),
      `grant_type=${'%61'.repeat(4_000)}`,
    ]),
  });
};

/** As fast as the address can, until its bucket is empty and beyond. */
const atFullSpeed = (send: Send) =>
  async function run({ attacker, random, shop }: Scene): Promise<void> {
    const { clientId } = await shop.createKey();
    await attacker.flood(16, () => send({ attacker, random, clientId }));
  };

/** Only an empty bucket refuses unread. */
const afterwards = (send: Send, path: string) =>
  async function verdict(scene: Scene): Promise<void> {
    const { attacker, fail, random, shop } = scene;
    const { clientId } = await shop.createKey();
    let left = 4_000;
    while (left-- > 0 && (attacker.statuses.get('429') ?? 0) === 0) await send({ attacker, random, clientId });
    if (left <= 0) fail(`${path} never refuses by address`);
    await demandNoStatements(scene, send);
  };

export const noiseCredentials: Attack = {
  name: 'noise-credentials',
  what: 'made-up keys, forged tokens and nonsense as credentials, at full speed from one address',
  guard: '`test/http/order-of-checks.test.ts`: "…"',
  target: 'plain',
  run: atFullSpeed(sendNoise),
  verdict: afterwards(sendNoise, '/v1'),
};

export const tokenGuesses: Attack = {
  name: 'token-guesses',
  what: 'guesses and nonsense at the token endpoint, at full speed from one address',
  guard: '`test/auth/token-endpoint.test.ts`: "…"',
  target: 'plain',
  run: atFullSpeed(guessToken),
  verdict: afterwards(guessToken, '/oauth/token'),
};
