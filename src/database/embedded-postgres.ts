import { chmod, lchown, mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { explainFileError, onErrorCode, provideDataDirectory } from '../common/data-directory';
import { initialiseCluster, provideServerPassword, serverRole } from './embedded/cluster';
import { withDirectoryLock } from './embedded/directory-lock';
import { EmbeddedPostgresError } from './embedded/embedded-postgres-error';
import { startGuard } from './embedded/guard';
import { keepRunning } from './embedded/keep-running';
import { preparePostgresBinaries } from './embedded/postgres-binaries';
import type { Postmaster } from './embedded/postmaster';
import { findPostmaster, isPostmasterOf, startPostmaster, stopPostmaster } from './embedded/postmaster';
import type { ServerAccount } from './embedded/server-account';
import { chooseServerAccount, workingDirectoryOfAccount } from './embedded/server-account';
import { registerServerUser, unregisterServerUser } from './embedded/server-users';

interface EmbeddedPostgresOptions {
  /** DATA_DIR. The cluster is in its folder postgres/. */
  dataDirectory: string;
  log: (line: string) => void;
  /** Whether committed data survives a crash of the machine. Tests turn it off to be faster. */
  durable?: boolean;
  /** Whether a server that exits is restarted. Tests of outages turn it off. */
  keepsRunning?: boolean;
}

export interface EmbeddedPostgres {
  readonly url: string;
  /** Detaches from the server; the last process to detach stops it. May be called twice. */
  stop(): Promise<void>;
}

/**
 * Starts PostgreSQL without an installation. There is one server per data directory, for any number of processes. The
 * first one starts it and the others attach. The last one to exit stops it, whichever started it, and however that
 * process exits. A server that dies is restarted on its port.
 * @throws EmbeddedPostgresError, DataDirectoryError with a message that says what to do.
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
    if (!server) {
      const account = await prepareServerDirectory(serverDirectory, clusterDirectory);
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
  // Started before the server, because this process may be killed while it waits for it.
  const guard = startGuard(dataDirectory, registration);
  let running = await provide().catch(async (error: unknown) => {
    await unregisterServerUser(dataDirectory, registration);
    guard.dismiss();
    throw error;
  });
  const { port } = running;
  let stopped: Promise<void> | undefined;
  const restart = async (): Promise<void> => {
    // Detached while it waited for the lock: a server that it starts now would never be stopped.
    running = await withDirectoryLock(dataDirectory, async () => (stopped === undefined ? provide() : running));
    if (running.port !== port) throw new EmbeddedPostgresError(`Port ${port} is taken by another program: restart.`);
  };
  const letRest = keepsRunning
    ? keepRunning({ isRunning: () => isPostmasterOf(running.pid, clusterDirectory), restart, log })
    : () => undefined;
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

/** The port is remembered, so that a manually configured client still works after a restart. */
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

/**
 * Creates the directory that belongs to the server's account. The account need not be able to enter those above it
 * (`workingDirectoryOfAccount`), so their modes stay as they are.
 */
async function prepareServerDirectory(
  serverDirectory: string,
  clusterDirectory: string,
): Promise<ServerAccount | undefined> {
  await mkdir(serverDirectory, { recursive: true, mode: 0o700 });
  const account = await chooseServerAccount(clusterDirectory);
  if (account === undefined) return undefined;
  if (!(await exists(workingDirectoryOfAccount))) {
    throw new EmbeddedPostgresError(
      'PostgreSQL does not run as root, and this system lacks what starting it for root takes (/proc of Linux). ' +
        'Start the service as an ordinary user, or set DATABASE_URL to a PostgreSQL server of your own.',
    );
  }
  await lchown(serverDirectory, account.uid, account.gid);
  await chmod(serverDirectory, 0o700);
  // A copy that root made belongs to root, with modes that PostgreSQL refuses.
  if ((await isInitialised(clusterDirectory)) && (await stat(clusterDirectory)).uid === 0) {
    await giveTo(account, clusterDirectory);
    await chmod(clusterDirectory, 0o700);
  }
  return account;
}

async function giveTo(account: ServerAccount, path: string): Promise<void> {
  await lchown(path, account.uid, account.gid);
  for (const entry of await readdir(path, { withFileTypes: true })) {
    if (entry.isDirectory()) await giveTo(account, join(path, entry.name));
    else await lchown(join(path, entry.name), account.uid, account.gid);
  }
}

/** Whether the embedded server already has a database in this DATA_DIR. */
export const hasEmbeddedDatabase = (dataDirectory: string): Promise<boolean> =>
  isInitialised(join(dataDirectory, 'postgres/cluster')).catch((error: unknown) => {
    throw explainFileError(error, dataDirectory);
  });

/** The contents of postgres/: the cluster, leftovers of its creation, and a copy of the program. */
const ownNames = /^(?:cluster(?:\.unfinished|\.password)?|binaries-.*)$/;

/**
 * Refuses to put files among those of others, and to start a server of others.
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
    refuse(`${serverDirectory} is the directory of the embedded PostgreSQL, and contains other files (${foreign})`);
  if (await isInitialised(clusterDirectory)) {
    if ((await sizeOf(passwordFile)) === 0)
      refuse(`${clusterDirectory} contains a PostgreSQL database, and its password is not in ${passwordFile}`);
  } else if ((await namesIn(clusterDirectory)).length > 0) {
    refuse(`${clusterDirectory} is the directory of the embedded PostgreSQL's database, and contains other files`);
  }
}

const namesIn = (directory: string): Promise<readonly string[]> =>
  readdir(directory).catch(onErrorCode<readonly string[]>(['ENOENT'], []));
const sizeOf = (file: string): Promise<number> => stat(file).then(({ size }) => size, onErrorCode(['ENOENT'], 0));

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

const isInitialised = (clusterDirectory: string): Promise<boolean> =>
  stat(join(clusterDirectory, 'PG_VERSION')).then(() => true, onErrorCode(['ENOENT', 'ENOTDIR'], false));
