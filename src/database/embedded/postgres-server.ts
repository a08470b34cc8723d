import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, readlink, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { onErrorCode } from '../../common/data-directory';
import type { Cluster } from './cluster';
import { serverEnvironment } from './cluster';
import { EmbeddedPostgresError } from './embedded-postgres-error';
import { workingDirectoryOfAccount } from './server-account';

/** A server that this process started. */
export interface PostgresServer {
  readonly port: number;
  readonly ended: Promise<void>;
  kill(signal: NodeJS.Signals): void;
}

const startTimeoutMilliseconds = 60_000;
const stopTimeoutMilliseconds = 30_000;

/** The port is remembered, because people may have written it down. Waits for the end of an earlier server. */
export async function startServer(cluster: Cluster): Promise<PostgresServer> {
  const deadline = Date.now() + startTimeoutMilliseconds;
  const portFile = join(cluster.dataDirectory, 'postgres-port');
  const remembered = Number(await readFile(portFile, 'utf8').catch(() => ''));
  await endEarlier(cluster.directory, deadline);
  for (;;) {
    const port = await choosePort(remembered);
    const server = await tryStart(cluster, port, deadline);
    if (server === undefined) {
      await delay(20);
      continue;
    }
    if (port !== remembered) await writeFile(portFile, String(port), { mode: 0o600 });
    return server;
  }
}

/** Fast mode: open transactions are rolled back, everything committed is on disk. */
export async function stopServer({ ended, kill }: PostgresServer): Promise<void> {
  kill('SIGINT');
  const timer = setTimeout(() => kill('SIGQUIT'), stopTimeoutMilliseconds);
  await ended;
  clearTimeout(timer);
}

/** A server whose keeper was killed, or is stopping it. */
async function endEarlier(directory: string, deadline: number): Promise<void> {
  for (let hasAsked = false; ; await delay(20)) {
    const pid = (await readPostmasterFile(directory))?.pid;
    if (pid === undefined) return;
    // PostgreSQL removes this file itself, except when another process now has the old id.
    if (!(await isServerOf(pid, directory))) return rm(join(directory, 'postmaster.pid'), { force: true });
    if (!hasAsked) process.kill(pid, 'SIGINT');
    hasAsked = true;
    if (Date.now() > deadline)
      throw new EmbeddedPostgresError(`The embedded PostgreSQL (process ${pid}) does not stop.`);
  }
}

async function isServerOf(pid: number, directory: string): Promise<boolean> {
  const own = await realpath(directory);
  if (process.platform === 'linux') return (await readlink(`/proc/${pid}/cwd`).catch(() => undefined)) === own;
  const found = await promisify(execFile)('ps', ['-o', 'args=', '-p', String(pid)]).catch(() => ({ stdout: '' }));
  return found.stdout.includes(directory);
}

/** @returns undefined while processes of a server that was killed are still ending */
async function tryStart(cluster: Cluster, port: number, deadline: number): Promise<PostgresServer | undefined> {
  const { directory, binaries, account, durable, dataDirectory } = cluster;
  const logFile = join(dataDirectory, 'postgres.log');
  const log = await open(logFile, 'w', 0o600);
  const child = spawn(
    join(binaries, 'bin/postgres'),
    toArguments(account ? workingDirectoryOfAccount : directory, port, durable),
    { cwd: directory, env: serverEnvironment, stdio: ['ignore', log.fd, log.fd], ...account },
  );
  let failure: string | undefined;
  const ended = once(child, 'exit').then(
    ([code, signal]) => void (failure = `it ended with ${signal ?? `exit code ${code}`}`),
    (error: Error) => void (failure = error.message),
  );
  await log.close();
  while (failure === undefined && Date.now() < deadline) {
    const file = await readPostmasterFile(directory);
    if (file?.isReady === true && file.pid === child.pid)
      return { port, ended, kill: (signal) => void child.kill(signal) };
    await delay(5);
  }
  child.kill('SIGQUIT');
  const text = await readFile(logFile, 'utf8').catch(() => '');
  if (text.includes('pre-existing shared memory block') && Date.now() < deadline) return undefined;
  const said = text.split('\n').filter((line) => /FATAL|PANIC|could not|error while/.test(line));
  const reason = text.includes('No space left on device')
    ? `the disk that holds ${directory} is full`
    : text.includes('could not bind')
      ? `port ${port} on 127.0.0.1 is not available`
      : [failure ?? 'it did not become ready within a minute', ...said.slice(-3)].join('; ');
  throw new EmbeddedPostgresError(`The embedded PostgreSQL did not start: ${reason}. Its log is ${logFile}.`);
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

/** postmaster.pid: process id, data directory, start time, port, socket directory, address, shared memory, status. */
async function readPostmasterFile(
  directory: string,
): Promise<{ readonly pid: number; readonly isReady: boolean } | undefined> {
  const text = await readFile(join(directory, 'postmaster.pid'), 'utf8').catch(
    onErrorCode(['ENOENT', 'ENOTDIR'], undefined),
  );
  const lines = text?.split('\n');
  return lines && { pid: Number(lines[0]), isReady: lines[7]?.trim() === 'ready' };
}

async function choosePort(preferred: number): Promise<number> {
  const port = (preferred > 0 && preferred < 65_536 ? await tryListen(preferred) : undefined) ?? (await tryListen(0));
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
