import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'pg';
import { startEmbeddedPostgres } from '../../src/database/embedded-postgres';
import { migrate } from '../../src/database/migrate';
import { childrenOf, isAlive } from './processes';
import { runStatements } from './run-statements';
import type { TcpProxy } from './tcp-proxy';
import { startTcpProxy } from './tcp-proxy';
import type { Sql } from './test-database';

/** A separate PostgreSQL server that the test may disrupt. */
export interface OwnPostgres {
  /** As the owner. */
  readonly url: string;
  /** As the service logs in: with the rights of docs/deploy/roles.sql and no others, so that limits apply to it. */
  readonly serviceUrl: string;
  /** The same through `wire`. */
  readonly wiredUrl: string;
  /** A network that can be disturbed. */
  readonly wire: TcpProxy;
  readonly sql: Sql;
  /** Sends a signal to the server and all its processes. */
  signalAll(name: 'SIGSTOP' | 'SIGCONT'): Promise<void>;
  /** Kills the server process of one connection, after which the server ends all connections and recovers. */
  killOneBackend(): Promise<void>;
  /** Stops it at once, as `pg_ctl stop -m fast` does. */
  stop(): Promise<void>;
  /** Starts it again on the same port. */
  start(): Promise<void>;
  remove(): Promise<void>;
}

export const serviceRole = 'catalog_service';

export async function startOwnPostgres(): Promise<OwnPostgres> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'catalog-faults-'));
  const start = () => startEmbeddedPostgres({ dataDirectory, log: () => undefined, durable: false });
  let server = await start();
  await migrate(server.url);
  const serviceUrl = new URL(await createServiceLogin(server.url));
  const wire = await startTcpProxy({ host: '127.0.0.1', port: Number(serviceUrl.port) });
  const pool = new Pool({ connectionString: server.url, max: 2, options: '-c TimeZone=UTC' });
  pool.on('error', () => undefined);
  const pid = async (): Promise<number> => {
    const text = await readFile(join(dataDirectory, 'postgres/cluster/postmaster.pid'), 'utf8');
    return Number(text.split('\n')[0]);
  };
  const stop = async (): Promise<void> => {
    const master = await pid();
    process.kill(master, 'SIGINT');
    while (isAlive(master)) await delay(20);
  };
  return {
    url: server.url,
    serviceUrl: serviceUrl.href,
    wiredUrl: Object.assign(new URL(serviceUrl), { port: String(wire.port) }).href,
    wire,
    sql: async <Row>(text: string, values?: unknown[]) => (await pool.query(text, values)).rows as Row[],
    async signalAll(name) {
      const master = await pid();
      for (const each of [master, ...childrenOf(master)]) process.kill(each, name);
    },
    async killOneBackend() {
      const { rows } = await pool.query<{ pid: number }>(
        'SELECT pid FROM pg_stat_activity WHERE usename = $1 LIMIT 1',
        [serviceRole],
      );
      for (const { pid: victim } of rows) process.kill(victim, 'SIGKILL');
    },
    stop,
    async start() {
      server = await start();
    },
    async remove() {
      await pool.end();
      await wire.cut();
      await server.stop();
      await rm(dataDirectory, { recursive: true, force: true });
    },
  };
}

/** Creates the roles of docs/deploy/roles.sql on the test's server, and the service's login. @returns its URL */
export async function createServiceLogin(ownerUrl: string): Promise<string> {
  await runStatements(ownerUrl, readFileSync(join(__dirname, '../../docs/deploy/roles.sql'), 'utf8'));
  await runStatements(ownerUrl, `CREATE ROLE ${serviceRole} LOGIN PASSWORD '${serviceRole}' IN ROLE catalog_reader`);
  return asServiceLogin(ownerUrl);
}

/** The same server for the service's login. */
export const asServiceLogin = (ownerUrl: string): string =>
  Object.assign(new URL(ownerUrl), { username: serviceRole, password: serviceRole }).href;
