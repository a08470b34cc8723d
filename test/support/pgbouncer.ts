import type { ChildProcess } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { findFreePort, isListening } from './free-port';

/** `.ci/build-pgbouncer` makes one; Debian 12's is too old. */
const program = process.env['PGBOUNCER'] ?? 'pgbouncer';

function findVersion(): [major: number, minor: number] | undefined {
  const { status, stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  const found = /PgBouncer (\d+)\.(\d+)/.exec(stdout);
  return status === 0 && found !== null ? [Number(found[1]), Number(found[2])] : undefined;
}

const version = findVersion();

/** Whether there is one at all, of any version. */
export const hasPooler = version !== undefined;

/** Why a pooler cannot be tried here; undefined if it can. */
export const poolerMissing: string | undefined =
  version === undefined
    ? 'there is no pgbouncer on this machine'
    : version[0] === 1 && version[1] < 21
      ? `PgBouncer ${version.join('.')} does not pass prepared statements on (1.21 does; PGBOUNCER names another one)`
      : undefined;

export interface Pooler {
  /** The server's database through the pooler, without `pgbouncer=true`. */
  readonly url: string;
  stop(): Promise<void>;
}

/** PgBouncer in transaction mode in front of one database and one login. */
export async function startPooler(
  loginUrl: string,
  settings: Readonly<Record<string, string | number | undefined>> = {},
): Promise<Pooler> {
  const { hostname, port, username, password, pathname } = new URL(loginUrl);
  const listenPort = Number(settings['listen_port'] ?? (await findFreePort()));
  const directory = mkdtempSync(join(tmpdir(), 'pgbouncer-'));
  chmodSync(directory, 0o755);
  const file = join(directory, 'pgbouncer.ini');
  const lines = {
    listen_addr: '127.0.0.1',
    listen_port: listenPort,
    unix_socket_dir: '',
    pool_mode: 'transaction',
    default_pool_size: 2,
    max_client_conn: 200,
    max_prepared_statements: 200,
    // Every client is the login below: the test is not about the pooler's own authentication.
    auth_type: 'any',
    ...settings,
  };
  const secret = password === '' ? '' : ` password=${decodeURIComponent(password)}`;
  const login = `host=${hostname} port=${port || 5432} user=${username}${secret}`;
  writeFileSync(
    file,
    `[databases]\n${pathname.slice(1)} = ${login}\n[pgbouncer]\n${Object.entries(lines)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${name} = ${value}`)
      .join('\n')}\n`,
  );
  // It does not run as root; "nobody" exists on every Linux.
  const account = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  // And `nobody` may not enter the directory of the user who built it.
  const ours = join(directory, 'pgbouncer');
  if (isAbsolute(program)) copyFileSync(program, ours);
  const child: ChildProcess = spawn(isAbsolute(program) ? ours : program, [file], {
    stdio: 'ignore',
    cwd: '/',
    ...account,
  });
  while (!(await isListening(listenPort))) if (child.exitCode !== null) throw new Error('pgbouncer did not start');
  return {
    url: Object.assign(new URL(loginUrl), { hostname: '127.0.0.1', port: String(listenPort) }).href,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
}
