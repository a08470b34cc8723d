import { randomUUID } from 'node:crypto';
import { Client, Pool } from 'pg';
import type { Database } from '../../src/database/database';
import type { DatabaseLimits } from '../../src/database/open-database';
import { openDatabase } from '../../src/database/open-database';
import { useOpened } from './opened';
import { runStatements } from './run-statements';
import { citusUrl, createCitusDatabase, dropCitusDatabase } from './citus-database';

export type Sql = <Row = Record<string, unknown>>(text: string, values?: unknown[]) => Promise<Row[]>;

/** Long limits, so that nothing times out on a busy machine. */
export const patientLimits: DatabaseLimits = {
  connectionTimeoutMilliseconds: 30_000,
  statementTimeoutMilliseconds: 30_000,
};

export interface TestDatabase {
  readonly url: string;
  readonly database: Database;
  /** Plain SQL, bypassing Prisma: as the sync service writes. */
  readonly sql: Sql;
  /** A separate session, for what belongs to one: transactions, settings, statistics. */
  connect(): Promise<Client>;
  /** Closes every connection and removes the database. */
  drop(): Promise<void>;
}

async function cloneTemplate(name: string): Promise<string> {
  await onServer(`CREATE DATABASE ${name} TEMPLATE ${fromSetup('TEST_TEMPLATE')}`);
  return testServerUrl(name);
}

/**
 * A separate, migrated, empty database on the run's server, cloned in some 50 ms; with TEST_CITUS_URL a distributed
 * one, in seconds.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const name = `catalog_test_${randomUUID().replaceAll('-', '')}`;
  const url = citusUrl === undefined ? await cloneTemplate(name) : await createCitusDatabase(citusUrl, name);
  const pool = new Pool({ connectionString: url, max: 4, options: '-c TimeZone=UTC' });
  // Tests of failures cut connections; an idle one that is closed must not end the test process.
  pool.on('error', () => undefined);
  const database = openDatabase({ url, poolSize: 4, ...patientLimits });
  const sessions: Client[] = [];
  return {
    url,
    database,
    sql: async <Row>(text: string, values?: unknown[]) => (await pool.query(text, values)).rows as Row[],
    connect: async () => {
      const client = new Client({ connectionString: url });
      sessions.push(client);
      await client.connect();
      return client;
    },
    drop: async () => {
      await database.close();
      for (const client of sessions) await client.end();
      await pool.end();
      if (citusUrl === undefined) await dropDatabase(url);
      else await dropCitusDatabase(citusUrl, name);
    },
  };
}

/** An empty database without tables, for tests of the migrations themselves. The caller drops it with dropDatabase. */
export async function createEmptyDatabase(): Promise<string> {
  const name = `catalog_empty_${randomUUID().replaceAll('-', '')}`;
  await onServer(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`);
  return testServerUrl(name);
}

export async function dropDatabase(url: string): Promise<void> {
  await onServer(`DROP DATABASE IF EXISTS ${new URL(url).pathname.slice(1)} WITH (FORCE)`);
}

export function testServerUrl(databaseName: string): string {
  const url = new URL(fromSetup('TEST_SERVER_URL'));
  url.pathname = `/${databaseName}`;
  return url.href;
}

const onServer = (statement: string): Promise<unknown> => runStatements(fromSetup('TEST_SERVER_URL'), statement);

function fromSetup(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set: test/support/database-setup.ts sets it`);
  return value;
}

/** The same for all tests of a file. */
export const useTestDatabase = (): TestDatabase => useOpened(createTestDatabase, (database) => database.drop());
