import type { DatabaseHealth } from '../observability/readiness';
import type { Database } from './database';
import { StandbyError, toDatabaseApiError } from './database-failure';
import { sql } from './sql';
import { readJson } from './read-json';
import { readMigrationNames } from './migration-files';
import { usesCitus } from './sharding/shard-groups';
import { countShardsWithoutCopies } from './sharding/shard-copies';

/**
 * Checks with one statement whether the database responds and whether it has every migration of this build. Newer ones
 * may exist, too: a process keeps serving while the next version is deployed. On Citus, each shard of shops also needs
 * its own functions and triggers, which `catalog migrate` creates.
 */
export function createDatabaseProbe(database: Database): () => Promise<DatabaseHealth> {
  const names = readMigrationNames();
  let haveCopies = false;
  return async () => {
    try {
      const finished = await readJson<number>(
        database,
        sql`
        SELECT CASE WHEN NOT pg_is_in_recovery() THEN count(DISTINCT migration_name)::text END FROM _prisma_migrations
         WHERE migration_name = ANY (${names}::text[]) AND finished_at IS NOT NULL AND rolled_back_at IS NULL`,
      );
      if (finished === null) throw new StandbyError();
      // Checked until found once: a shard group that moves later only refuses writes until it has them.
      haveCopies ||= await haveShardsCopies(database);
      return { reachable: true, migrated: finished === names.length && haveCopies };
    } catch (error) {
      // Any error but an outage is an answer: the table does not exist, or may not be read.
      if (toDatabaseApiError(error) === undefined) return { reachable: true, migrated: false };
      return { reachable: false, migrated: null };
    }
  };
}

/** Whether each shard of shops has its triggers; true where there are no shards. */
async function haveShardsCopies(database: Database): Promise<boolean> {
  return !(await usesCitus(database)) || (await readJson<number>(database, countShardsWithoutCopies)) === 0;
}
