import type { Client } from 'pg';
import { connectToPrimary } from './connect-to-primary';
import { describeDatabase, parseConnectionTarget } from '../config/connection-target';
import { DatabaseUnavailableError } from './database-failure';
import type { LockWaits } from './lock-waits';
import { serverProcessOf, watchLockWaits } from './lock-waits';
import type { Scripts } from './migration-files';
import { readScripts } from './migration-files';
import { refreshCopies } from './sharding/distribute';
import type { Ledger } from './migration-ledger';
import {
  createLedger,
  mayMigrate,
  migrationLockKey,
  readLedger,
  recordFinished,
  recordFunctions,
} from './migration-ledger';

export interface MigrateOptions {
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
 * Migrates the database to the newest version and returns the names of the migrations and files of functions applied
 * now.
 *
 * A script and its row in the ledger are one transaction (docs/decisions.md 138), so an interruption at any time
 * leaves a migration either complete or not begun. Functions and triggers come with the last migration. An empty
 * database gets everything in one transaction. Locks are taken only to change something: an up-to-date database is
 * checked and left alone.
 * @throws DatabaseUnavailableError when the database was made by other migrations than these, when something is missing
 * and the login may not migrate, when other sessions hold a lock for too long, when a script fails, and for an empty
 * database when `mustExist` is set. No migration is left partially applied.
 */
export async function migrate(url: string, options: MigrateOptions = {}): Promise<readonly string[]> {
  const client = await connectToPrimary(url, {
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    application_name: 'catalog migrate',
  });
  const scripts = options.scripts ?? readScripts();
  const check = (ledger: Ledger | undefined): void => requireSameOrigin(url, scripts, ledger);
  try {
    const ledger = await readLedger(client);
    if (ledger === undefined && options.mustExist === true) throw notOurs(url);
    check(ledger);
    const missing = missingOf(scripts, ledger);
    if (countOf(missing) === 0) return [];
    if (!(await mayMigrate(client))) throw notPermitted(missing);
    const applied: string[] = [];
    for (const part of ledger === undefined ? [missing] : toTransactions(missing)) {
      applied.push(...(await applyInOneTransaction(client, url, part, check, options)));
    }
    await refreshCopies(url, { scripts, log: options.log });
    return applied;
  } finally {
    await client.end().catch(() => undefined);
  }
}

const notOurs = (url: string): DatabaseUnavailableError =>
  new DatabaseUnavailableError(
    `${describeDatabase(parseConnectionTarget(url))} has no table of the service: ` +
      'set DATABASE_URL to its database, or run `catalog migrate` to create the tables in this one.',
  );

/**
 * Refuses a database that other migrations made: what they created is unknown, so nothing can be built on it.
 * @throws DatabaseUnavailableError
 */
function requireSameOrigin(url: string, { migrations }: Scripts, ledger: Ledger | undefined): void {
  const own = new Map(migrations.map(({ name, checksum }) => [name, checksum]));
  for (const [name, checksums] of ledger?.migrations ?? []) {
    const isUnknown = !own.has(name);
    if (!isUnknown && checksums.every((checksum) => checksum === own.get(name))) continue;
    throw new DatabaseUnavailableError(
      `${describeDatabase(parseConnectionTarget(url))} was made by another version of the service (migration ${name} ` +
        `${isUnknown ? 'is not one of this version' : 'differs'}) and is left as it is: in development ` +
        'remove DATA_DIR, or create the database of DATABASE_URL anew, and import again; elsewhere start the version that made it.',
    );
  }
}

const missingOf = ({ migrations, functions }: Scripts, ledger: Ledger | undefined): Scripts => ({
  migrations: migrations.filter(({ name }) => (ledger?.migrations.get(name) ?? []).length === 0),
  functions: functions.filter(({ name, checksum }) => ledger?.functions.get(name) !== checksum),
});

const countOf = ({ migrations, functions }: Scripts): number => migrations.length + functions.length;

/** Each migration alone, because rewritten tables keep their old files until COMMIT; functions with the last one. */
function toTransactions({ migrations, functions }: Scripts): Scripts[] {
  const [last, ...earlier] = migrations.toReversed();
  return [
    ...earlier.reverse().map((migration) => ({ migrations: [migration], functions: [] })),
    { migrations: last === undefined ? [] : [last], functions },
  ];
}

/**
 * Begins a transaction that other sessions' settings cannot end, and that does not run on for long without its client.
 */
async function begin(client: Client, lockTimeoutMilliseconds: number): Promise<void> {
  await client.query('BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE');
  await setForTransaction(client, {
    statement_timeout: '0',
    idle_in_transaction_session_timeout: '0',
    transaction_timeout: '0',
    lock_timeout: String(lockTimeoutMilliseconds),
  });
  // A server that is busy with a long script checks its client only when configured to. Some platforms cannot and
  // refuse the setting.
  await client.query(`DO $$ BEGIN
      PERFORM set_config('client_connection_check_interval', '500', true);
    EXCEPTION WHEN invalid_parameter_value THEN NULL; END $$`);
}

/** Settings that this version of PostgreSQL does not have are omitted. */
async function setForTransaction(client: Client, settings: Readonly<Record<string, string>>): Promise<void> {
  await client.query(
    `SELECT set_config(name, value, true)
       FROM unnest($1::text[], $2::text[]) AS wanted (name, value) JOIN pg_settings USING (name)`,
    [Object.keys(settings), Object.values(settings)],
  );
}

/** @returns the names of those that were still missing once this process held the lock */
async function applyInOneTransaction(
  client: Client,
  url: string,
  scripts: Scripts,
  check: (ledger: Ledger | undefined) => void,
  { log = () => undefined, migrationWaitMilliseconds = 300_000, tableWaitMilliseconds = 30_000 }: MigrateOptions,
): Promise<string[]> {
  let step = 'waiting for another migration';
  let waits: LockWaits | undefined;
  try {
    await begin(client, migrationWaitMilliseconds);
    waits = watchLockWaits({ url, pids: () => [serverProcessOf(client)], log });
    await client.query('SELECT pg_advisory_xact_lock($1)', [migrationLockKey]);
    await setForTransaction(client, { lock_timeout: String(tableWaitMilliseconds) });
    const ledger = await readLedger(client);
    check(ledger);
    if (ledger === undefined) await createLedger(client);
    const missing = missingOf(scripts, ledger);
    for (const migration of missing.migrations) {
      step = `migration ${migration.name}`;
      const { rows } = await client.query<{ now: Date }>('SELECT clock_timestamp() AS now');
      await client.query(migration.sql);
      await recordFinished(client, migration, (rows[0] as { now: Date }).now);
    }
    // Shards get copies of their own (src/database/sharding).
    await setForTransaction(client, { 'citus.enable_ddl_propagation': 'off' });
    for (const file of missing.functions) {
      step = file.name;
      await client.query(file.sql);
      await recordFunctions(client, file);
    }
    await client.query('COMMIT');
    return [...missing.migrations, ...missing.functions].map(({ name }) => name);
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw explain(error as DatabaseError, step, await waits?.explain(error));
  } finally {
    await waits?.close();
  }
}

interface DatabaseError extends Error {
  readonly code?: string;
}

function explain(error: DatabaseError, step: string, lockWait: string | undefined): DatabaseUnavailableError {
  if (error instanceof DatabaseUnavailableError) return error;
  const again = '`catalog migrate` again.';
  const reason =
    lockWait !== undefined
      ? `${step} ${lockWait}, and run ${again}`
      : error.code === undefined || /^(08|57)/.test(error.code)
        ? `${step} was interrupted: ${error.message}. It is complete or left nothing behind. Run ${again}`
        : `${error.message} (${step}, which changed nothing).${isDuplicate.test(error.code) ? ifBegun : ''}`;
  return new DatabaseUnavailableError(`The database could not be migrated: ${reason}`, { cause: error });
}

/** duplicate_column, duplicate_object, duplicate_function, duplicate_table */
const isDuplicate = /^427(01|10|23)$|^42P07$/;
/** It records in another transaction than it runs in. */
const ifBegun =
  ' If `prisma migrate deploy` was interrupted, run `prisma migrate resolve --applied` with the name of the migration, and `catalog migrate` again.';

const notPermitted = ({ migrations, functions }: Scripts): DatabaseUnavailableError =>
  new DatabaseUnavailableError(
    `The database lacks ${[...migrations, ...functions].map(({ name }) => name).join(', ')}, and this login may not change its tables. ` +
      'Run `catalog migrate` with the DATABASE_URL of their owner, then start again.',
  );
