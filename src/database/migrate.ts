import { randomUUID } from 'node:crypto';
import type { ClientBase } from 'pg';
import { connectToPrimary } from './host-choice';
import { describeDatabase, parseConnectionTarget } from '../config/connection-target';
import { DatabaseUnavailableError } from './database-failure';
import type { LockWaits } from './lock-waits';
import { watchLockWaits } from './lock-waits';
import type { Script, Scripts } from './migration-files';
import { migrationLockKey, readScripts } from './migration-files';
import { refreshCopies } from './sharding/distribute';

interface MigrateOptions {
  /** Whether a database without the service's tables is refused instead of migrated. */
  readonly mustExist?: boolean;
  /** Logs what the migration waits for. */
  readonly log?: (line: string) => void;
  /** The longest wait for a migration by another process. */
  readonly migrationWaitMilliseconds?: number;
  /** The longest wait for each lock on a table. During the wait, readers of that table queue behind it. */
  readonly tableWaitMilliseconds?: number;
  /** Other scripts than those of this build, for tests. */
  readonly scripts?: Scripts;
}

/**
 * Scripts that have run on a database. An unfinished migration has no checksum: only `prisma migrate deploy` leaves
 * one, because it records migrations in a separate transaction.
 */
type Ledger = readonly { readonly name: string; readonly checksum: string | null }[];

/**
 * Migrates the database to the newest version and returns the names of the migrations and files of functions applied
 * now.
 *
 * Everything that is missing, including its rows in the ledgers, is applied in one transaction (docs/decisions.md 138),
 * so an interruption leaves all of it or nothing. Locks are taken only to change something: an up-to-date database is
 * only checked.
 * @throws DatabaseUnavailableError when other migrations than these created the database, when something is missing and
 * the login may not migrate, when other sessions hold a lock for too long, when a script fails, and for an empty
 * database when `mustExist` is set
 */
export async function migrate(url: string, options: MigrateOptions = {}): Promise<readonly string[]> {
  const { mustExist, log = () => undefined, scripts = readScripts() } = options;
  const client = await connectToPrimary(url, {
    connectionTimeoutMillis: 5_000,
    application_name: 'catalog migrate',
  });
  let step: string | undefined;
  let waits: LockWaits | undefined;
  const database = describeDatabase(parseConnectionTarget(url));
  try {
    const missing = findMissing(database, scripts, await readLedger(client), mustExist);
    if (missing.length === 0) return [];
    if (!(await mayMigrate(client)))
      throw new DatabaseUnavailableError(
        `The database is not up to date (pending: ${missing.map(({ name }) => name).join(', ')}), and this role is not allowed to change its tables. ` +
          'Run `catalog migrate` with the DATABASE_URL of the owner of the tables, then try again.',
      );
    step = 'the migration';
    await begin(client, options.migrationWaitMilliseconds ?? 300_000);
    waits = watchLockWaits({ url, pids: () => [client.processID], log });
    await client.query('SELECT pg_advisory_xact_lock($1)', [migrationLockKey]);
    await client.query(`SET LOCAL lock_timeout = ${options.tableWaitMilliseconds ?? 30_000}`);
    // Another process may have created it first.
    const applied = findMissing(database, scripts, await readLedger(client));
    await createLedger(client);
    for (const script of applied) {
      const isMigration = scripts.migrations.includes(script);
      step = isMigration ? `migration ${script.name}` : script.name;
      // Statements call functions on the nodes of shards, which get their own triggers (src/database/sharding).
      const isPropagated = !script.name.includes('trigger');
      await client.query(`SET LOCAL citus.enable_ddl_propagation = ${isPropagated}`);
      await client.query(script.sql);
      await (isMigration ? recordMigration : recordFunctions)(client, script);
    }
    await client.query('COMMIT');
    step = undefined;
    await refreshCopies(url, { scripts, log });
    return applied.map(({ name }) => name);
  } catch (error) {
    throw step === undefined ? error : explain(error as DatabaseError, step, await waits?.explain(error));
  } finally {
    await waits?.close();
    await client.end().catch(() => undefined);
  }
}

/** The scripts that the database lacks. @throws DatabaseUnavailableError when other migrations made it */
function findMissing(database: string, scripts: Scripts, ledger: Ledger | undefined, mustExist = false): Script[] {
  if (ledger === undefined && mustExist)
    throw new DatabaseUnavailableError(
      `${database} does not have the tables of the service: ` +
        'set DATABASE_URL to the right database, or run `catalog migrate` to create them in this one.',
    );
  for (const { name, checksum } of ledger ?? []) {
    const own = scripts.migrations.find((script) => script.name === name);
    const isSame = own !== undefined && (checksum === null || checksum === own.checksum);
    if (isSame || name.startsWith('functions/')) continue;
    throw new DatabaseUnavailableError(
      `${database} was migrated by another version of the service (migration ${name} ` +
        `${own === undefined ? 'is unknown to this version' : 'differs'}) and was not changed. In development, ` +
        'remove DATA_DIR or recreate the database of DATABASE_URL, then import again. Elsewhere, start the version that last migrated it.',
    );
  }
  return [...scripts.migrations, ...scripts.functions].filter(
    (own) => !ledger?.some(({ name, checksum }) => name === own.name && checksum === own.checksum),
  );
}

/**
 * The rows of _prisma_migrations, those that `prisma migrate deploy` writes, so that Prisma's own commands and ours
 * agree on the state of a database; and of function_files, which Prisma does not know. Undefined if no migration has
 * ever begun.
 */
async function readLedger(client: ClientBase): Promise<Ledger | undefined> {
  const read = async (table: string, columns: string): Promise<Ledger | undefined> => {
    // From a catalog: only opening a relation makes the session learn of tables that others created while it waited.
    const { rows } = await client.query<{ exists: boolean }>(
      "SELECT to_regclass($1) IS NOT NULL AS exists FROM pg_namespace WHERE nspname = 'pg_catalog'",
      [table],
    );
    if (rows[0]?.exists !== true) return undefined;
    return (await client.query<Ledger[number]>(`SELECT ${columns} FROM ${table}`)).rows;
  };
  const migrations = await read(
    '_prisma_migrations',
    'migration_name AS name, CASE WHEN finished_at IS NOT NULL AND rolled_back_at IS NULL THEN checksum END AS checksum',
  );
  return migrations && [...migrations, ...((await read('function_files', 'name, checksum')) ?? [])];
}

export const createLedger = (client: ClientBase): Promise<unknown> =>
  client.query(`CREATE TABLE IF NOT EXISTS _prisma_migrations (
    id                  VARCHAR(36) PRIMARY KEY NOT NULL,
    checksum            VARCHAR(64) NOT NULL,
    finished_at         TIMESTAMPTZ,
    migration_name      VARCHAR(255) NOT NULL,
    logs                TEXT,
    rolled_back_at      TIMESTAMPTZ,
    started_at          TIMESTAMPTZ NOT NULL DEFAULT now(),
    applied_steps_count INTEGER NOT NULL DEFAULT 0)`);

/** Prisma takes a row that is not finished for a migration that failed. */
async function recordMigration(client: ClientBase, { name, checksum }: Script): Promise<void> {
  await client.query('DELETE FROM _prisma_migrations WHERE migration_name = $1', [name]);
  await client.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
     VALUES ($1, $2, $3, clock_timestamp(), 1)`,
    [randomUUID(), checksum, name],
  );
}

async function recordFunctions(client: ClientBase, { name, checksum }: Script): Promise<void> {
  await client.query(
    `INSERT INTO function_files (name, checksum) VALUES ($1, $2)
         ON CONFLICT (name) DO UPDATE SET checksum = excluded.checksum, applied_at = excluded.applied_at`,
    [name, checksum],
  );
}

/** Whether this login may write or create the ledger: the service's own may not (docs/deploy/roles.sql). */
async function mayMigrate(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ may: boolean }>(
    `SELECT coalesce(has_table_privilege(to_regclass('_prisma_migrations'), 'INSERT'),
                     has_schema_privilege(current_schema(), 'CREATE')) AS may`,
  );
  return rows[0]?.may === true;
}

/**
 * Begins a transaction that other sessions' settings cannot end, and that does not run on for long without its client:
 * a server that is busy with a long script checks that only when configured to, which some platforms refuse.
 */
const begin = (client: ClientBase, lockTimeoutMilliseconds: number): Promise<unknown> =>
  client.query(`
    BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
    SET LOCAL lock_timeout = ${lockTimeoutMilliseconds};
    SELECT set_config(name, '0', true) FROM pg_settings
     WHERE name IN ('statement_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout');
    DO $$ BEGIN
      PERFORM set_config('client_connection_check_interval', '500', true);
    EXCEPTION WHEN invalid_parameter_value THEN NULL; END $$`);

interface DatabaseError extends Error {
  readonly code?: string;
}

function explain(error: DatabaseError, step: string, lockWait: string | undefined): DatabaseUnavailableError {
  if (error instanceof DatabaseUnavailableError) return error;
  const again = '`catalog migrate` again.';
  const reason =
    lockWait !== undefined
      ? `${step} ${lockWait}, and run ${again}`
      : error.code === undefined || /^(08|57|E[A-Z])/.test(error.code)
        ? `${step} was interrupted: ${error.message}. It either completed or changed nothing. Run ${again}`
        : `${error.message} (${step}, which changed nothing).`;
  return new DatabaseUnavailableError(`The database could not be migrated: ${reason}`, { cause: error });
}
