import type { DatabaseHealth } from '../observability/readiness';
import type { Database } from './database';
import { toDatabaseApiError } from './database-failure';
import { Prisma } from './generated/client';
import { readJson } from './read-json';
import { StandbyError } from './standby-error';
import { readMigrationNames } from './migration-files';

/**
 * One statement for two questions: does the database answer, and does it have every migration of this build? Newer ones may be there
 * too: an older process goes on while the next version is brought in.
 */
export function createDatabaseProbe(database: Database): () => Promise<DatabaseHealth> {
  const names = readMigrationNames();
  return async () => {
    try {
      const finished = await readJson<number>(
        database,
        Prisma.sql`
        SELECT CASE WHEN NOT pg_is_in_recovery() THEN count(DISTINCT migration_name)::text END FROM _prisma_migrations
         WHERE migration_name = ANY (${names}::text[]) AND finished_at IS NOT NULL AND rolled_back_at IS NULL`,
      );
      if (finished === null) throw new StandbyError();
      return { reachable: true, migrated: finished === names.length };
    } catch (error) {
      // Anything but an outage is an answer: the table is not there, or not ours to read.
      if (toDatabaseApiError(error) === undefined) return { reachable: true, migrated: false };
      return { reachable: false, migrated: null };
    }
  };
}
