import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../src/database/embedded-postgres';
import { migrate } from '../../src/database/migrate';
import provideTemporaryDirectory from './global-setup';
import { finishTestRun } from './global-teardown';
import { runStatements } from './run-statements';

/**
 * One server for the whole run (that of TEST_DATABASE_URL or DATABASE_URL, else an embedded one), and on it a migrated
 * template from which every test clones its database. Jest runs this once.
 */
export default async function databaseSetup(): Promise<void> {
  await provideTemporaryDirectory();
  const given = process.env['TEST_DATABASE_URL'] ?? process.env['DATABASE_URL'];
  const serverUrl = given ?? (await startThrowawayServer());
  const template = `catalog_template_${process.pid}_${Date.now().toString(36)}`;
  await runStatements(serverUrl, `CREATE DATABASE ${template} TEMPLATE template0 ENCODING 'UTF8'`);
  finishTestRun.push(() => runStatements(serverUrl, `DROP DATABASE IF EXISTS ${template} WITH (FORCE)`));
  await migrate(withDatabase(serverUrl, template));
  // Tests that read DATABASE_URL themselves must not find the developer's own. A second run of `--watch` finds it
  // again.
  delete process.env['DATABASE_URL'];
  finishTestRun.push(() => {
    if (given !== undefined) process.env['TEST_DATABASE_URL'] = given;
    return Promise.resolve();
  });
  process.env['TEST_SERVER_URL'] = serverUrl;
  process.env['TEST_TEMPLATE'] = template;
}

async function startThrowawayServer(): Promise<string> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'server-'));
  const server = await startEmbeddedPostgres({ dataDirectory, log: () => undefined, durable: false });
  finishTestRun.push(() => server.stop());
  return server.url;
}

function withDatabase(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
