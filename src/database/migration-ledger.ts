import { randomUUID } from 'node:crypto';
import type { ClientBase } from 'pg';
import type { Migration } from './migration-files';

/*
 * The table _prisma_migrations, with the rows that `prisma migrate deploy` writes, so that Prisma's own commands and
 * ours agree on the state of a database.
 */

/** The ledger's state of a migration. */
export interface LedgerEntry {
  readonly name: string;
  /**
   * Whether a run of it was recorded as finished. Other runs were interrupted, failed, or were marked as rolled back.
   */
  readonly isFinished: boolean;
}

/** All migrations that were ever begun, by name; undefined where the ledger does not exist yet. */
export async function readLedger(client: ClientBase): Promise<ReadonlyMap<string, LedgerEntry> | undefined> {
  const table = await client.query<{ found: boolean }>("SELECT to_regclass('_prisma_migrations') IS NOT NULL AS found");
  if (table.rows[0]?.found !== true) return undefined;
  const { rows } = await client.query<LedgerEntry>(
    `SELECT migration_name AS name, bool_or(finished_at IS NOT NULL AND rolled_back_at IS NULL) AS "isFinished"
       FROM _prisma_migrations GROUP BY migration_name`,
  );
  return new Map(rows.map((entry) => [entry.name, entry]));
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
export async function recordFinished(
  client: ClientBase,
  { name, checksum }: Migration,
  startedAt: Date,
): Promise<void> {
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
