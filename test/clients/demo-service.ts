import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../src/config/config';
import type { Database } from '../../src/database/database';
import { ensureDemoShop } from '../../src/demo/demo-shop';
import type { RunningApp } from '../support/app';
import { startApp } from '../support/app';
import { createTestDatabase } from '../support/test-database';

/** The service with the demo shop, in the state the first `npm start` leaves it in. */
export interface DemoService {
  /** The address that it advertises. */
  readonly origin: string;
  /** The address that it is reached at, whatever PUBLIC_URL says. */
  readonly address: string;
  readonly database: Database;
  readonly log: RunningApp['log'];
  readonly apiKey: string;
  /** The two halves of the key. */
  readonly clientId: string;
  readonly clientSecret: string;
  close(): Promise<void>;
}

export async function startDemoService(settings: Readonly<Record<string, string>> = {}): Promise<DemoService> {
  const test = await createTestDatabase();
  const config = loadConfig({ DATA_DIR: mkdtempSync(join(tmpdir(), 'catalog-clients-')) });
  const demo = await ensureDemoShop(test.database, config, Date.now);
  if (demo === undefined) throw new Error('There is no demo shop.');
  const { app, log, origin, publicUrl } = await startApp(
    { database: test.database, demoApiKey: demo.apiKey },
    { RATE_LIMIT_REQUESTS: '10000', ...settings },
  );
  const [clientId = '', clientSecret = ''] = demo.apiKey.split('.');
  return {
    origin: publicUrl,
    address: origin,
    database: test.database,
    log,
    apiKey: demo.apiKey,
    clientId,
    clientSecret,
    async close() {
      await app.close(0).finally(() => test.drop());
    },
  };
}
