/** The settings of a service that is measured. */
import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/**
 * Production settings, like those of the peers: without pages, and without timings for development. Requires the build.
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
    // As in the image and the systemd unit.
    NODE_OPTIONS: '--max-semi-space-size=16 --v8-pool-size=1',
    PUBLIC_URL: 'https://catalog.example',
    TOKEN_SIGNING_KEYS: createSigningKeySet(),
    CURSOR_SECRET: randomBytes(32).toString('hex'),
    RATE_LIMIT_REQUESTS: '1000000000',
    // Long, because peers have no limits: on a busy machine, a run would end with 503.
    DATABASE_CONNECTION_TIMEOUT_MS: '20000',
    DATABASE_STATEMENT_TIMEOUT_MS: '20000',
    REQUEST_TIMEOUT_MS: '20000',
  };
}
