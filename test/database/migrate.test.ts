import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { connectToPrimary } from '../../src/database/connect-to-primary';
import { parseConnectionTarget, toSessionUrl } from '../../src/database/connection-target';
import { migrate } from '../../src/database/migrate';
import { readMigrations } from '../../src/database/migration-files';
import { projectRoot } from '../../src/project-root';
import { runTypeScript } from '../support/run-typescript';
import { createEmptyDatabase, dropDatabase } from '../support/test-database';

const directory = join(projectRoot, 'prisma/migrations');
const names = readdirSync(directory, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .sort();
const migrateInProcess = (url: string) => runTypeScript('database/processes/migrate.ts', [url]);
const prisma = (command: 'deploy' | 'status', url: string) =>
  runTypeScript('database/processes/prisma-migrate.ts', [command, url]);

const ledgerColumns = `id varchar(36) PRIMARY KEY NOT NULL, checksum varchar(64) NOT NULL, finished_at timestamptz,
  migration_name varchar(255) NOT NULL, logs text, rolled_back_at timestamptz, started_at timestamptz NOT NULL DEFAULT now(),
  applied_steps_count integer NOT NULL DEFAULT 0`;

async function query<Row>(url: string, text: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows as Row[];
  } finally {
    await client.end();
  }
}

describe('migrate', () => {
  let url: string;
  beforeEach(async () => (url = await createEmptyDatabase()));
  afterEach(() => dropDatabase(url));

  it('applies every migration once when two processes start at the same time', async () => {
    const [one, two] = await Promise.all([migrateInProcess(url), migrateInProcess(url)]);
    expect([one.code, two.code]).toEqual([0, 0]);
    expect([one.stdout, two.stdout].sort()).toEqual([JSON.stringify(names), '[]'].sort());
  });

  it('works whatever notation of dates and texts the database is set to, and so do later connections', async () => {
    const name = new URL(url).pathname.slice(1);
    await query(url, `ALTER DATABASE "${name}" SET datestyle = 'German, DMY'`);
    await query(url, `ALTER DATABASE "${name}" SET standard_conforming_strings = off`);
    expect(await migrate(url)).toEqual(names);
    const target = parseConnectionTarget(url);
    const ofRequests = new Client({ connectionString: toSessionUrl(target, target.urls[0], {}) });
    await ofRequests.connect();
    const dedicated = await connectToPrimary(url);
    for (const client of [ofRequests, dedicated]) {
      const { rows } = await client.query(`SELECT timestamptz '2026-01-31T12:00:00Z' AS at, '\\' AS backslash`);
      await client.end();
      expect(rows).toEqual([{ at: new Date('2026-01-31T12:00:00Z'), backslash: '\\' }]);
    }
  });

  it('applies nothing the second time', async () => {
    await migrateInProcess(url);
    expect(await migrateInProcess(url)).toEqual({ code: 0, stdout: '[]', stderr: '' });
  });

  it('records what `prisma migrate deploy` records: one finished step each, with the SHA-256 of the file', async () => {
    await migrateInProcess(url);
    const recorded = await query(
      url,
      `SELECT migration_name, checksum, applied_steps_count, finished_at IS NOT NULL AS finished, rolled_back_at, logs
         FROM _prisma_migrations ORDER BY migration_name`,
    );
    expect(recorded).toEqual(
      names.map((name) => ({
        migration_name: name,
        checksum: createHash('sha256')
          .update(readFileSync(join(directory, name, 'migration.sql')))
          .digest('hex'),
        applied_steps_count: 1,
        finished: true,
        rolled_back_at: null,
        logs: null,
      })),
    );
  });

  it('lets exactly one of eight processes migrate an empty database, and gives it everything in one transaction', async () => {
    const applied = await Promise.all(Array.from({ length: 8 }, () => migrate(url)));
    expect(applied.map(({ length }) => length).sort()).toEqual([0, 0, 0, 0, 0, 0, 0, names.length]);
    const transactions = await query(url, 'SELECT DISTINCT xmin::text FROM _prisma_migrations');
    expect(transactions).toHaveLength(1);
  });

  it('agrees with Prisma: it finds nothing to do after us, and we after it', async () => {
    await migrate(url);
    const { stdout } = await prisma('status', url);
    expect(JSON.parse(stdout)).toEqual({
      editedMigrationNames: [],
      failedMigrationNames: [],
      hasMigrationsTable: true,
      history: null,
    });
    expect((await prisma('deploy', url)).stdout).toBe('[]');
    await query(url, 'DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    expect((await prisma('deploy', url)).stdout).toBe(JSON.stringify(names));
    expect(await migrate(url)).toEqual([]);
  });

  it('every script leaves its transaction open, so that its row in the ledger is part of it', async () => {
    const client = new Client({ connectionString: url });
    await client.connect();
    const transaction = async () => (await client.query('SELECT pg_current_xact_id()::text AS id')).rows[0] as unknown;
    await client.query('BEGIN');
    const before = await transaction();
    for (const { sql } of readMigrations()) {
      await client.query(sql);
      expect(await transaction()).toEqual(before);
    }
    await client.end();
  });

  it('reports the error of the database when a migration fails', async () => {
    await query(url, `CREATE FUNCTION catalog_fold(value text) RETURNS text LANGUAGE sql RETURN value`);
    const { code, stderr } = await migrateInProcess(url);
    expect(code).toBe(1);
    expect(stderr).toContain('The database could not be migrated: function "catalog_fold" already exists');
    expect(await query(url, "SELECT to_regclass('_prisma_migrations') AS ledger")).toEqual([{ ledger: null }]);
  });
});

describe('locks', () => {
  let url: string;
  let other: Client;
  beforeEach(async () => {
    url = await createEmptyDatabase();
    other = new Client({ connectionString: url, application_name: 'a stuck session' });
    await other.connect();
    await other.query('BEGIN');
  });
  afterEach(async () => {
    await other.end();
    await dropDatabase(url);
  });

  it('reports which session it waits for, and fails in time with nothing changed', async () => {
    await other.query('SELECT pg_advisory_xact_lock(72707369)');
    const { rows } = await other.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const lines: string[] = [];
    const options = { log: (line: string) => void lines.push(line), migrationWaitMilliseconds: 1_500 };
    await expect(migrate(url, options)).rejects.toThrow(
      new RegExp(
        `^The database could not be migrated: waiting for another migration waited too long for a lock that pid ${rows[0]?.pid} ` +
          '\\(application_name "a stuck session", user "\\w+", idle in transaction, its transaction is \\d+ s old\\) holds',
      ),
    );
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(`waiting for a lock that pid ${rows[0]?.pid} (application_name "a stuck session"`);
    await other.query('ROLLBACK');
    expect(await migrate(url)).toEqual(names);
  });

  it('stops waiting for a table in time, too, because its readers wait behind a migration', async () => {
    const [first, ...others] = readMigrations();
    await query(url, first?.sql ?? '');
    await query(url, `CREATE TABLE _prisma_migrations (${ledgerColumns})`);
    await query(url, `INSERT INTO _prisma_migrations VALUES ('1', '', now(), '${first?.name}')`);
    await other.query('SELECT FROM products');
    await expect(migrate(url, { tableWaitMilliseconds: 1_500 })).rejects.toThrow(
      /migration 20261121010000_sort_keys waited too long for a lock that pid \d+ \(application_name "a stuck session"/,
    );
    await other.query('ROLLBACK');
    expect(await migrate(url)).toEqual(others.map(({ name }) => name));
  });

  it('takes none while nothing is missing, whichever session holds it', async () => {
    await migrate(url);
    await other.query('SELECT pg_advisory_xact_lock(72707369); LOCK TABLE products, shops');
    expect(await migrate(url)).toEqual([]);
  });
});
