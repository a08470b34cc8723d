import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../src/config/config';
import { ensureDemoShop, placeDemoPictures } from '../../src/demo/demo-shop';
import { startApp } from '../support/app';
import { keepSecret } from '../support/private-texts';
import { createTestDatabase } from '../support/test-database';

/** The service with the demo shop, in the state the first `npm start` leaves it in. */
export async function startDemo(settings: Readonly<Record<string, string>> = {}) {
  const database = await createTestDatabase();
  const config = loadConfig({ DATA_DIR: mkdtempSync(join(tmpdir(), 'catalog-reference-')) });
  const demo = await ensureDemoShop(database.database, config, Date.now);
  if (demo === undefined) throw new Error('The demo shop was there already.');
  const demoApiKey = keepSecret(demo.apiKey);
  const { app, origin, publicUrl } = await startApp({ database: database.database, demoApiKey }, settings);
  await placeDemoPictures(database.database, publicUrl);
  return {
    origin,
    publicUrl,
    demoApiKey,
    sql: database.sql,
    async close() {
      await app.close();
      await database.drop();
    },
  };
}
