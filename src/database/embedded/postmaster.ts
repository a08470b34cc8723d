import { spawn } from 'node:child_process';
import { open, readFile, readlink, realpath, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { answersOnPort } from './answers-on-port';
import { serverEnvironment } from './cluster';
import { onErrorCode } from '../../common/data-directory';
import { EmbeddedPostgresError } from './embedded-postgres-error';
import { isPidInUse } from './process-identity';
import type { ServerAccount } from './server-account';
import { workingDirectoryOfAccount } from './server-account';

/** A running PostgreSQL server. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
}

interface StartOptions {
  readonly clusterDirectory: string;
  readonly binaries: string;
  readonly account: ServerAccount | undefined;
  readonly logFile: string;
  /** The port of the previous run, which people may have written down. */
  readonly preferredPort: number | undefined;
  readonly durable: boolean;
}

const startTimeoutMilliseconds = 60_000;
const stopTimeoutMilliseconds = 30_000;

/**
 * Finds the server of this cluster, if it runs, and waits for it while it is still starting. Removes the leftovers of a
 * dead server.
 */
export async function findPostmaster(clusterDirectory: string): Promise<Postmaster | undefined> {
  const deadline = Date.now() + startTimeoutMilliseconds;
  while (Date.now() < deadline) {
    const file = await readPostmasterFile(clusterDirectory);
    if (file === undefined) return undefined;
    if (!(await isPostmasterOf(file.pid, clusterDirectory))) {
      // PostgreSQL removes this file itself, except when another process now has the old id.
      await rm(join(clusterDirectory, 'postmaster.pid'), { force: true });
      return undefined;
    }
    if (file.status === 'ready' && (await answersOnPort(file.port))) return { pid: file.pid, port: file.port };
    await delay(20);
  }
  throw new EmbeddedPostgresError(`The embedded PostgreSQL in ${clusterDirectory} runs but does not become ready.`);
}

/**
 * Starts the server in a separate session: Ctrl-C is for the service, which still needs its database while it drains.
 */
export async function startPostmaster(options: StartOptions): Promise<Postmaster> {
  const deadline = Date.now() + startTimeoutMilliseconds;
  for (;;) {
    const started = await tryStart(options, deadline);
    if (started !== undefined) return started;
    await delay(20);
  }
}

/** @returns undefined while processes of a server that was killed are still ending */
async function tryStart(options: StartOptions, deadline: number): Promise<Postmaster | undefined> {
  const port = await choosePort(options.preferredPort);
  const log = await open(options.logFile, 'w', 0o600);
  const child = spawn(
    join(options.binaries, 'bin/postgres'),
    toArguments(options.account ? workingDirectoryOfAccount : options.clusterDirectory, port, options.durable),
    {
      cwd: options.clusterDirectory,
      env: serverEnvironment,
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
      ...options.account,
    },
  );
  let ended: string | undefined;
  child.once('error', (error) => (ended = error.message));
  child.once('exit', (code, signal) => (ended = `it ended with ${signal ?? `exit code ${code}`}`));
  child.unref();
  await log.close();

  while (Date.now() < deadline) {
    if (ended !== undefined) {
      const failure = await explainStartFailure(ended, port, options);
      if (!failure.message.includes('pre-existing shared memory block') || Date.now() > deadline) throw failure;
      return undefined;
    }
    const file = await readPostmasterFile(options.clusterDirectory);
    if (file?.status === 'ready' && file.pid === child.pid) return { pid: file.pid, port: file.port };
    await delay(5);
  }
  throw await explainStartFailure('it did not become ready within a minute', port, options);
}

/** Stops the server in fast mode: open transactions are rolled back, everything committed is on disk. */
export async function stopPostmaster(clusterDirectory: string, { pid }: Postmaster): Promise<void> {
  if (!(await isPostmasterOf(pid, clusterDirectory))) return;
  process.kill(pid, 'SIGINT');
  const deadline = Date.now() + stopTimeoutMilliseconds;
  while ((await isPostmasterOf(pid, clusterDirectory)) && (await readPostmasterFile(clusterDirectory))) {
    if (Date.now() > deadline)
      throw new EmbeddedPostgresError(`The embedded PostgreSQL (process ${pid}) does not stop.`);
    await delay(5);
  }
}

function toArguments(directory: string, port: number, durable: boolean): string[] {
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 200,
    timezone: 'UTC',
    log_timezone: 'UTC',
    // This server has no replicas; without WAL for them, bulk loads write less.
    wal_level: 'minimal',
    max_wal_senders: 0,
    // Compilation would take most of a first start; the queries here are short.
    jit: 'off',
    ...(durable ? {} : { fsync: 'off', full_page_writes: 'off' }),
  };
  return ['-D', directory, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

interface PostmasterFile extends Postmaster {
  readonly status: string;
}

/** postmaster.pid: process id, data directory, start time, port, socket directory, address, shared memory, status. */
async function readPostmasterFile(clusterDirectory: string): Promise<PostmasterFile | undefined> {
  const text = await readFile(join(clusterDirectory, 'postmaster.pid'), 'utf8').catch(
    onErrorCode(['ENOENT', 'ENOTDIR'], undefined),
  );
  if (text === undefined) return undefined;
  const lines = text.split('\n');
  return { pid: Number(lines[0]), port: Number(lines[3]), status: lines[7]?.trim() ?? 'starting' };
}

/** A server's working directory is its cluster. Where that cannot be read, it is enough that the id is in use. */
export async function isPostmasterOf(pid: number, clusterDirectory: string): Promise<boolean> {
  if (!isPidInUse(pid)) return false;
  if (process.platform !== 'linux') return true;
  const workingDirectory = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
  return workingDirectory === (await realpath(clusterDirectory).catch(() => clusterDirectory));
}

async function choosePort(preferred: number | undefined): Promise<number> {
  if (preferred !== undefined && (await tryListen(preferred)) === preferred) return preferred;
  const port = await tryListen(0);
  if (port !== undefined) return port;
  throw new EmbeddedPostgresError('The embedded PostgreSQL found no free port on 127.0.0.1.');
}

function tryListen(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : undefined));
    });
  });
}

async function explainStartFailure(
  what: string,
  port: number,
  { clusterDirectory, logFile }: StartOptions,
): Promise<EmbeddedPostgresError> {
  const log = await readFile(logFile, 'utf8').catch(() => '');
  const said = log.split('\n').filter((line) => /FATAL|PANIC|could not|error while/.test(line));
  const reason = log.includes('No space left on device')
    ? `the disk that holds ${clusterDirectory} is full`
    : log.includes('could not bind')
      ? `port ${port} on 127.0.0.1 is not available`
      : [what, ...said.slice(-3)].join('; ');
  return new EmbeddedPostgresError(`The embedded PostgreSQL did not start: ${reason}. Its log is ${logFile}.`);
}
