import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../src/config/config';
import { ensureDemoShop, placeDemoPictures } from '../../src/demo/demo-shop';
import { startApp } from './app';
import { keepSecret } from './private-texts';
import { createTestDatabase } from './test-database';

export type DemoService = Awaited<ReturnType<typeof startDemoService>>;

/** The service with the demo shop, in the state the first `npm start` leaves it in. */
export async function startDemoService(settings: Readonly<Record<string, string>> = {}) {
  const { database, sql, drop } = await createTestDatabase();
  const config = loadConfig({ DATA_DIR: mkdtempSync(join(tmpdir(), 'catalog-demo-')) });
  const demo = await ensureDemoShop(database, config, Date.now);
  if (demo === undefined) throw new Error('There is no demo shop.');
  const apiKey = keepSecret(demo.apiKey);
  const { app, log, origin, publicUrl } = await startApp(
    { database, demoApiKey: apiKey },
    { RATE_LIMIT_REQUESTS: '10000', ...settings },
  );
  await placeDemoPictures(database, publicUrl);
  const [clientId = '', clientSecret = ''] = apiKey.split('.');
  return {
    origin,
    publicUrl,
    database,
    sql,
    log,
    apiKey,
    clientId,
    clientSecret,
    close: () => app.close(0).finally(drop),
  };
}
