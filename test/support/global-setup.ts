import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { startEmbeddedPostgres } from '../../src/database/embedded-postgres';
import { migrate } from '../../src/database/migrate';
import { finishTestRun } from './global-teardown';

/**
 * One server for the whole run (that of TEST_DATABASE_URL or DATABASE_URL, else an embedded one), and on it a migrated
 * template of which every test clones a database of its own. And one directory that holds whatever a test makes in tmpdir().
 */
export default async function globalSetup(): Promise<void> {
  await provideTemporaryDirectory();
  const given = process.env['TEST_DATABASE_URL'] ?? process.env['DATABASE_URL'];
  const serverUrl = given ?? (await startThrowawayServer());
  const template = `catalog_template_${process.pid}_${Date.now().toString(36)}`;
  await withClient(serverUrl, (client) =>
    client.query(`CREATE DATABASE ${template} TEMPLATE template0 ENCODING 'UTF8'`),
  );
  finishTestRun.push(() =>
    withClient(serverUrl, (client) => client.query(`DROP DATABASE IF EXISTS ${template} WITH (FORCE)`)),
  );
  await migrate(withDatabase(serverUrl, template));
  // Tests that look at DATABASE_URL themselves must not find the developer's own.
  delete process.env['DATABASE_URL'];
  process.env['TEST_SERVER_URL'] = serverUrl;
  process.env['TEST_TEMPLATE'] = template;
}

/** Tests, and processes that they start, inherit it as their tmpdir(); it goes with the run, so none of them has to tidy up. */
async function provideTemporaryDirectory(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'catalog-test-'));
  // PostgreSQL does not run as root, and some tests start processes as nobody: open to all, as /tmp is.
  await chmod(directory, 0o1777);
  process.env['TMPDIR'] = directory;
  finishTestRun.push(() => rm(directory, { recursive: true, force: true }));
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

async function withClient(url: string, work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
