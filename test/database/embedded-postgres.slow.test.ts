import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readFile, readdir, rename, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import type { EmbeddedPostgres } from '../../src/database/embedded-postgres';
import { startEmbeddedPostgres } from '../../src/database/embedded-postgres';
import { isAlive, parentOf } from '../support/processes';
import { spawnTypeScript } from '../support/run-typescript';

const isRoot = process.getuid?.() === 0;
const asRoot = isRoot ? it : it.skip;
if (!isRoot) console.log('Not run: the behavior of the embedded server for root, because this run is not root.');

let dataDirectory: string;
const started: EmbeddedPostgres[] = [];
const children: ChildProcess[] = [];

beforeEach(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), 'catalog-embedded-'));
  await chmod(dataDirectory, 0o755);
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'close');
    }
  }
  // Stops whatever a killed process left running, by attaching and then detaching last.
  if (await readFile(join(dataDirectory, 'postgres/cluster/postmaster.pid')).catch(() => undefined)) await start();
  await Promise.all(started.splice(0).map((server) => server.stop()));
});

async function start(directory = dataDirectory): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ dataDirectory: directory, log: () => undefined, durable: false });
  started.push(server);
  return server;
}

const spawnUser = (options?: SpawnOptions, directory = dataDirectory): ChildProcess =>
  spawnTypeScript('database/processes/use-embedded.ts', [directory], [], options);

/** Starts a process that uses the server, and resolves once the process has it. */
async function startUser(options?: SpawnOptions): Promise<{ child: ChildProcess; url: string }> {
  const child = spawnUser(options);
  children.push(child);
  let problem = '';
  child.stderr?.on('data', (chunk) => (problem += String(chunk)));
  const [line] = (await Promise.race([once(child.stdout!, 'data'), once(child, 'close')])) as [unknown];
  if (!Buffer.isBuffer(line)) throw new Error(`The process ended: ${problem}`);
  return { child, url: line.toString().trim() };
}

async function leave(child: ChildProcess): Promise<void> {
  child.stdin?.end();
  await once(child, 'close');
}

async function query<Row = Record<string, unknown>>(url: string, text: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(text)).rows as Row[];
  } finally {
    await client.end();
  }
}

const readPid = async (): Promise<number> =>
  Number.parseInt(await readFile(join(dataDirectory, 'postgres/cluster/postmaster.pid'), 'utf8'), 10);

/** The server processes started in this directory. */
const guards = (): string[] => {
  const port = /"port=\d+"/.exec(readFileSync(join(dataDirectory, 'postgres/cluster/postmaster.opts'), 'utf8'))?.[0];
  return execFileSync('ps', ['-e', '-o', 'args='])
    .toString()
    .split('\n')
    .filter((line) => line.includes(port?.slice(1, -1) ?? ''));
};

const isRunning = (url: string): Promise<boolean> =>
  query(url, 'SELECT 1').then(
    () => true,
    () => false,
  );

describe('the embedded PostgreSQL', () => {
  it('is UTF-8 with any locale of the machine, in UTC, and has the extensions of the migrations', async () => {
    const { child, url } = await startUser({ env: { ...process.env, LANG: 'C', LC_ALL: 'C' } });
    const settings = await query(
      url,
      `SELECT current_setting('server_encoding') AS encoding, current_setting('TimeZone') AS zone, lower('É') AS lower,
              count(*)::integer AS extensions FROM pg_available_extensions WHERE name = 'btree_gin'`,
    );
    expect(settings).toEqual([{ encoding: 'UTF8', zone: 'UTC', lower: 'é', extensions: 1 }]);
    await leave(child);
  });

  it('listens on 127.0.0.1 only and requires a password that only its owner can read', async () => {
    const first = await start();
    expect(await query(first.url, "SELECT current_setting('listen_addresses') AS a")).toEqual([{ a: '127.0.0.1' }]);
    const wrong = new URL(first.url);
    wrong.password = 'wrong';
    await expect(query(wrong.href, 'SELECT 1')).rejects.toThrow('password authentication failed');
    expect((await stat(join(dataDirectory, 'postgres/cluster/catalog-password'))).mode & 0o777).toBe(0o600);
  });

  it('keeps its port, or takes another when that is in use', async () => {
    const first = await start();
    await first.stop();
    const again = await start();
    expect(again.url).toBe(first.url);
    await again.stop();
    const squatter = createServer().listen(Number(new URL(first.url).port), '127.0.0.1');
    await once(squatter, 'listening');
    expect(await isRunning((await start()).url)).toBe(true);
    squatter.close();
  });

  it('is started by one of several processes that start at the same time, and the others attach', async () => {
    const users = await Promise.all([startUser(), startUser(), startUser()]);
    expect(new Set(users.map(({ url }) => url)).size).toBe(1);
    await Promise.all(users.map(({ child }) => leave(child)));
    expect(await isRunning(users[0]?.url ?? '')).toBe(false);
  });

  it('stays up while any process uses it, also when the one that started it leaves first; the last one stops it', async () => {
    const starter = await startUser();
    const attached = await start();
    await leave(starter.child);
    expect(await isRunning(attached.url)).toBe(true);
    await attached.stop();
    expect(await isRunning(attached.url)).toBe(false);
  });

  it('ends after kill -9 of the last process that used it, and keeps what was committed', async () => {
    const [{ child, url }, other] = [await startUser(), await startUser()];
    await query(url, 'CREATE TABLE kept AS SELECT 1 AS n');
    other.child.kill('SIGKILL');
    await once(other.child, 'close');
    const pid = await readPid();
    expect(await isRunning(url)).toBe(true);
    child.kill('SIGKILL');
    await once(child, 'close');
    while (isAlive(pid)) await new Promise(setImmediate);
    expect(await query((await start()).url, 'SELECT n FROM kept')).toEqual([{ n: 1 }]);
  });

  it('starts again after kill -9 of the server itself, when its processes have ended, which still use its memory', async () => {
    const { child, url } = await startUser();
    await query(url, 'CREATE TABLE kept AS SELECT 1 AS n');
    const client = new Client({ connectionString: url });
    client.on('error', () => undefined);
    await client.connect();
    const [{ pid }] = (await client.query('SELECT pg_backend_pid() AS pid')).rows as [{ pid: number }];
    process.kill(pid, 'SIGSTOP');
    try {
      process.kill(await readPid(), 'SIGKILL');
      child.kill('SIGKILL');
      await once(child, 'close');
      const again = start();
      const readLog = (): Promise<string> => readFile(join(dataDirectory, 'postgres.log'), 'utf8');
      while (!(await readLog()).includes('pre-existing shared memory')) await new Promise(setImmediate);
      process.kill(pid, 'SIGCONT');
      expect(await query((await again).url, 'SELECT n FROM kept')).toEqual([{ n: 1 }]);
    } finally {
      if (isAlive(pid)) process.kill(pid, 'SIGKILL');
    }
  });

  it('starts when the id in a stale postmaster.pid now belongs to another process', async () => {
    const first = await start();
    const file = join(dataDirectory, 'postgres/cluster/postmaster.pid');
    const content = await readFile(file, 'utf8');
    await first.stop();
    await writeFile(file, content.replace(/^\d+/, String(process.pid)));
    expect(await isRunning((await start()).url)).toBe(true);
  });

  it('is created again when a crash interrupted its creation', async () => {
    await mkdir(join(dataDirectory, 'postgres/creating-x/cluster/base'), { recursive: true });
    expect(await isRunning((await start()).url)).toBe(true);
    expect((await readdir(join(dataDirectory, 'postgres'))).sort()).toEqual(['cluster', 'users']);
  });

  it('ends with its last user, or before the next one, when its guard is killed', async () => {
    const first = await start();
    process.kill(parentOf(await readPid()), 'SIGKILL');
    expect(await isRunning(first.url)).toBe(true);
    await first.stop();
    expect(await isRunning(first.url)).toBe(false);

    const { child, url } = await startUser();
    await query(url, 'CREATE TABLE kept AS SELECT 1 AS n');
    process.kill(parentOf(await readPid()), 'SIGKILL');
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(await query((await start()).url, 'SELECT n FROM kept')).toEqual([{ n: 1 }]);
  });

  it('leaves no process behind when its starter is killed at any time', async () => {
    await (await start()).stop();
    const logFile = join(dataDirectory, 'postgres.log');
    for (let step = 0; step < 8; step += 1) {
      const { ctimeMs } = await stat(logFile);
      const starter = spawnUser();
      // From the opening of the log on, a little later each time.
      while ((await stat(logFile)).ctimeMs === ctimeMs) await new Promise(setImmediate);
      for (let round = 0; round < step * 20; round += 1) await stat(logFile);
      starter.kill('SIGKILL');
      await once(starter, 'close');
      while (guards().length > 0) await new Promise(setImmediate);
    }
    expect(await isRunning((await start()).url)).toBe(true);
  });

  it('reports the path that it cannot use when DATA_DIR is a file', async () => {
    const file = join(dataDirectory, 'file');
    await writeFile(file, '');
    await expect(start(file)).rejects.toThrow(`DATA_DIR ${file} cannot be used: a file with that name already exists`);
    await expect(start(join(file, 'x'))).rejects.toThrow('part of the path is a file, not a directory');
  });

  asRoot('runs below a directory that its user may not enter, also when it was moved there', async () => {
    const first = await start(join(dataDirectory, 'open/data'));
    await query(first.url, 'CREATE TABLE kept AS SELECT 1 AS n');
    await first.stop();
    const closed = join(dataDirectory, 'closed');
    await mkdir(closed, { mode: 0o700 });
    await rename(join(dataDirectory, 'open/data'), join(closed, 'data'));
    expect(await query((await start(join(closed, 'data'))).url, 'SELECT n FROM kept')).toEqual([{ n: 1 }]);
    expect((await stat(closed)).mode & 0o777).toBe(0o700);
  });

  asRoot('runs from a copy that root made, whose files belong to root', async () => {
    const [original, copy] = [join(dataDirectory, 'original'), join(dataDirectory, 'copy')];
    const first = await start(original);
    await query(first.url, 'CREATE TABLE kept AS SELECT 1 AS n');
    await first.stop();
    await promisify(execFile)('cp', ['-R', original, copy]);
    expect(await query((await start(copy)).url, 'SELECT n FROM kept')).toEqual([{ n: 1 }]);
  });

  asRoot('runs as the owner of its data, who needs no account', async () => {
    await (await start()).stop();
    await promisify(execFile)('chown', ['-R', '54321:54321', join(dataDirectory, 'postgres')]);
    await start();
    expect((await stat(`/proc/${await readPid()}`)).uid).toBe(54_321);
  });

  /** As a user without any other rights. */
  const as = (uid: number): SpawnOptions => ({ uid, gid: uid });

  asRoot('runs for an ordinary user, and reports when that user may not write to DATA_DIR', async () => {
    const uid = 65_534; // The user `nobody`.
    await chown(dataDirectory, uid, uid);
    const { child, url } = await startUser(as(uid));
    expect(await isRunning(url)).toBe(true);
    await leave(child);
    const foreign = join(dataDirectory, 'foreign');
    await mkdir(foreign);
    const refused = spawnUser(as(uid), join(foreign, 'data'));
    const [message] = (await once(refused.stderr!, 'data')) as [Buffer];
    expect(message.toString()).toContain(`DATA_DIR ${join(foreign, 'data')} cannot be used: permission denied`);
  });

  asRoot('says what a user without an entry in /etc/passwd needs', async () => {
    const uid = 54_321;
    await chown(dataDirectory, uid, uid);
    await expect(startUser(as(uid))).rejects.toThrow(
      'PostgreSQL requires a user name, but user ID 54321 is not in /etc/passwd: add it there, or set DATABASE_URL to a server.',
    );
  });
});
