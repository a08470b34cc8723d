import { randomUUID } from 'node:crypto';
import type { ClientBase } from 'pg';
import type { Script } from './migration-files';

/*
 * The table _prisma_migrations, with the rows that `prisma migrate deploy` writes, so that Prisma's own commands and
 * ours agree on the state of a database; and function_files, which Prisma does not know.
 */

/** The key that `prisma migrate` locks, too: only one migration runs at a time, whatever tool and version runs it. */
export const migrationLockKey = 72_707_369;

/** What was ever run on a database. */
export interface Ledger {
  /** All migrations that were ever begun, by name, with the digests of those that were recorded as finished. */
  readonly migrations: ReadonlyMap<string, readonly string[]>;
  /** The digests of the files of functions, by name. */
  readonly functions: ReadonlyMap<string, string>;
}

/** Returns undefined where no migration was ever begun. */
export async function readLedger(client: ClientBase): Promise<Ledger | undefined> {
  const { rows } = await client.query<{ migrations: boolean; functions: boolean }>(
    "SELECT to_regclass('_prisma_migrations') IS NOT NULL AS migrations, to_regclass('function_files') IS NOT NULL AS functions",
  );
  const [exists] = rows;
  if (exists?.migrations !== true) return undefined;
  // Runs that are not finished were interrupted or failed; others were marked as rolled back.
  const migrations = await client.query<{ name: string; checksums: string[] }>(
    `SELECT migration_name AS name,
            coalesce(array_agg(checksum) FILTER (WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL), '{}') AS checksums
       FROM _prisma_migrations GROUP BY migration_name ORDER BY migration_name`,
  );
  const functions = exists.functions
    ? (await client.query<{ name: string; checksum: string }>('SELECT name, checksum FROM function_files')).rows
    : [];
  return {
    migrations: new Map(migrations.rows.map(({ name, checksums }) => [name, checksums])),
    functions: new Map(functions.map(({ name, checksum }) => [name, checksum])),
  };
}

export async function createLedger(client: ClientBase): Promise<void> {
  await client.query(`CREATE TABLE IF NOT EXISTS _prisma_migrations (
    id                  VARCHAR(36) PRIMARY KEY NOT NULL,
    checksum            VARCHAR(64) NOT NULL,
    finished_at         TIMESTAMPTZ,
    migration_name      VARCHAR(255) NOT NULL,
    logs                TEXT,
    rolled_back_at      TIMESTAMPTZ,
    started_at          TIMESTAMPTZ NOT NULL DEFAULT now(),
    applied_steps_count INTEGER NOT NULL DEFAULT 0)`);
}

/**
 * Records the migration as finished. Unfinished runs of it are marked as rolled back, as `prisma migrate resolve` does.
 */
export async function recordFinished(client: ClientBase, { name, checksum }: Script, startedAt: Date): Promise<void> {
  await client.query(
    `UPDATE _prisma_migrations SET rolled_back_at = clock_timestamp()
      WHERE migration_name = $1 AND finished_at IS NULL AND rolled_back_at IS NULL`,
    [name],
  );
  await client.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
     VALUES ($1, $2, $3, $4, clock_timestamp(), 1)`,
    [randomUUID(), checksum, name, startedAt],
  );
}

/** Records which file of functions the database has. */
export async function recordFunctions(client: ClientBase, { name, checksum }: Script): Promise<void> {
  await client.query(
    `INSERT INTO function_files (name, checksum) VALUES ($1, $2)
         ON CONFLICT (name) DO UPDATE SET checksum = excluded.checksum, applied_at = now()`,
    [name, checksum],
  );
}

/**
 * Whether this login may write the ledger, or create it. A service that connects as a reader may not
 * (docs/deploy/roles.sql).
 */
export async function mayMigrate(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ may: boolean }>(
    `SELECT coalesce(has_table_privilege(to_regclass('_prisma_migrations'), 'INSERT'),
                     has_schema_privilege(current_schema(), 'CREATE')) AS may`,
  );
  return rows[0]?.may === true;
}
