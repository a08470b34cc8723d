import { chown, mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { explainFileError, onErrorCode, provideDataDirectory } from '../data-directory';
import { initialiseCluster, provideServerPassword, serverRole } from './embedded/cluster';
import { withDirectoryLock } from './embedded/directory-lock';
import { EmbeddedPostgresError } from './embedded/embedded-postgres-error';
import { startGuard } from './embedded/guard';
import { keepRunning } from './embedded/keep-running';
import { preparePostgresBinaries } from './embedded/postgres-binaries';
import type { Postmaster } from './embedded/postmaster';
import { findPostmaster, isPostmasterOf, startPostmaster, stopPostmaster } from './embedded/postmaster';
import type { ServerAccount } from './embedded/server-account';
import { chooseServerAccount, findClosedDirectory, openForPassage } from './embedded/server-account';
import { registerServerUser, unregisterServerUser } from './embedded/server-users';

interface EmbeddedPostgresOptions {
  /** DATA_DIR. The cluster is in its folder postgres/. */
  dataDirectory: string;
  log: (line: string) => void;
  /** Whether what is committed survives a crash of the machine. Tests turn it off to be faster. */
  durable?: boolean;
  /** Whether a server that ends is started again. Tests of outages turn it off. */
  keepsRunning?: boolean;
}

export interface EmbeddedPostgres {
  readonly url: string;
  /** Leaves the server; the last process to leave stops it. May be called twice. */
  stop(): Promise<void>;
}

/**
 * PostgreSQL without an installation. One server for each data directory and any number of processes that use it: the
 * first starts it, the others attach, the last one out stops it, whoever started it, and however it ends. A server that dies is
 * started again on its port.
 * @throws EmbeddedPostgresError, DataDirectoryError with a sentence that says what to do.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { dataDirectory } = options;
  try {
    await provideDataDirectory(dataDirectory, options.log);
    return await withDirectoryLock(dataDirectory, () => attachOrStart(options));
  } catch (error) {
    throw explainFileError(error, dataDirectory);
  }
}

async function attachOrStart({
  dataDirectory,
  log,
  durable = true,
  keepsRunning = true,
}: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const serverDirectory = join(dataDirectory, 'postgres');
  const clusterDirectory = join(serverDirectory, 'cluster');
  const passwordFile = join(dataDirectory, 'postgres-password');
  await checkOwnership(dataDirectory, passwordFile);
  const password = await provideServerPassword(passwordFile);
  const registration = await registerServerUser(dataDirectory);
  const provide = async (): Promise<Postmaster> => {
    let server = await findPostmaster(clusterDirectory);
    if (server) {
      log(`PostgreSQL is running on port ${server.port}`);
    } else {
      const account = await prepareServerDirectory(dataDirectory, serverDirectory);
      const binaries = await preparePostgresBinaries(serverDirectory, account, log);
      if (!(await isInitialised(clusterDirectory))) {
        log(`creating a PostgreSQL database in ${clusterDirectory}`);
        await initialiseCluster({ directory: clusterDirectory, binaries, account, passwordFile, durable });
      }
      server = await start({ dataDirectory, clusterDirectory, binaries, account, durable });
      log(`PostgreSQL started on port ${server.port}`);
    }
    return server;
  };
  // Before the server: this process may be ended while it waits for it.
  const guard = startGuard(dataDirectory, registration);
  let running = await provide().catch(async (error: unknown) => {
    await unregisterServerUser(dataDirectory, registration);
    guard.dismiss();
    throw error;
  });
  const { port } = running;
  const restart = async (): Promise<void> => {
    running = await withDirectoryLock(dataDirectory, provide);
    if (running.port !== port) throw new EmbeddedPostgresError(`Port ${port} is taken by another program: restart.`);
  };
  const letRest = keepsRunning
    ? keepRunning({ isRunning: () => isPostmasterOf(running.pid, clusterDirectory), restart, log })
    : () => undefined;
  let stopped: Promise<void> | undefined;
  return {
    url: `postgresql://${serverRole}:${password}@127.0.0.1:${port}/postgres`,
    stop() {
      letRest();
      stopped ??= withDirectoryLock(dataDirectory, async () => {
        const inUse = await unregisterServerUser(dataDirectory, registration);
        if (!inUse) await stopPostmaster(clusterDirectory, running);
        guard.dismiss();
      });
      return stopped;
    },
  };
}

/** The port is remembered, so that a client that people configured by hand still fits after a restart. */
async function start(options: {
  dataDirectory: string;
  clusterDirectory: string;
  binaries: string;
  account: ServerAccount | undefined;
  durable: boolean;
}): Promise<Postmaster> {
  const portFile = join(options.dataDirectory, 'postgres-port');
  const remembered = Number(await readFile(portFile, 'utf8').catch(() => ''));
  const server = await startPostmaster({
    ...options,
    logFile: join(options.dataDirectory, 'postgres.log'),
    preferredPort: remembered > 0 && remembered < 65_536 ? remembered : undefined,
  });
  if (server.port !== remembered) await writeFile(portFile, String(server.port), { mode: 0o600 });
  return server;
}

/** Creates the directory that belongs to the server's account, and makes sure that the account gets there. */
async function prepareServerDirectory(
  dataDirectory: string,
  serverDirectory: string,
): Promise<ServerAccount | undefined> {
  const account = await chooseServerAccount(serverDirectory);
  await mkdir(serverDirectory, { recursive: true, mode: 0o700 });
  if (account === undefined) return undefined;
  await chown(serverDirectory, account.uid, account.gid);
  if ((await findClosedDirectory(dataDirectory, account)) === dataDirectory)
    await openForPassage(dataDirectory, account);
  const closed = await findClosedDirectory(serverDirectory, account);
  if (closed !== undefined) {
    throw new EmbeddedPostgresError(
      `PostgreSQL does not run as root, so it runs as the user ${account.name}, who may not enter ${closed}. ` +
        `Allow it (chmod o+x ${closed}), set DATA_DIR to a directory outside of it, start the service as an ordinary user, ` +
        'or set DATABASE_URL to a PostgreSQL server of your own.',
    );
  }
  return account;
}

/** Whether the embedded server has a database in this DATA_DIR already. */
export const hasEmbeddedDatabase = (dataDirectory: string): Promise<boolean> =>
  isInitialised(join(dataDirectory, 'postgres/cluster')).catch((error: unknown) => {
    throw explainFileError(error, dataDirectory);
  });

/** What is in postgres/: the cluster, what its making leaves behind, and a copy of the program. */
const ownNames = /^(?:cluster(?:\.unfinished|\.password)?|binaries-.*)$/;

/**
 * Nothing is put among files of somebody else, and a server of somebody else is not started.
 * @throws EmbeddedPostgresError
 */
async function checkOwnership(dataDirectory: string, passwordFile: string): Promise<void> {
  const serverDirectory = join(dataDirectory, 'postgres');
  const clusterDirectory = join(serverDirectory, 'cluster');
  const refuse = (what: string): never => {
    throw new EmbeddedPostgresError(
      `${what}. Set DATA_DIR to another directory, or DATABASE_URL to a PostgreSQL server of your own.`,
    );
  };
  const foreign = (await namesIn(serverDirectory)).find((name) => !ownNames.test(name));
  if (foreign !== undefined)
    refuse(`${serverDirectory} is where the embedded PostgreSQL has its files, and holds others (${foreign})`);
  if (await isInitialised(clusterDirectory)) {
    if ((await sizeOf(passwordFile)) === 0)
      refuse(`${clusterDirectory} holds a PostgreSQL database, and its password is not in ${passwordFile}`);
  } else if ((await namesIn(clusterDirectory)).length > 0) {
    refuse(`${clusterDirectory} is where the embedded PostgreSQL makes its database, and holds other files`);
  }
}

const namesIn = (directory: string): Promise<readonly string[]> =>
  readdir(directory).catch(onErrorCode<readonly string[]>(['ENOENT'], []));
const sizeOf = (file: string): Promise<number> => stat(file).then(({ size }) => size, onErrorCode(['ENOENT'], 0));

const isInitialised = (clusterDirectory: string): Promise<boolean> =>
  stat(join(clusterDirectory, 'PG_VERSION')).then(() => true, onErrorCode(['ENOENT', 'ENOTDIR'], false));
