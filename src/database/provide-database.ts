import { setTimeout as delay } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import type { Config } from '../config/config';
import { findPrimary } from './host-choice';
import type { ConnectionTarget, SessionOptions } from '../config/connection-target';
import { describeDatabase, describeHosts, parseConnectionTarget, toSessionUrl } from '../config/connection-target';
import type { Database } from './database';
import { DatabaseUnavailableError, describeMissingPrivilege } from './database-failure';
import { migrate } from './migrate';
import type { DatabaseLimits } from './open-database';
import { openDatabase } from './open-database';
import { checkPooler, PoolerError, requireStartupOptions } from './pooler';

export const patienceAtStartMilliseconds = 30_000;

interface ProvideDatabaseOptions extends DatabaseLimits {
  log: (line: string) => void;
  /** Logs what people may have to act on. Default: `log`. */
  warn?: (line: string) => void;
  /** Called with errors on a connection while no query is running on it. */
  onError?: (error: unknown) => void;
  /** Called with each new connection of the pool. */
  onConnect?: (client: PoolClient) => void;
  /** How long to wait for an unreachable server. Unset: `patienceAtStartMilliseconds`. */
  waitMilliseconds?: number;
  /** Whether a database without the service's tables is refused instead of migrated. */
  mustExist?: boolean;
}

/**
 * Returns the migrated database of this configuration: the server of DATABASE_URL, for which it waits, or the embedded
 * one.
 * @throws DatabaseUnavailableError
 */
export async function provideDatabase(
  {
    databaseUrl: url,
    databasePoolSize: poolSize,
    dataDir: dataDirectory,
  }: Pick<Config, 'databaseUrl' | 'databasePoolSize' | 'dataDir'>,
  options: ProvideDatabaseOptions,
): Promise<Database & { readonly embedded: boolean }> {
  const { log } = options;
  if (url !== undefined) {
    const firstHost = await waitForServer(parseConnectionTarget(url), options);
    await migrateAndTell(url, options);
    return { ...openDatabase({ ...options, url, firstHost, poolSize }), embedded: false };
  }
  const { startEmbeddedPostgres } = await import('./embedded-postgres.js');
  const server = await startEmbeddedPostgres({ dataDirectory, log });
  try {
    await migrateAndTell(server.url, { log });
    const database = openDatabase({ ...options, url: server.url, poolSize });
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

/** @throws DatabaseUnavailableError, also when the login may not read the list of migrations. */
async function migrateAndTell(
  url: string,
  { log, mustExist = false }: Pick<ProvideDatabaseOptions, 'log' | 'mustExist'>,
): Promise<void> {
  const applied = await migrate(url, { log, mustExist }).catch((error: unknown) => {
    const denied = describeMissingPrivilege(
      error,
      url,
      'The service and every command must connect as a member of one of the catalog roles',
    );
    // A failed migration is explained already.
    throw denied === undefined || error instanceof DatabaseUnavailableError
      ? error
      : new DatabaseUnavailableError(denied, { cause: error });
  });
  const last = applied.at(-1);
  if (last !== undefined)
    log(`applied ${applied.length === 1 ? last : `${applied.length} migrations and function files, up to ${last}`}`);
}

/**
 * @returns the index of the host that is the primary
 * @throws DatabaseUnavailableError
 */
export async function waitForServer(
  target: ConnectionTarget,
  { waitMilliseconds = patienceAtStartMilliseconds, log, warn = log, ...session }: ProvideDatabaseOptions,
): Promise<number> {
  const deadline = Date.now() + waitMilliseconds;
  const what = describeDatabase(target);
  let lastReason: string | undefined;
  for (;;) {
    const found = await tryConnect(target, session);
    if (typeof found === 'number') return found;
    const reason = toReason(found);
    const options = { cause: found };
    if (!isTransient(found)) throw new DatabaseUnavailableError(`${what} cannot be used: ${explain(found)}`, options);
    const left = deadline - Date.now();
    if (left <= 0)
      throw new DatabaseUnavailableError(
        `${what} was unavailable for ${waitMilliseconds / 1_000} seconds: ${reason}`,
        options,
      );
    if (reason !== lastReason)
      warn(`waiting up to ${Math.ceil(left / 1_000)} s for the database on ${describeHosts(target)}: ${reason}`);
    lastReason = reason;
    await delay(Math.min(500, left));
  }
}

async function tryConnect(target: ConnectionTarget, session: SessionOptions): Promise<number | Error> {
  const urls = target.urls.map((url) => toSessionUrl(target, url, session));
  try {
    const { client, host } = await findPrimary(
      // A pooler that was not declared refuses the options at this point, or drops them.
      { ...target, urls: urls as [string, ...string[]] },
      { connectionTimeoutMillis: 3_000, query_timeout: 3_000 },
    );
    try {
      if (target.isPooled) await checkPooler(client);
      else await requireStartupOptions(client, target);
    } finally {
      client.end().catch(() => undefined);
    }
    return host;
  } catch (error) {
    return error as Error; // the driver throws nothing else
  }
}

const protocolViolation = '08P01';

/** PgBouncer refuses every startup parameter that it does not track. */
const explain = (error: Error): string =>
  (error as { code?: unknown }).code === protocolViolation
    ? `${error.message} (behind PgBouncer, DATABASE_URL needs the parameter pgbouncer=true)`
    : error.message;

/**
 * Whether waiting can help: it does not for a wrong password or a missing database, but it does for a server that is
 * starting up.
 */
function isTransient(error: Error): boolean {
  const { code = '' } = error as { code?: string };
  return !(error instanceof PoolerError || /^(08P01|28|3D|42)/.test(code));
}

/** When Node.js tries several addresses, it fails with an AggregateError that has no message. */
function toReason(error: Error): string {
  const { message, code, name }: Error & { code?: string } = error;
  return message || code || name;
}
