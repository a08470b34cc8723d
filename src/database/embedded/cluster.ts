import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onErrorCode } from '../../common/data-directory';
import { DatabaseUnavailableError } from '../database-failure';
import type { ServerAccount } from './postgres-binaries';
import { preparePostgresBinaries } from './postgres-binaries';

const execute = promisify(execFile);

/** PostgreSQL inherits nothing from this process's environment: neither its locale nor a user's PGDATA. */
export const serverEnvironment = { LC_ALL: 'C', TZ: 'UTC' };

/** The superuser of the embedded server. */
export const serverRole = 'catalog';

export interface EmbeddedPostgresOptions {
  /** DATA_DIR. The cluster is in its folder postgres/. */
  readonly dataDirectory: string;
  readonly log: (line: string) => void;
  /** Whether committed data survives a crash of the machine. Tests turn it off to be faster. */
  readonly durable?: boolean;
}

/** The environment of the server. */
export interface Cluster {
  readonly directory: string;
  readonly binaries: string;
  /** Password of the superuser. */
  readonly password: string;
  /** Undefined: the user of this process. */
  readonly account: ServerAccount | undefined;
  /** Whether writes survive a crash of the machine; false in tests only. */
  readonly durable: boolean;
}

/**
 * The path by which a process of the server's account reaches its working directory. Root starts it there, although the
 * account may not be allowed to enter any of the parent directories. Linux only.
 */
export const workingDirectoryOfAccount = '/proc/self/cwd';

export const serverDirectoryOf = (dataDirectory: string): string => join(dataDirectory, 'postgres');
const clusterDirectoryOf = (dataDirectory: string): string => join(serverDirectoryOf(dataDirectory), 'cluster');

export const isInitialized = (dataDirectory: string): Promise<boolean> =>
  stat(join(clusterDirectoryOf(dataDirectory), 'PG_VERSION')).then(
    () => true,
    onErrorCode(['ENOENT', 'ENOTDIR'], false),
  );

/** The contents of postgres/: the cluster, leftovers of its creation, its users, and a copy of the program. */
const ownNames = /^(?:cluster|creating-.*|users|binaries-.*)$/;

/**
 * Creates what is missing. Refuses a directory that contains other files.
 * @throws DatabaseUnavailableError; errors of the file system
 */
export async function provideCluster({
  dataDirectory,
  log,
  durable = true,
}: EmbeddedPostgresOptions): Promise<Cluster> {
  const serverDirectory = serverDirectoryOf(dataDirectory);
  const directory = clusterDirectoryOf(dataDirectory);
  await mkdir(serverDirectory, { recursive: true, mode: 0o700 });
  const names = await readdir(serverDirectory);
  const foreign = names.find((name) => !ownNames.test(name));
  if (foreign !== undefined)
    throw new DatabaseUnavailableError(
      `${serverDirectory} is the directory of the embedded PostgreSQL, but contains other files (${foreign}). ${remedy}`,
    );
  const account = await chooseServerAccount(directory);
  if (account !== undefined) await giveTo(account, serverDirectory);
  const binaries = await preparePostgresBinaries(serverDirectory, account, log);
  if (!(await isInitialized(dataDirectory))) {
    log(`creating a PostgreSQL database in ${directory}`);
    await createCluster({ directory, binaries, account, durable }).catch(async (error: unknown) => {
      // Another process may have created it first.
      if (!(await isInitialized(dataDirectory))) throw error;
    });
  }
  for (const name of names.filter((each) => each.startsWith('creating-') && !isOfAnotherProcess(each)))
    await rm(join(serverDirectory, name), { recursive: true, force: true });
  const password = await readFile(join(directory, passwordName), 'utf8').catch(onErrorCode(['ENOENT'], undefined));
  if (password === undefined)
    throw new DatabaseUnavailableError(`${directory} contains the PostgreSQL database of another program. ${remedy}`);
  return { directory, binaries, password, account, durable };
}

/** Whether a directory `creating-PID-…` belongs to another process, which is still creating a cluster in it. */
function isOfAnotherProcess(name: string): boolean {
  const pid = Number(name.split('-')[1]);
  try {
    return pid !== process.pid && process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

const remedy = 'Set DATA_DIR to another directory, or DATABASE_URL to your own PostgreSQL server.';
const passwordName = 'catalog-password';

/**
 * PostgreSQL refuses to run as root. When root starts the service, PostgreSQL runs as the owner of the existing data,
 * otherwise as `postgres`, `nobody` or any other user; no user is added to the machine. Undefined: as the user who
 * starts it.
 */
export async function chooseServerAccount(clusterDirectory: string): Promise<ServerAccount | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  // The owner needs no name: only the creation of a database looks it up.
  const owner = await stat(clusterDirectory).catch(() => undefined);
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const users = await readFile('/etc/passwd', 'utf8').catch(() => '');
  const [, uid, gid] =
    ['postgres', 'nobody', String.raw`\w+`]
      .map((name) => new RegExp(`^${name}:[^:]*:([1-9]\\d*):(\\d+)`, 'm').exec(users))
      .find((found) => found !== null) ?? [];
  if (uid !== undefined && existsSync(workingDirectoryOfAccount)) return { uid: Number(uid), gid: Number(gid) };
  throw new DatabaseUnavailableError(
    'PostgreSQL does not run as root, and starting it as another user requires a second user in /etc/passwd and Linux /proc. ' +
      'Start the service as an ordinary user, or set DATABASE_URL to your own PostgreSQL server.',
  );
}

/** Makes the account the owner of what root created or copied. Parent directories keep their modes. */
async function giveTo({ uid, gid }: ServerAccount, directory: string): Promise<void> {
  await execute('chown', ['-hR', `${uid}:${gid}`, directory]);
  for (const path of [directory, join(directory, 'cluster')])
    await chmod(path, 0o700).catch(onErrorCode(['ENOENT'], undefined));
}

/** Creates the cluster, with its own password, in a temporary directory that is renamed when it is complete. */
async function createCluster({ directory, binaries, account, durable }: Omit<Cluster, 'password'>): Promise<void> {
  const place = await mkdtemp(join(directory, `../creating-${process.pid}-`));
  const [unfinished, passwordFile] = [join(place, 'cluster'), join(place, passwordName)];
  try {
    await mkdir(unfinished, { mode: 0o700 });
    await writeFile(passwordFile, randomBytes(24).toString('hex'), { mode: 0o600 });
    if (account) await execute('chown', ['-R', `${account.uid}:${account.gid}`, place]);
    await execute(
      join(binaries, 'bin/initdb'),
      [
        `--pgdata=${account ? workingDirectoryOfAccount : unfinished}`,
        `--username=${serverRole}`,
        `--pwfile=../${passwordName}`,
        '--auth=scram-sha-256',
        '--no-instructions',
        // UTF-8 whatever the machine's locale, with a provider that is the same on every machine.
        '--encoding=UTF8',
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--locale=C',
        ...(durable ? [] : ['--no-sync']),
      ],
      { cwd: unfinished, env: serverEnvironment, ...account },
    ).catch((error: Error & { readonly stderr?: string; readonly code?: string }) => {
      const reason = explainServer(error.stderr ?? '', `initdb failed (code ${error.code ?? 'unknown'})`);
      throw new DatabaseUnavailableError(
        `The embedded PostgreSQL could not create its data in ${directory}: ${reason}.`,
        { cause: error },
      );
    });
    await rename(passwordFile, join(unfinished, passwordName));
    await rename(unfinished, directory);
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

/** PostgreSQL's output, as a reason for the person who starts the service. */
export function explainServer(written: string, otherwise: string): string {
  if (written.includes('No space left on device')) return 'the disk is full';
  const nameless = /could not look up effective user ID (\d+)/.exec(written)?.[1];
  if (nameless !== undefined)
    return `PostgreSQL requires a user name, but user ID ${nameless} is not in /etc/passwd: add it there, or set DATABASE_URL to a server`;
  const lines = written.split('\n').filter((line) => /FATAL|PANIC|could not|error/.test(line));
  return [otherwise, ...lines.slice(-3)].join('; ');
}
