/** The settings of a service that is measured. */
import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/**
 * As the peers run: in production, without the pages for people and the timings that are for development. Requires the
 * build.
 * @param scratch a directory for files that it may want to keep
 */
export function serviceSettings(databaseUrl, scratch) {
  const { createSigningKeySet } = createRequire(import.meta.url)('../../dist/src/auth/signing-keys.js');
  return {
    DATABASE_URL: databaseUrl,
    DATA_DIR: join(scratch, 'data'),
    PORT: '0',
    LOG_LEVEL: 'warn',
    NODE_ENV: 'production',
    PUBLIC_URL: 'https://catalog.example',
    TOKEN_SIGNING_KEYS: createSigningKeySet(),
    CURSOR_SECRET: randomBytes(32).toString('hex'),
    RATE_LIMIT_REQUESTS: '1000000000',
    // Peers wait as long as it takes: on a machine that others use as well, a run would end with answers 503.
    DATABASE_CONNECTION_TIMEOUT_MS: '20000',
    DATABASE_STATEMENT_TIMEOUT_MS: '20000',
    REQUEST_TIMEOUT_MS: '20000',
  };
}
