import { createSigningKeySet } from '../../src/auth/signing-keys';
import { keepSecret } from './private-texts';

/** A key set for TOKEN_SIGNING_KEYS, made once per test file. */
export const testSigningKeys = createSigningKeySet();

for (const { d } of (JSON.parse(testSigningKeys) as { keys: { d: string }[] }).keys) keepSecret(d);
