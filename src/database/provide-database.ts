import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { Config } from '../config';
import type { Database } from './database';
import { DatabaseUnavailableError } from './database-unavailable-error';
import { startEmbeddedPostgres } from './embedded-postgres';
import { migrate } from './migrate';
import type { DatabaseLimits } from './open-database';
import { openDatabase } from './open-database';

interface ProvideDatabaseOptions extends DatabaseLimits {
  log: (line: string) => void;
  /** What goes wrong on a connection while no query is running on it. */
  onError?: (error: unknown) => void;
  /** How long an unreachable server is waited for. Unset: the contract's 30 s. */
  waitMilliseconds?: number;
}

/**
 * The migrated database of this configuration: the server of DATABASE_URL, for which it waits, else the embedded one.
 * @throws DatabaseUnavailableError, EmbeddedPostgresError
 */
export async function provideDatabase(
  {
    database: { url, poolSize },
    dataDirectory,
  }: { database: Pick<Config['database'], 'url' | 'poolSize'>; dataDirectory: string },
  { log, waitMilliseconds = 30_000, ...limits }: ProvideDatabaseOptions,
): Promise<Database & { readonly embedded: boolean }> {
  const options = { poolSize, ...limits };
  if (url !== undefined) {
    await waitForServer(url, waitMilliseconds, log);
    await migrateAndTell(url, log);
    return { ...openDatabase({ url, ...options }), embedded: false };
  }
  const server = await startEmbeddedPostgres({ dataDirectory, log });
  try {
    await migrateAndTell(server.url, log);
    const database = openDatabase({ url: server.url, ...options });
    const close = async (): Promise<void> => {
      await database.close();
      await server.stop();
    };
    return { ...database, close, embedded: true };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function migrateAndTell(url: string, log: (line: string) => void): Promise<void> {
  for (const name of await migrate(url)) log(`applied migration ${name}`);
}

async function waitForServer(url: string, waitMilliseconds: number, log: (line: string) => void): Promise<void> {
  const deadline = Date.now() + waitMilliseconds;
  for (let attempt = 0; ; attempt++) {
    const failure = await tryConnect(url);
    if (failure === undefined) return;
    const { host, pathname } = new URL(url);
    const what = `The database ${pathname.slice(1)} on ${host}`;
    if (!mayPass(failure))
      throw new DatabaseUnavailableError(`${what} refuses: ${failure.message}`, { cause: failure });
    if (Date.now() >= deadline) {
      throw new DatabaseUnavailableError(
        `${what} could not be reached within ${waitMilliseconds / 1_000} seconds: ${toReason(failure)}`,
        { cause: failure },
      );
    }
    if (attempt === 0) log(`waiting for the database on ${host}: ${toReason(failure)}`);
    await delay(Math.min(500, Math.max(0, deadline - Date.now())));
  }
}

async function tryConnect(url: string): Promise<Error | undefined> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 3_000, query_timeout: 3_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT 1');
    return undefined;
  } catch (error) {
    return error as Error; // the driver throws nothing else
  } finally {
    // A server that hangs does not say goodbye either, so nobody waits for it.
    client.end().catch(() => undefined);
  }
}

/** A wrong password or a missing database does not get better by waiting; a server that is starting up does. */
function mayPass(error: Error): boolean {
  const { code } = error as { code?: string };
  return code === undefined || !/^(28|3D|42)/.test(code);
}

/** node's attempts on several addresses end in an AggregateError without a message of its own. */
function toReason(error: Error): string {
  if (error.message !== '') return error.message;
  const { code } = error as { code?: string };
  return code ?? error.name;
}
