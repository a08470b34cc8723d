import { createSigningKeySet } from '../../src/auth/signing-keys';

/** A key set for TOKEN_SIGNING_KEYS, made once per test file. */
export const testSigningKeys = createSigningKeySet();
