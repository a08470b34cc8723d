import type { Config } from '../config/config';
import { sql } from '../database/sql';
import type { Database } from '../database/database';
import type { DatabaseLimits } from '../database/open-database';
import { provideDatabase } from '../database/provide-database';
import { ensureDemoShop } from '../demo/demo-shop';
import type { Log } from '../observability/log';
import { failureFields } from '../observability/log';

/** What must be available before the process serves. */
interface Provided {
  readonly database: Database;
  readonly demoApiKey: string | undefined;
}

/** Provides a reachable, migrated database; if it is embedded, with the demo shop. */
export async function provideEverything(config: Config, log: Log): Promise<Provided> {
  for (const line of config.misspelled) log.warn(line);
  const database = await provideDatabase(config, {
    log: (line) => log.info(line),
    warn: (line) => log.warn(line),
    onError: onConnectionError(log),
    ...requestLimits(config),
  });
  try {
    if (config.production && (await isTooPowerful(database)))
      log.warn(
        'DATABASE_URL uses a role that owns the tables or can create roles. Use a read-only role, a member of catalog_reader ' +
          '(docs/operations.md, First deployment), and the owner only for `catalog migrate`, `check` and `distribute`',
      );
    const demo = database.embedded ? await ensureDemoShop(database, config, Date.now) : undefined;
    return { database, demoApiKey: demo?.apiKey };
  } catch (error) {
    // An open pool would keep alive a process that does not serve.
    await database.close();
    throw error;
  }
}

/** Whether the service logs in with an administrative role. */
const isTooPowerful = async (database: Database): Promise<boolean> => {
  const rows = await database.readRows(sql`
    SELECT '1' FROM pg_roles AS r, pg_class AS c
     WHERE r.rolname = current_user AND c.oid = 'products'::regclass
       AND (r.rolcreaterole OR pg_has_role(c.relowner, 'MEMBER'))`);
  return rows.length > 0;
};

/** The driver attaches the whole connection to its errors; the log gets only their text. */
export const onConnectionError =
  (log: Log) =>
  (error: unknown): void =>
    log.warn(failureFields(error), 'a database connection failed');

const warmConnections = 10;

/**
 * The first run of a statement in a process compiles what later runs reuse, and opening a connection costs more than a
 * statement: no caller should wait for either. If the database is unavailable, the requests report it.
 */
export async function warmUp(database: Database, { databasePoolSize }: Config): Promise<void> {
  const connections = Array.from({ length: Math.min(databasePoolSize, warmConnections) });
  await Promise.allSettled(connections.map(() => database.readRows(sql`SELECT '1'`)));
}

/** Limits that keep requests from waiting long for the database. */
export const requestLimits = (config: Config): DatabaseLimits => ({
  queueSize: config.databaseQueueSize,
  connectionTimeoutMilliseconds: config.databaseConnectionTimeoutMs,
  statementTimeoutMilliseconds: config.databaseStatementTimeoutMs,
});
