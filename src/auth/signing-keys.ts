import { createHash, generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import type { Config } from '../config/config';
import { ConfigError } from '../config/config-error';
import { loadOrCreateSecret } from './development-secrets';
import type { SigningKeys } from '../config/signing-key-set';
import { parseSigningKeySet, signingKeySetExpectation } from '../config/signing-key-set';

/** The keys of TOKEN_SIGNING_KEYS, or one that is generated once in the data directory. */
export async function loadSigningKeys(
  config: Pick<Config, 'tokenSigningKeys' | 'dataDir' | 'production'>,
): Promise<SigningKeys> {
  if (config.tokenSigningKeys !== undefined) return parseSigningKeys(config.tokenSigningKeys, 'TOKEN_SIGNING_KEYS');
  if (config.production)
    throw new ConfigError('TOKEN_SIGNING_KEYS: expected a value, got none; it is required when NODE_ENV=production');
  const fileName = 'token-signing-keys.json';
  const text = await loadOrCreateSecret({ dataDirectory: config.dataDir, fileName, create: createSigningKeySet });
  return parseSigningKeys(text, join(config.dataDir, fileName));
}

/** @throws ConfigError that contains `source` but no part of the text, which is secret */
export function parseSigningKeys(text: string, source: string): SigningKeys {
  const keys = parseSigningKeySet(text);
  if (keys === undefined) throw new ConfigError(`${source}: expected ${signingKeySetExpectation}`);
  return keys;
}

/** Generates a key set as text, in the format of TOKEN_SIGNING_KEYS. */
export function createSigningKeySet(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '', d = '' } = privateKey.export({ format: 'jwk' });
  // RFC 7638: the thumbprint identifies the key by its content.
  const kid = createHash('sha256')
    .update(JSON.stringify({ crv: 'P-256', kty: 'EC', x, y }))
    .digest('base64url');
  return JSON.stringify({ keys: [{ kty: 'EC', crv: 'P-256', kid, alg: 'ES256', use: 'sig', x, y, d }] });
}
