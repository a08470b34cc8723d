import type { CliCommand, CliContext } from '../command';
import { addJsonOption } from '../json-option';

export const migrateCommand: CliCommand = {
  name: 'migrate',
  login: 'the owner of the tables',
  summary: 'bring the database to the schema of this version',
  details: `Applies the missing migrations, in order, and the functions and triggers that differ. \`serve\` and every other command do the same to an older
database that they open, so this is for deployments with a separate migration step. Safe to run twice, or from two machines at once.`,
  examples: ['catalog migrate', 'DATABASE_URL=postgresql://owner@db.internal/catalog catalog migrate --json'],
  define(command, perform) {
    addJsonOption(command, '{"applied": […]}, the names of the migrations and of the files of functions').action(() =>
      perform(async (context) => {
        const applied = await applyMigrations(context);
        return {
          json: { applied },
          text: applied.length === 0 ? 'The database is up to date.' : `Applied:\n  ${applied.join('\n  ')}`,
        };
      }),
    );
  },
};

async function applyMigrations({ config, log, allowNewDatabase }: CliContext): Promise<readonly string[]> {
  const [{ startEmbeddedPostgres }, { migrate }, { refreshCopies }] = await Promise.all([
    import('../../database/embedded-postgres.js'),
    import('../../database/migrate.js'),
    import('../../database/sharding/distribute.js'),
  ]);
  if (config.databaseUrl !== undefined) {
    const applied = await migrate(config.databaseUrl, { log });
    // Migrations end with that; without any, shards may have moved.
    if (applied.length === 0) await refreshCopies(config.databaseUrl, { log });
    return applied;
  }
  await allowNewDatabase();
  const server = await startEmbeddedPostgres({ dataDirectory: config.dataDir, log });
  try {
    return await migrate(server.url, { log });
  } finally {
    await server.stop();
  }
}
