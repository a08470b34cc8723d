// Runs `deploy` or `status` on the database of the second argument with Prisma's own engine, as `prisma migrate` does.
import { join } from 'node:path';
import { readScripts } from '../../../src/database/migration-files';
import { projectRoot } from '../../../src/common/project-root';
import { openSchemaEngine } from '../schema-engine';

async function run(command: string, url: string): Promise<unknown> {
  const { engine, close } = await openSchemaEngine(url);
  const filters = { externalTables: [], externalEnums: [] };
  const migrationsList = {
    baseDir: join(projectRoot, 'prisma/migrations'),
    lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' },
    shadowDbInitScript: '',
    migrationDirectories: readScripts().migrations.map(({ name, sql }) => ({
      path: name,
      migrationFile: { path: 'migration.sql', content: { tag: 'ok' as const, value: sql } },
    })),
  };
  try {
    return command === 'deploy'
      ? (await engine.applyMigrations({ migrationsList, filters })).appliedMigrationNames
      : await engine.diagnoseMigrationHistory({ migrationsList, filters, optInToShadowDatabase: false });
  } finally {
    await close();
  }
}

const [command = '', url = ''] = process.argv.slice(2);
void run(command, url).then((result) => process.stdout.write(JSON.stringify(result)));
