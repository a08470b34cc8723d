import { execFile } from 'node:child_process';
import { chmod, cp, lstat, mkdir, mkdtemp, readFile, readdir, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { EmbeddedPostgresError } from './embedded-postgres-error';
import type { ServerAccount } from './server-account';

const execute = promisify(execFile);

/**
 * The directory with PostgreSQL's bin/, lib/ and share/, which the account can read and run: the installed one, else a
 * copy. An ordinary user has it beside the database; root in a directory of the system, because the account may not be
 * able to reach the database's directory by its path.
 * @throws EmbeddedPostgresError
 */
export async function preparePostgresBinaries(
  serverDirectory: string,
  account: ServerAccount | undefined,
  log: (line: string) => void,
): Promise<string> {
  const installed = locateInstalledBinaries();
  if ((await completeLinks(installed)) && (await findFault(installed, account)) === undefined) return installed;

  const name = `binaries-${await readVersion(installed)}`;
  const faults: string[] = [];
  for (const directory of account ? directoriesForRoot() : [serverDirectory]) {
    const copy = join(directory, name);
    try {
      if (account) await provideOpenDirectory(directory);
      if (!(await exists(copy))) {
        log(`copying PostgreSQL to ${copy}: the user that it runs as may not run it in ${installed}`);
        await copyBinaries(installed, copy);
      }
      const fault = await findFault(copy, account);
      if (fault === undefined) return copy;
      faults.push(`${copy} (${fault})`);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === undefined) throw error;
      faults.push(`${directory} (${code})`);
    }
  }
  throw new EmbeddedPostgresError(
    `The user that PostgreSQL runs as may not run it in ${installed}, and no copy could be used: ${faults.join(', ')}. ` +
      'Make one of these directories writable, start the service as an ordinary user, or set DATABASE_URL.',
  );
}

/** A copy can be made again at any time, so a cache comes first. */
const directoriesForRoot = (): string[] =>
  [...new Set(['/var/cache', '/var/lib', '/opt', '/var/tmp', '/tmp', tmpdir()])].map((directory) =>
    join(directory, 'catalog-read-api'),
  );

/** Programs that others could replace are not run: the directory belongs to root, and only root may write to it. */
async function provideOpenDirectory(directory: string): Promise<void> {
  const made = await mkdir(directory).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
      return false;
    },
  );
  // Whatever the umask.
  if (made) await chmod(directory, 0o755);
  const entry = await lstat(directory);
  if (!entry.isDirectory() || entry.uid !== 0 || (entry.mode & 0o022) !== 0)
    throw Object.assign(new Error('writable for others'), { code: 'writable for others' });
}

/** The copy gets its name when it is complete. */
async function copyBinaries(installed: string, copy: string): Promise<void> {
  const unfinished = await mkdtemp(`${copy}.unfinished-`);
  try {
    await cp(installed, unfinished, { recursive: true, verbatimSymlinks: true });
    await openForReaders(unfinished);
    await completeLinks(unfinished);
    await rename(unfinished, copy);
  } catch (error) {
    // Another process may have been faster.
    if (!(await exists(copy))) throw error;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** npm installs with the modes that its umask leaves. */
async function openForReaders(directory: string): Promise<void> {
  await chmod(directory, 0o755);
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) await openForReaders(path);
    else if (entry.isFile()) await chmod(path, (await stat(path)).mode & 0o100 ? 0o755 : 0o644);
  }
}

/** Tries what the modes of files and directories, and options of file systems, let the account do. */
async function findFault(native: string, account: ServerAccount | undefined): Promise<string | undefined> {
  if (account === undefined) return undefined;
  const script = '"$1/bin/postgres" --version && "$1/bin/initdb" --version && cat "$1"/share/postgresql/*.bki';
  try {
    await execute('/bin/sh', ['-c', `{ ${script}; } >/dev/null`, 'sh', native], { cwd: '/', env: {}, ...account });
    return undefined;
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    return stderr?.trim().split('\n').at(-1) ?? message;
  }
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
