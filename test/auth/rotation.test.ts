import { createAccessToken, toTokenAudience } from '../../src/auth/access-token';
import { createAccessTokenVerifier } from '../../src/auth/access-token-verifier';
import { publicKeySet } from '../../src/auth/metadata';
import { createSigningKeySet, parseSigningKeys } from '../../src/auth/signing-keys';
import type { Position } from '../../src/relay/connection';
import { createCursorCodec } from '../../src/relay/connection';

const hour = 3_600_000;
const noon = Date.parse('2026-01-31T12:00:00.000Z');
const audience = toTokenAudience('https://api.example');
const claims = { clientId: 'ck_abc', scopes: ['catalog:read'] as const, secretDigest: Buffer.alloc(32) };

const createJwk = (): object => (JSON.parse(createSigningKeySet()) as { keys: [object] }).keys[0];
const [oldKey, newKey] = [createJwk(), createJwk()];

/** A process that was started with these keys. */
function createProcess(...keys: object[]) {
  const signingKeys = parseSigningKeys(JSON.stringify({ keys }), 'test');
  return {
    mint: (now: number) => createAccessToken(signingKeys, audience, claims, now),
    accepts: (token: string, now: number) =>
      'clientId' in (createAccessTokenVerifier(signingKeys, audience)(token, now) ?? {}),
    published: publicKeySet(signingKeys).keys.map(({ kid }) => kid),
  };
}

/** The steps of docs/operations.md. During each restart, processes of two consecutive steps serve side by side. */
const steps = [
  createProcess(oldKey),
  createProcess(oldKey, newKey),
  createProcess(newKey, oldKey),
  createProcess(newKey),
] as const;

describe('a rotation of the signing keys (D14)', () => {
  it.each([
    ['the new key is made known', steps[0], steps[1]],
    ['the keys are swapped', steps[1], steps[2]],
  ])('refuses no token while %s, whichever process issued it and whichever verifies it', (_, before, after) => {
    for (const minter of [before, after]) {
      const token = minter.mint(noon);
      for (const asked of [before, after]) {
        expect([asked.accepts(token, noon), asked.accepts(token, noon + hour - 1)]).toEqual([true, true]);
      }
    }
  });

  it('refuses no token when the old key is retired an hour after the swap, when all its tokens have expired', () => {
    const [, known, swapped, retired] = steps;
    const lastOfTheOld = known.mint(noon);
    const firstOfTheNew = swapped.mint(noon);
    expect([swapped.accepts(lastOfTheOld, noon + hour - 1), swapped.accepts(lastOfTheOld, noon + hour)]).toEqual([
      true,
      false,
    ]);
    expect(retired.accepts(firstOfTheNew, noon + hour - 1)).toBe(true);
    const later = swapped.mint(noon + hour);
    expect([swapped, retired].map(({ accepts }) => accepts(later, noon + hour))).toEqual([true, true]);
  });

  it('publishes both keys from the first step to the last', () => {
    expect(steps.map(({ published }) => published.length)).toEqual([1, 2, 2, 1]);
    expect(new Set(steps[1].published)).toEqual(new Set(steps[2].published));
    expect([steps[0].published, steps[3].published]).toEqual([[steps[1].published[0]], [steps[2].published[0]]]);
  });

  it('ends every token of a leaked key when the rotation skips to the last step', () => {
    expect(steps[3].accepts(steps[0].mint(noon), noon)).toBe(false);
  });
});

describe('a rotation of the cursor secret (D10)', () => {
  const [oldSecret, newSecret] = ['an old secret of thirty-two characters', 'a new secret of thirty-two characters'];
  const codecs = [
    createCursorCodec([oldSecret]),
    createCursorCodec([oldSecret, newSecret]),
    createCursorCodec([newSecret, oldSecret]),
  ] as const;
  const position: Position = ['2026-01-31T12:00:00.000Z', '3f2b8c1e-0000-4000-8000-000000000001'];

  // test/relay/cursor.test.ts covers what ends with the last step.
  it.each([
    [0, 1],
    [1, 2],
  ] as const)('refuses no cursor between steps %i and %i, whichever process sealed it', (before, after) => {
    for (const sealer of [codecs[before], codecs[after]]) {
      const cursor = sealer.seal('shop A, products', position);
      for (const asked of [codecs[before], codecs[after]]) {
        expect(asked.open('shop A, products', cursor)).toEqual(position);
      }
    }
  });
});
