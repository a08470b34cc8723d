import type { ChildProcess } from 'node:child_process';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { open, readFile, readlink, realpath, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { explainFileError, onErrorCode, provideDataDirectory } from '../common/data-directory';
import { DatabaseUnavailableError } from './database-failure';
import type { Cluster, EmbeddedPostgresOptions } from './embedded/cluster';
import {
  explainServer,
  isInitialized,
  provideCluster,
  serverDirectoryOf,
  serverEnvironment,
  serverRole,
  workingDirectoryOfAccount,
} from './embedded/cluster';

const execute = promisify(execFile);

export interface EmbeddedPostgres {
  readonly url: string;
  /** Detaches from the server; the last process to detach stops it. May be called twice. */
  stop(): Promise<void>;
}

const startTimeoutMilliseconds = 120_000;

/**
 * Starts PostgreSQL without an installation. There is one server per data directory, for any number of processes: each
 * holds the named pipe postgres/users open for writing, and the server's guard, which reads it, stops the server when
 * no process has it open any longer, however the last one ended.
 * @throws DatabaseUnavailableError, DataDirectoryError with a message that says what to do.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { dataDirectory, log } = options;
  try {
    await provideDataDirectory(dataDirectory, log);
    const cluster = await provideCluster(options);
    const pipe = join(serverDirectoryOf(dataDirectory), 'users');
    await execute('mkfifo', ['-m', '600', pipe]).catch(() => undefined); // it exists
    const { port, user } = await attach(cluster, pipe, join(dataDirectory, 'postgres.log'), log);
    let stopped: Promise<void> | undefined;
    return {
      url: `postgresql://${serverRole}:${cluster.password}@127.0.0.1:${port}/postgres`,
      stop() {
        if (stopped === undefined) closeSync(user);
        return (stopped ??= endUnused(cluster.directory, pipe));
      },
    };
  } catch (error) {
    throw explainFileError(error, dataDirectory);
  }
}

/** Whether the embedded server already has a database in this DATA_DIR. */
export const hasEmbeddedDatabase = (dataDirectory: string): Promise<boolean> =>
  isInitialized(dataDirectory).catch((error: unknown) => {
    throw explainFileError(error, dataDirectory);
  });

const { O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY } = constants;

/** Attaches to the server, and starts it if no guard runs. @returns its port, and the open pipe */
async function attach(
  cluster: Cluster,
  pipe: string,
  logFile: string,
  log: (line: string) => void,
): Promise<{ port: number; user: number }> {
  const deadline = Date.now() + startTimeoutMilliseconds;
  let user: number | undefined;
  let guard: ChildProcess | undefined;
  for (; Date.now() < deadline; await delay(10)) {
    const file = await readPostmasterFile(cluster.directory);
    const writer = openForGuard(pipe);
    if (writer !== undefined) {
      if (user === undefined) user = writer;
      else closeSync(writer);
      // Checked in this order: a guard that is still running has not stopped the server that was ready.
      if (file?.isReady !== true) continue;
      if (guard !== undefined) log(`PostgreSQL started on port ${file.port}`);
      return { port: file.port, user };
    }
    if (guard?.exitCode === null && guard.signalCode === null) continue; // it is still starting or stopping
    if (user !== undefined) closeSync(user);
    if (guard !== undefined) await explainEnd(guard, logFile);
    await endUnused(cluster.directory, pipe);
    ({ guard, user } = await startGuard(cluster, pipe, logFile));
  }
  throw new DatabaseUnavailableError(`The embedded PostgreSQL did not become ready. See its log: ${logFile}.`);
}

/** @returns the pipe, opened for writing; undefined if no guard reads it */
function openForGuard(pipe: string): number | undefined {
  try {
    return openSync(pipe, O_WRONLY | O_NONBLOCK);
  } catch (error) {
    return onErrorCode<undefined>(['ENXIO'], undefined)(error as NodeJS.ErrnoException);
  }
}

/** Whether a process has the pipe open for writing. */
function hasUsers(pipe: string): boolean {
  const reader = openSync(pipe, O_RDONLY | O_NONBLOCK);
  try {
    readSync(reader, Buffer.alloc(1)); // end of file: no writer
    return false;
  } catch {
    return true;
  } finally {
    closeSync(reader);
  }
}

/**
 * The guard starts the server with the command in its arguments, and ends with it. Its standard input is the pipe. The
 * signal is repeated, because a server that has just started may ignore it.
 */
const guardScript = `
  exec 3<&0 </dev/null
  "$@" 3<&- & server=$!
  { read -r _ <&3; exec 3<&-; while kill -INT $server; do sleep 1; done; } 2>/dev/null &
  exec 3<&-
  wait $server; code=$?
  kill $!
  exit $code`;

async function startGuard(
  { directory, binaries, account, durable }: Cluster,
  pipe: string,
  logFile: string,
): Promise<{ guard: ChildProcess; user: number }> {
  const log = await open(logFile, 'w', 0o600);
  const settings = {
    port: await choosePort(directory),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 200,
    timezone: 'UTC',
    // This server has no replicas; without WAL for them, bulk loads write less.
    wal_level: 'minimal',
    max_wal_senders: 0,
    // Compilation would take most of a first start; the queries here are short.
    jit: 'off',
    ...(durable ? {} : { fsync: 'off', full_page_writes: 'off' }),
  };
  const command = [
    join(binaries, 'bin/postgres'),
    '-D',
    account ? workingDirectoryOfAccount : directory,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
  // None of these waits for the other end of the pipe. If this process is killed, the guard reads end of file.
  const both = openSync(pipe, O_RDWR);
  const user = openSync(pipe, O_WRONLY);
  const reader = openSync(pipe, O_RDONLY);
  // A separate session: Ctrl-C is for the service, which still needs its database while it drains.
  const guard = spawn('/bin/sh', ['-c', guardScript, 'sh', ...command], {
    detached: true,
    cwd: directory,
    env: serverEnvironment,
    stdio: [reader, log.fd, log.fd],
    ...account,
  });
  guard.on('error', () => undefined).unref();
  for (const each of [both, reader]) closeSync(each);
  await log.close();
  return { guard, user };
}

/** @throws DatabaseUnavailableError unless the server may start a moment later */
async function explainEnd({ exitCode, signalCode }: ChildProcess, logFile: string): Promise<void> {
  const text = await readFile(logFile, 'utf8').catch(() => '');
  // Another server is ending, or processes of one that was killed.
  if (/pre-existing shared memory block|lock file "postmaster.pid" already exists/.test(text)) return;
  const reason = explainServer(text, `it exited with ${signalCode ?? `code ${exitCode}`}`);
  throw new DatabaseUnavailableError(`The embedded PostgreSQL did not start: ${reason}. See its log: ${logFile}.`);
}

/** Waits until an unused server has ended: its guard ends it, unless the guard was killed. */
async function endUnused(directory: string, pipe: string): Promise<void> {
  for (let hasAsked = false; !hasUsers(pipe); await delay(10)) {
    const pid = (await readPostmasterFile(directory))?.pid;
    if (pid === undefined) return;
    // PostgreSQL removes this file itself, except when another process now has the old id.
    if (!(await isServerOf(pid, directory))) return rm(join(directory, 'postmaster.pid'), { force: true });
    const writer = openForGuard(pipe);
    if (writer !== undefined) closeSync(writer);
    else if (!hasAsked) hasAsked = process.kill(pid, 'SIGINT');
  }
}

async function isServerOf(pid: number, directory: string): Promise<boolean> {
  const own = await realpath(directory);
  if (process.platform === 'linux') return (await readlink(`/proc/${pid}/cwd`).catch(() => undefined)) === own;
  const { stdout } = await execute('ps', ['-o', 'args=', '-p', String(pid)]).catch(() => ({ stdout: '' }));
  return stdout.includes(directory);
}

/** postmaster.pid: process id, data directory, start time, port, socket directory, address, shared memory, status. */
async function readPostmasterFile(directory: string) {
  const text = await readFile(join(directory, 'postmaster.pid'), 'utf8').catch(onErrorCode(['ENOENT'], undefined));
  const lines = text?.split('\n');
  return lines && { pid: Number(lines[0]), port: Number(lines[3]), isReady: lines[7]?.trim() === 'ready' };
}

/** The port of the last start, which people may have written down and other processes use, if it is free. */
async function choosePort(directory: string): Promise<number> {
  const last = await readFile(join(directory, 'postmaster.opts'), 'utf8').catch(() => '');
  return tryListen(Number(/"port=(\d+)"/.exec(last)?.[1] ?? 0)).catch(() => tryListen(0));
}

async function tryListen(wanted: number): Promise<number> {
  const server = createServer().listen(wanted, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close(); // which ends the listening at once
  return port;
}
