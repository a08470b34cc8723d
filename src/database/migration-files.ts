import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../common/project-root';

/** A script of prisma/: a directory of migrations/, or a file of functions/. */
export interface Script {
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the script in hexadecimal, as Prisma records it. */
  readonly checksum: string;
}

/** All scripts of this build: tables first, then functions and triggers. */
export interface Scripts {
  /** They run once, in the order of their names. A change of one is refused (docs/decisions.md 138). */
  readonly migrations: readonly Script[];
  /** They run again whenever they differ, in the order of their names, and replace what they created. */
  readonly functions: readonly Script[];
}

/** The key that `prisma migrate` also locks: only one migration runs at a time, whatever tool and version runs it. */
export const migrationLockKey = 72_707_369;

const directory = join(projectRoot, 'prisma');

/** The names of this build's migrations, oldest first. */
export const readMigrationNames = (): string[] =>
  readdirSync(join(directory, 'migrations'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();

/** The scripts of this build. */
export const readScripts = (): Scripts => ({
  migrations: readMigrationNames().map((name) => readScript(name, join('migrations', name, 'migration.sql'))),
  functions: readdirSync(join(directory, 'functions'))
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => readScript(`functions/${name}`, join('functions', name))),
});

function readScript(name: string, path: string): Script {
  const sql = readFileSync(join(directory, path), 'utf8');
  return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
}
