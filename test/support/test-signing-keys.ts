import { createSigningKeySet } from '../../src/auth/signing-keys';
import { keepSecret } from './private-texts';

/** A key set for TOKEN_SIGNING_KEYS, made once per test file. */
export const testSigningKeys = createSigningKeySet();

/** The settings of a separate server that hold secrets. */
export const testSecrets = {
  TOKEN_SIGNING_KEYS: testSigningKeys,
  CURSOR_SECRET: 'a secret of the tests and for nothing else',
};

for (const { d } of (JSON.parse(testSigningKeys) as { keys: { d: string }[] }).keys) keepSecret(d);
