import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from 'pg';
import { projectRoot } from '../project-root';
import { findPrimary } from './connect-to-primary';
import { parseConnectionTarget } from './connection-target';
import { DatabaseUnavailableError } from './database-unavailable-error';
import { openSchemaEngine } from './schema-engine';

/**
 * Our own lock, for as long as it takes. The engine also takes the one of `prisma migrate`, but gives up after ten
 * seconds; it must be another key, because the engine uses another connection.
 */
const advisoryLockKey = 7_270_736_901;

interface Migration {
  readonly name: string;
  readonly sql: string;
}

interface RecordedMigration {
  readonly migration_name: string;
  readonly finished: boolean;
}

/**
 * Brings the database to the newest migration and returns the names of the migrations applied now. Safe when several
 * processes start at once. Writes the `_prisma_migrations` table just as `prisma migrate deploy` does.
 * @throws DatabaseUnavailableError when something is missing and the login may not migrate
 */
export async function migrate(url: string): Promise<readonly string[]> {
  const target = parseConnectionTarget(url);
  const { client, host } = await findPrimary(target, { connectionTimeoutMillis: 5_000, keepAlive: true });
  try {
    await client.query('SELECT pg_advisory_lock($1)', [advisoryLockKey]);
    return await applyPending(client, target.urls[host] as string);
  } finally {
    await client.end(); // releases the lock
  }
}

async function applyPending(client: Client, url: string): Promise<readonly string[]> {
  const migrations = readMigrations();
  const recorded = await readRecorded(client);
  const finished = new Set(recorded.filter((row) => row.finished).map((row) => row.migration_name));
  const missing = migrations.filter(({ name }) => !finished.has(name));
  if (missing.length === 0) return [];
  if (!(await mayMigrate(client))) throw notPermitted(missing);

  const { engine, firstFailure, close } = await openSchemaEngine(url);
  try {
    // A script runs as one transaction: one that was cut off (a crash, a kill) left nothing behind and may run again.
    for (const { migration_name: migrationName } of recorded.filter((row) => !row.finished)) {
      await engine.markMigrationRolledBack({ migrationName });
    }
    const { appliedMigrationNames } = await engine.applyMigrations({
      migrationsList: toMigrationsList(migrations),
      filters: { externalTables: [], externalEnums: [] },
    });
    return appliedMigrationNames;
  } catch (error) {
    // What the database itself said helps more than what the engine made of it.
    const cause = firstFailure() ?? error;
    throw new Error(`The database could not be migrated: ${toMessage(cause)}`, { cause: error });
  } finally {
    await close();
  }
}

/** Whether this login owns the record of migrations, or may begin one. A service that connects as a reader may not (docs/deploy/roles.sql). */
async function mayMigrate(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ may: boolean }>(
    `SELECT coalesce(has_table_privilege(to_regclass('_prisma_migrations'), 'INSERT'),
                     has_schema_privilege(current_schema(), 'CREATE')) AS may`,
  );
  return rows[0]?.may === true;
}

const notPermitted = (missing: readonly Migration[]): DatabaseUnavailableError =>
  new DatabaseUnavailableError(
    `The database misses ${missing.map(({ name }) => name).join(', ')}, and this login may not change its tables. ` +
      'Run `catalog migrate` with the DATABASE_URL of their owner, then start again.',
  );

/** The migrations of this build, oldest first. */
export const readMigrationNames = (): string[] =>
  readdirSync(migrationsDirectory(), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();

const readMigrations = (): Migration[] =>
  readMigrationNames().map((name) => ({
    name,
    sql: readFileSync(join(migrationsDirectory(), name, 'migration.sql'), 'utf8'),
  }));

async function readRecorded(client: Client): Promise<RecordedMigration[]> {
  const table = await client.query<{ found: boolean }>("SELECT to_regclass('_prisma_migrations') IS NOT NULL AS found");
  if (table.rows[0]?.found !== true) return [];
  const { rows } = await client.query<RecordedMigration>(
    `SELECT migration_name, finished_at IS NOT NULL AS finished
       FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at`,
  );
  return rows;
}

function toMigrationsList(migrations: readonly Migration[]) {
  return {
    baseDir: migrationsDirectory(),
    lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' },
    shadowDbInitScript: '',
    migrationDirectories: migrations.map(({ name, sql }) => ({
      path: name,
      migrationFile: { path: 'migration.sql', content: { tag: 'ok' as const, value: sql } },
    })),
  };
}

const toMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const migrationsDirectory = (): string => join(projectRoot, 'prisma/migrations');
