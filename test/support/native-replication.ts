import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { childrenOf } from './processes';
import { findFreePort } from './free-port';

const versionsDirectory = '/usr/lib/postgresql';
const binaries = (existsSync(versionsDirectory) ? readdirSync(versionsDirectory) : [])
  .sort((left, right) => Number(right) - Number(left))
  .map((version) => join(versionsDirectory, version, 'bin'))
  .find((directory) => ['initdb', 'postgres', 'pg_basebackup'].every((name) => existsSync(join(directory, name))));

const idOf = (flag: string): number => Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout);
/** PostgreSQL does not run as root. */
const account = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {};

/** Why replication cannot be tried here; undefined if it can. */
export const replicationMissing: string | undefined =
  binaries === undefined
    ? `there is no PostgreSQL with pg_basebackup in ${versionsDirectory}`
    : account.uid === 0
      ? 'there is no user postgres, and PostgreSQL does not run as root'
      : undefined;

export interface NativeServer {
  readonly url: string;
  /** Sends a signal to the server and all its processes. */
  signalAll(name: 'SIGSTOP' | 'SIGCONT'): void;
  stop(): Promise<void>;
  /** Starts it again on the same port. */
  start(): Promise<void>;
}

/** A primary and a standby that follows it by streaming, both private to the test, natively. */
export async function startReplication(): Promise<{ primary: NativeServer; standby: NativeServer; remove(): void }> {
  const directory = mkdtempSync(join(tmpdir(), 'catalog-replication-'));
  if (account.uid !== undefined) chownSync(directory, account.uid, account.gid);
  const primaryDirectory = join(directory, 'primary');
  run('initdb', '--pgdata', primaryDirectory, '--username=postgres', '--auth=trust', '--encoding=UTF8', '--no-sync');
  const primary = await start(primaryDirectory);
  const standbyDirectory = join(directory, 'standby');
  run(
    'pg_basebackup',
    `--dbname=${primary.url}`,
    `--pgdata=${standbyDirectory}`,
    '--write-recovery-conf',
    '--checkpoint=fast',
    '--no-sync',
  );
  const standby = await start(standbyDirectory);
  return { primary, standby, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

function run(program: string, ...args: string[]): void {
  const { status, stderr } = spawnSync(join(binaries ?? '', program), args, { ...account, encoding: 'utf8', cwd: '/' });
  if (status !== 0) throw new Error(`${program}: ${stderr}`);
}

async function start(directory: string): Promise<NativeServer> {
  const port = await findFreePort();
  appendFileSync(
    join(directory, 'postgresql.conf'),
    `port = ${port}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = ''\nfsync = off\n`,
  );
  const url = `postgresql://postgres@127.0.0.1:${port}/postgres`;
  const launch = async () => {
    const child = spawn(join(binaries ?? '', 'postgres'), ['-D', directory], { ...account, cwd: '/', stdio: 'ignore' });
    while (!(await answers(url))) if (child.exitCode !== null) throw new Error('PostgreSQL did not start');
    return child;
  };
  let server = await launch();
  return {
    url,
    signalAll(name) {
      const master = server.pid as number;
      for (const each of [master, ...childrenOf(master)]) process.kill(each, name);
    },
    async stop() {
      if (server.exitCode !== null || server.signalCode !== null) return;
      const gone = once(server, 'exit');
      server.kill('SIGQUIT');
      await gone;
    },
    async start() {
      server = await launch();
    },
  };
}

async function answers(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
