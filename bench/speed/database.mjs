/** The benchmark's own database, kept between runs while generator and migrations stay the same. */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { dataVersion, ensureShops } from './data.mjs';

const require = createRequire(import.meta.url);
const root = fileURLToPath(new URL('../../', import.meta.url));

/** A key with every scope. @returns `{ apiKey, clientId, clientSecret }` */
export const createKey = (query, shopId) => require('../../test/support/seed.ts').seedApiKey(query, shopId);

/**
 * @returns the url of a migrated database with the shops, their ids by name, and a function that releases its server
 */
export async function provideBenchDatabase(names, log) {
  const server = await provideServer(log);
  const name = `catalog_bench_${dataVersion()}`;
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  const admin = new pg.Client({ connectionString: server.url });
  await admin.connect();
  const { rows } = await admin.query("SELECT datname FROM pg_database WHERE datname LIKE 'catalog\\_bench\\_%'");
  for (const { datname } of rows) {
    if (datname !== name) await admin.query(`DROP DATABASE IF EXISTS "${datname}" WITH (FORCE)`);
  }
  if (!rows.some(({ datname }) => datname === name)) {
    await admin.query(`CREATE DATABASE "${name}" TEMPLATE template0 ENCODING 'UTF8'`);
  }
  const [{ version }] = (await admin.query("SELECT current_setting('server_version') AS version")).rows;
  await admin.end();
  const { migrate } = require('../../dist/src/database/migrate.js');
  await migrate(url.href);
  const shopIds = await ensureShops(url.href, names, log);
  return { url: url.href, shopIds, version, stop: server.stop };
}

async function provideServer(log) {
  const given = process.env.BENCH_DATABASE_URL;
  if (given) return { url: given, stop: async () => undefined };
  const { startEmbeddedPostgres } = require('../../dist/src/database/embedded-postgres.js');
  return startEmbeddedPostgres({ dataDirectory: `${root}.data/bench`, log });
}
