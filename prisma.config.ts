import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'prisma/config';

/** For Prisma's own commands. Without DATABASE_URL: the embedded PostgreSQL, which answers while a service or command of ours uses it. */
function findDatabase(): string {
  const url = process.env['DATABASE_URL'];
  if (url !== undefined) return url;
  const inCluster = (name: string): string => join(process.env['DATA_DIR'] ?? '.data', 'postgres/cluster', name);
  if (!existsSync(inCluster('postmaster.pid'))) return '';
  const [password, server] = ['catalog-password', 'postmaster.pid'].map((name) =>
    readFileSync(inCluster(name), 'utf8'),
  );
  return `postgresql://catalog:${password}@127.0.0.1:${server?.split('\n')[3]}/postgres`;
}

// These commands insist on an engine that they do not use: any file will do, and nothing is downloaded.
if (['format', 'generate', 'studio', 'validate'].includes(process.argv[2] ?? ''))
  process.env['PRISMA_SCHEMA_ENGINE_BINARY'] ??= process.execPath;

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: findDatabase() },
});
