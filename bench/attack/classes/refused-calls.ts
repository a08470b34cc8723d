import { createSign, generateKeyPairSync } from 'node:crypto';
import type { Attack, Scene } from '../attack';
import type { Shot } from '../attacker';
import { readInnerFigures } from '../process-figures';
import type { Random } from '../../../test/support/random';

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

/**
 * Credentials that were never issued: shaped like a key, like a token, like nothing. `known` is a client id that
 * exists.
 */
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

type MakeShot = (random: Random, knownClientId: string) => Shot;

const noisyCall: MakeShot = (random, known) => ({
  path: random.pick(['/v1/shop', '/v1/products?limit=200', '/v1/orders', '/graphql?query={shop{id}}']),
  headers: { Authorization: `${random.pick(['Bearer', 'bearer', 'BEARER'])} ${noise(random, known)}` },
  label: 'a credential of noise',
});

const guessedToken: MakeShot = (random, known) => {
  const name = random.pick([
    known,
    `ck_${random.word(32)}`,
    random.word(8),
    encodeURIComponent('ü'.repeat(random.pick([1, 800]))),
  ]);
  const credentials = Buffer.from(`${name}:${random.word(random.pick([1, 43, 4_000]))}`).toString('base64');
  return {
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
  };
};

/** As fast as the address can, until its bucket is empty and beyond. */
const atFullSpeed = (make: MakeShot) =>
  async function run({ attacker, random, shop }: Scene): Promise<void> {
    const { clientId } = await shop.createKey();
    await attacker.flood(16, () => attacker.send(make(random, clientId)));
  };

const mostCalls = 5_000;
/** Credentials that are tried again when the bucket is empty: each known to be refused. */
const knownShots = 40;
const repetitions = 8;

/**
 * Once the bucket of an address is empty, a credential that was refused before costs only the response: no statement.
 */
const demandNoStatements = (make: MakeShot) =>
  async function verdict({ attacker, service, random, shop, fail, note }: Scene): Promise<void> {
    const { clientId } = await shop.createKey();
    let calls = 0;
    while (calls++ < mostCalls && !attacker.statuses.has('429')) await attacker.send(make(random, clientId));
    if (!attacker.statuses.has('429')) return fail(`no call of ${mostCalls} is refused by address`);
    const shots = random.list(knownShots, () => make(random, clientId));
    for (const shot of shots) await attacker.send(shot);
    const before = await readInnerFigures(service);
    for (let again = 0; again < repetitions; again++) for (const shot of shots) await attacker.send(shot);
    const statements = (await readInnerFigures(service)).statements - before.statements;
    note(`${statements} statements for ${knownShots * repetitions} calls beyond the limit of the address`);
    // The service's own timers may run a few.
    if (statements > repetitions) fail(`calls known to be refused reach the database, with ${statements} statements`);
  };

export const noiseCredentials: Attack = {
  name: 'noise-credentials',
  what: 'made-up keys, forged tokens and nonsense as credentials, at full speed from one address',
  target: 'plain',
  run: atFullSpeed(noisyCall),
  verdict: demandNoStatements(noisyCall),
};

export const tokenGuesses: Attack = {
  name: 'token-guesses',
  what: 'guesses and nonsense at the token endpoint, at full speed from one address',
  target: 'plain',
  run: atFullSpeed(guessedToken),
  verdict: demandNoStatements(guessedToken),
};
