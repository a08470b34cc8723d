import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { preparePostgresBinaries } from '../../src/database/embedded/postgres-binaries';
import { chooseServerAccount } from '../../src/database/embedded/cluster';
import { findFreePort } from './free-port';
import { childrenOf } from './processes';

/** A PostgreSQL that belongs to one test, which may crash it. */
export interface OwnServer {
  readonly url: string;
  /** Its data. */
  readonly directory: string;
  /** Sends a signal to the server and all its processes. */
  signalAll(name: 'SIGSTOP' | 'SIGCONT'): void;
  /**
   * Kills one of its processes: all sessions end, memory is lost, and it recovers from its log. Resolves when it
   * answers again.
   */
  crash(): Promise<void>;
  /** `immediate` is a crash of all of it; `clean` ends sessions and writes everything. */
  stop(how?: 'immediate' | 'clean'): Promise<void>;
  /** Starts it again on the same port. */
  start(): Promise<void>;
}

/** A directory for servers, with the binaries that they run on. */
export interface ServerPlace {
  readonly directory: string;
  /** Runs one of PostgreSQL's programs. @throws Error with what it wrote */
  run(program: string, ...args: string[]): void;
  /** Initializes `name` in the directory. */
  initialize(name: string): string;
  /** Starts the server of an initialized directory on a port of its own. @param settings lines of postgresql.conf */
  launch(directory: string, settings?: readonly string[]): Promise<OwnServer>;
  /** Copies the directory of a server that is stopped. */
  copy(from: string, to: string): void;
  remove(): void;
}

/**
 * A place for servers of the test's own.
 * @param given a directory with `initdb` and `postgres`; POSTGRES_BINARIES without it (.ci/with-postgres), otherwise
 * the embedded one
 */
export async function createServerPlace(given = process.env['POSTGRES_BINARIES']): Promise<ServerPlace> {
  const directory = mkdtempSync(join(tmpdir(), 'catalog-servers-'));
  const account = await chooseServerAccount(directory);
  if (account !== undefined) chownSync(directory, account.uid, account.gid);
  const binaries = given ?? join(await preparePostgresBinaries(directory, account, () => undefined), 'bin');
  const as = account === undefined ? {} : { uid: account.uid, gid: account.gid };
  const runAny = (program: string, ...args: readonly string[]) => {
    // In the directory: pg_upgrade writes to where it runs.
    const { status, stderr, stdout, error } = spawnSync(program, args, { ...as, encoding: 'utf8', cwd: directory });
    if (status !== 0) throw new Error(`${program}: ${error?.message ?? ''}${stdout}${stderr}`);
  };
  const run: ServerPlace['run'] = (program, ...args) => runAny(join(binaries, program), ...args);
  return {
    directory,
    run,
    initialize(name) {
      const data = join(directory, name);
      run(
        'initdb',
        '--pgdata',
        data,
        '--username=postgres',
        '--auth=trust',
        '--encoding=UTF8',
        '--locale=C',
        '--no-sync',
      );
      return data;
    },
    async launch(data, settings = []) {
      const port = await findFreePort();
      const own = [`port = ${port}`, "listen_addresses = '127.0.0.1'", "unix_socket_directories = ''", 'fsync = off'];
      appendFileSync(join(data, 'postgresql.conf'), `${[...own, ...settings].join('\n')}\n`);
      const url = `postgresql://postgres@127.0.0.1:${port}/postgres`;
      const start = async () => {
        const child = spawn(join(binaries, 'postgres'), ['-D', data], { ...as, cwd: '/', stdio: 'ignore' });
        while (!(await answers(url))) {
          if (child.exitCode !== null) throw new Error(`PostgreSQL in ${data} did not start`);
        }
        return child;
      };
      let server = await start();
      return {
        url,
        directory: data,
        signalAll(name) {
          const master = server.pid as number;
          for (const each of [master, ...childrenOf(master)]) process.kill(each, name);
        },
        async crash() {
          const [victim, witness] = [await connect(url), await connect(url)];
          const { rows } = await victim.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
          const hasEnded = new Promise<void>((resolve) => witness.once('end', () => resolve()));
          process.kill(rows[0]?.pid as number, 'SIGKILL');
          await hasEnded; // the server has noticed, and ended every session
          for (const pid of childrenOf(server.pid as number)) resume(pid);
          while (!(await answers(url)));
          await victim.end().catch(() => undefined);
        },
        async stop(how = 'immediate') {
          if (server.exitCode !== null || server.signalCode !== null) return;
          const gone = once(server, 'exit');
          server.kill(how === 'clean' ? 'SIGINT' : 'SIGQUIT');
          await gone;
        },
        async start() {
          server = await start();
        },
      };
    },
    copy: (from, to) => runAny('cp', '-a', from, to),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** A process that a test has stopped handles the signal to end only when it continues. */
function resume(pid: number): void {
  try {
    process.kill(pid, 'SIGCONT');
  } catch {
    // It has ended.
  }
}

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  return client;
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
