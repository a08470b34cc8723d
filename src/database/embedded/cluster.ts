import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, chown, lchown, link, mkdir, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { onErrorCode } from '../../common/data-directory';
import { EmbeddedPostgresError } from './embedded-postgres-error';
import { preparePostgresBinaries } from './postgres-binaries';
import type { ServerAccount } from './server-account';
import { chooseServerAccount, workingDirectoryOfAccount } from './server-account';

const execute = promisify(execFile);

/** PostgreSQL gets nothing of this process's environment: neither its locale nor a user's PGDATA. */
export const serverEnvironment = { LC_ALL: 'C', TZ: 'UTC' };

/** The superuser of the embedded server. */
export const serverRole = 'catalog';

/** What the server runs on. */
export interface Cluster {
  /** DATA_DIR. */
  readonly dataDirectory: string;
  readonly directory: string;
  readonly binaries: string;
  readonly account: ServerAccount | undefined;
  /** Whether writes survive a crash of the machine; false in tests only. */
  readonly durable: boolean;
}

export const clusterDirectoryOf = (dataDirectory: string): string => join(dataDirectory, 'postgres/cluster');
export const passwordFileOf = (dataDirectory: string): string => join(dataDirectory, 'postgres-password');

export const isInitialised = (dataDirectory: string): Promise<boolean> =>
  stat(join(clusterDirectoryOf(dataDirectory), 'PG_VERSION')).then(
    () => true,
    onErrorCode(['ENOENT', 'ENOTDIR'], false),
  );

/** Creates what is not there yet. */
export async function provideCluster({
  dataDirectory,
  durable,
  log,
}: Pick<Cluster, 'dataDirectory' | 'durable'> & { readonly log: (line: string) => void }): Promise<Cluster> {
  const directory = clusterDirectoryOf(dataDirectory);
  const serverDirectory = dirname(directory);
  await mkdir(serverDirectory, { recursive: true, mode: 0o700 });
  const account = await chooseServerAccount(directory);
  if (account !== undefined) await giveServerDirectory(serverDirectory, account);
  const binaries = await preparePostgresBinaries(serverDirectory, account, log);
  const cluster = { dataDirectory, directory, binaries, account, durable };
  if (!(await isInitialised(dataDirectory))) {
    log(`creating a PostgreSQL database in ${directory}`);
    await initialiseCluster(cluster);
  }
  return cluster;
}

/**
 * The account need not be able to enter the directories above (`workingDirectoryOfAccount`), so their modes stay as
 * they are.
 */
async function giveServerDirectory(serverDirectory: string, account: ServerAccount): Promise<void> {
  if (!existsSync(workingDirectoryOfAccount)) {
    throw new EmbeddedPostgresError(
      'PostgreSQL does not run as root, and this system lacks what starting it for root takes (/proc of Linux). ' +
        'Start the service as an ordinary user, or set DATABASE_URL to a PostgreSQL server of your own.',
    );
  }
  await lchown(serverDirectory, account.uid, account.gid);
  await chmod(serverDirectory, 0o700);
  // A copy that root made belongs to root, with modes that PostgreSQL refuses.
  const directory = join(serverDirectory, 'cluster');
  if ((await stat(directory).catch(() => undefined))?.uid !== 0) return;
  for (const name of ['', ...(await readdir(directory, { recursive: true }))])
    await lchown(join(directory, name), account.uid, account.gid);
  await chmod(directory, 0o700);
}

/** The password of the embedded server, generated once. It gets its name when it is complete. */
export async function provideServerPassword(dataDirectory: string): Promise<string> {
  const passwordFile = passwordFileOf(dataDirectory);
  const read = (): Promise<string> => readFile(passwordFile, 'utf8').catch(onErrorCode(['ENOENT'], ''));
  const known = await read();
  if (known !== '') return known;
  const mine = `${passwordFile}.${process.pid}`;
  await writeFile(mine, randomBytes(24).toString('hex'), { mode: 0o600 });
  await link(mine, passwordFile).catch(onErrorCode(['EEXIST'], undefined));
  await rm(mine);
  return read();
}

/**
 * Creates the cluster. It gets its final name when it is complete, so a cluster that a crash left incomplete is never
 * started.
 */
async function initialiseCluster({ dataDirectory, directory, binaries, account, durable }: Cluster): Promise<void> {
  const unfinished = `${directory}.unfinished`;
  const passwordCopy = `${directory}.password`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  await writeFile(passwordCopy, await readFile(passwordFileOf(dataDirectory)), { mode: 0o600 });
  if (account) for (const path of [unfinished, passwordCopy]) await chown(path, account.uid, account.gid);
  try {
    await execute(
      join(binaries, 'bin/initdb'),
      [
        `--pgdata=${account ? workingDirectoryOfAccount : unfinished}`,
        `--username=${serverRole}`,
        `--pwfile=${join('..', basename(passwordCopy))}`,
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
    );
  } catch (error) {
    throw explainInitdbFailure(error, directory);
  } finally {
    await rm(passwordCopy, { force: true });
  }
  await rename(unfinished, directory);
}

function explainInitdbFailure(error: unknown, directory: string): EmbeddedPostgresError {
  const { stderr = '', message } = error as { stderr?: string; message: string };
  const nameless = /could not look up effective user ID (\d+)/.exec(stderr)?.[1];
  const reason = stderr.includes('No space left on device')
    ? 'the disk is full'
    : nameless !== undefined
      ? `PostgreSQL demands a user with a name, and the id ${nameless} has none: add it to /etc/passwd, or set DATABASE_URL to a server.`
      : stderr.trim().split('\n').slice(-3).join(' ') || message;
  return new EmbeddedPostgresError(`The embedded PostgreSQL could not create its data in ${directory}: ${reason}`, {
    cause: error,
  });
}
