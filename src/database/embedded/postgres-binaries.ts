import { chmod, cp, lstat, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres-error';
import type { ServerAccount } from './server-account';
import { findClosedDirectory } from './server-account';

/** The directory with PostgreSQL's bin/, lib/ and share/, readable by the account. */
export async function preparePostgresBinaries(
  clusterDirectory: string,
  account: ServerAccount | undefined,
  log: (line: string) => void,
): Promise<string> {
  const installed = locateInstalledBinaries();
  const closed = account && (await findClosedDirectory(join(installed, 'bin'), account));
  if (closed === undefined && (await completeLinks(installed))) return installed;

  const copy = join(clusterDirectory, `binaries-${await readVersion(installed)}`);
  if (!(await exists(copy))) {
    log(`copying PostgreSQL to ${copy}: the user that it runs as may not read ${closed ?? installed}`);
    const unfinished = `${copy}.unfinished`;
    await rm(unfinished, { recursive: true, force: true });
    await cp(installed, unfinished, { recursive: true, verbatimSymlinks: true });
    await chmod(unfinished, 0o755);
    await completeLinks(unfinished);
    await rename(unfinished, copy);
  }
  return copy;
}

function locateInstalledBinaries(): string {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    return join(dirname(createRequire(__filename).resolve(name)), '../native');
  } catch (error) {
    throw new EmbeddedPostgresError(
      `There is no embedded PostgreSQL for this machine: the package ${name} is not installed. ` +
        'Run `npm ci` without --omit=optional, or set DATABASE_URL to a PostgreSQL server of your own.',
      { cause: error },
    );
  }
}

/**
 * The package's install script creates the symbolic links that a package cannot contain; without them initdb exits with
 * 127. Where install scripts do not run, the links are created here. Returns false when that is not allowed.
 */
async function completeLinks(native: string): Promise<boolean> {
  const text = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  try {
    for (const { source, target } of JSON.parse(text) as { source: string; target: string }[]) {
      const link = join(native, relative('native', target));
      if (!(await exists(link))) await symlink(relative(dirname(target), source), link);
    }
    return true;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'EEXIST') return completeLinks(native); // another process was faster
    if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM') return false;
    throw error;
  }
}

async function readVersion(native: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(native, '../package.json'), 'utf8')) as { version: string };
  return version;
}

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );
