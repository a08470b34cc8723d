import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { App } from '../../src/http/server/open-server';
import { createApp } from '../../src/app';
import { loadConfig } from '../../src/config/config';
import type { LogLine } from './memory-log';
import { createMemoryLog } from './memory-log';
import { checkNothingPrivate, keepSecret } from './private-texts';
import { testSigningKeys } from './test-signing-keys';

type AppParts = Parameters<typeof createApp>[1];

export interface RunningApp {
  /** Closing it throws if it has logged something private (D25). */
  readonly app: App;
  readonly log: readonly LogLine[];
  /** The origin it is reached at. */
  readonly origin: string;
  /** The origin in its links. */
  readonly publicUrl: string;
}

/**
 * Builds the application as main.ts does, on an existing database, and listens on a separate port.
 * @param settings Settings (docs/operations.md), in addition to those of every test.
 */
export async function startApp(
  { database, ...parts }: Omit<AppParts, 'log'>,
  settings: Readonly<Record<string, string>> = {},
): Promise<RunningApp> {
  const { log, lines } = createMemoryLog();
  const config = loadConfig({
    PORT: '0',
    DATABASE_URL: database.url,
    DATA_DIR: join(tmpdir(), `catalog-unused-${randomUUID()}`),
    TOKEN_SIGNING_KEYS: testSigningKeys,
    CURSOR_SECRET: keepSecret('a secret of the tests and for nothing else'),
    // Tests of the limit set their own; for all others, a machine that others use as well must not matter.
    REQUEST_TIMEOUT_MS: '30000',
    ...settings,
  });
  const app = await createApp(config, { database, log, ...parts });
  const publicUrl = await app.listen();
  const close: App['close'] = async (...limits) => {
    await app.close(...limits);
    checkNothingPrivate('the log', JSON.stringify(lines));
  };
  const origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  return { app: { ...app, close }, log: lines, publicUrl, origin };
}
