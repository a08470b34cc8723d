import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../project-root';

/** A directory of prisma/migrations. */
export interface Migration {
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the script in hexadecimal, as Prisma records it. */
  readonly checksum: string;
}

const migrationsDirectory = join(projectRoot, 'prisma/migrations');

/** The names of this build's migrations, oldest first. */
export const readMigrationNames = (): string[] =>
  readdirSync(migrationsDirectory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();

/** The migrations of this build, oldest first. */
export const readMigrations = (): Migration[] =>
  readMigrationNames().map((name) => {
    const sql = readFileSync(join(migrationsDirectory, name, 'migration.sql'), 'utf8');
    return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
  });
