import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { dirname, extname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { explainFileError, onErrorCode, provideDataDirectory } from '../common/data-directory';
import {
  clusterDirectoryOf,
  isInitialised,
  passwordFileOf,
  provideServerPassword,
  serverRole,
} from './embedded/cluster';
import type { KeeperMessage } from './embedded/control-socket';
import { connectToKeeper, controlPathOf } from './embedded/control-socket';
import { EmbeddedPostgresError } from './embedded/embedded-postgres-error';

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

const startTimeoutMilliseconds = 120_000;

/**
 * Starts PostgreSQL without an installation. There is one server per data directory, for any number of processes: the
 * keeper (embedded/keeper.ts) runs it while any process is connected to it, and a process that ends in any way is not.
 * @throws EmbeddedPostgresError, DataDirectoryError with a message that says what to do.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { dataDirectory, log } = options;
  try {
    await provideDataDirectory(dataDirectory, log);
    await checkOwnership(dataDirectory);
    const password = await provideServerPassword(dataDirectory);
    const attach = createAttach(options, await controlPathOf(dataDirectory, password));
    const first = await attach();
    const { port } = first;
    let { socket } = first;
    let stopped: Promise<void> | undefined;
    // The keeper was killed.
    const reattach = async (): Promise<void> => {
      if (stopped !== undefined || options.keepsRunning === false) return;
      const next = await attach();
      if (next.port !== port) log(`PostgreSQL's port ${port} is taken by another program: restart.`);
      socket = next.socket.once('close', onClose);
      if (stopped !== undefined) socket.end();
    };
    const onClose = (): void => void reattach().catch((error: unknown) => log((error as Error).message));
    socket.once('close', onClose);
    return {
      url: `postgresql://${serverRole}:${password}@127.0.0.1:${port}/postgres`,
      stop() {
        stopped ??= new Promise((resolve) => {
          if (socket.closed) return resolve();
          socket
            .ref()
            .once('close', () => resolve())
            .end();
        });
        return stopped;
      },
    };
  } catch (error) {
    throw explainFileError(error, dataDirectory);
  }
}

interface Attached {
  readonly port: number;
  readonly socket: Socket;
}

/** @returns a function that connects to the keeper, which it starts if there is none */
function createAttach(
  { dataDirectory, log, durable = true, keepsRunning = true }: EmbeddedPostgresOptions,
  path: string,
): () => Promise<Attached> {
  const start = (): ChildProcess => {
    const program = join(__dirname, `embedded/keeper${extname(__filename)}`);
    const child = spawn(
      process.execPath,
      [...process.execArgv, program, dataDirectory, String(durable), String(keepsRunning)],
      // A separate session: Ctrl-C is for the service, which still needs its database while it drains.
      { detached: true, cwd: '/', env: {}, stdio: 'ignore' },
    );
    child.on('error', () => undefined).unref();
    return child;
  };
  return async () => {
    const deadline = Date.now() + startTimeoutMilliseconds;
    for (let keeper: ChildProcess | undefined; Date.now() < deadline; await delay(20)) {
      const socket = await connectToKeeper(path);
      const port = socket && (await readPort(socket, log));
      if (socket !== undefined && port !== undefined) return { port, socket: socket.unref() };
      if (socket !== undefined || (keeper && keeper.exitCode === null)) continue;
      if (keeper?.exitCode)
        throw new EmbeddedPostgresError(
          `The embedded PostgreSQL did not start: its keeper ended (${keeper.exitCode}).`,
        );
      keeper = start();
    }
    throw new EmbeddedPostgresError(`The embedded PostgreSQL in ${dataDirectory} does not become ready.`);
  };
}

/** @returns undefined when the keeper ends first */
function readPort(socket: Socket, log: (line: string) => void): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    createInterface({ input: socket })
      .on('line', (line) => {
        const message = JSON.parse(line) as KeeperMessage;
        if (message.log !== undefined) log(message.log);
        if (message.port !== undefined) resolve(message.port);
        if (message.error === undefined) return;
        socket.destroy();
        reject(new EmbeddedPostgresError(message.error));
      })
      .on('error', () => undefined);
    socket.once('close', () => resolve(undefined)).write('\n');
  });
}

/** Whether the embedded server already has a database in this DATA_DIR. */
export const hasEmbeddedDatabase = (dataDirectory: string): Promise<boolean> =>
  isInitialised(dataDirectory).catch((error: unknown) => {
    throw explainFileError(error, dataDirectory);
  });

/** The contents of postgres/: the cluster, leftovers of its creation, and a copy of the program. */
const ownNames = /^(?:cluster(?:\.unfinished|\.password)?|binaries-.*)$/;

/**
 * Refuses to put files among those of others, and to start a server of others.
 * @throws EmbeddedPostgresError
 */
async function checkOwnership(dataDirectory: string): Promise<void> {
  const clusterDirectory = clusterDirectoryOf(dataDirectory);
  const passwordFile = passwordFileOf(dataDirectory);
  const refuse = (what: string): never => {
    throw new EmbeddedPostgresError(
      `${what}. Set DATA_DIR to another directory, or DATABASE_URL to a PostgreSQL server of your own.`,
    );
  };
  const serverDirectory = dirname(clusterDirectory);
  const foreign = (await namesIn(serverDirectory)).find((name) => !ownNames.test(name));
  if (foreign !== undefined)
    refuse(`${serverDirectory} is the directory of the embedded PostgreSQL, and contains other files (${foreign})`);
  if (await isInitialised(dataDirectory)) {
    if ((await sizeOf(passwordFile)) === 0)
      refuse(`${clusterDirectory} contains a PostgreSQL database, and its password is not in ${passwordFile}`);
  } else if ((await namesIn(clusterDirectory)).length > 0) {
    refuse(`${clusterDirectory} is the directory of the embedded PostgreSQL's database, and contains other files`);
  }
}

const namesIn = (directory: string): Promise<readonly string[]> =>
  readdir(directory).catch(onErrorCode<readonly string[]>(['ENOENT'], []));
const sizeOf = (file: string): Promise<number> => stat(file).then(({ size }) => size, onErrorCode(['ENOENT'], 0));
