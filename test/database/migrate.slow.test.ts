import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { connectToPrimary } from '../../src/database/host-choice';
import { parseConnectionTarget, toSessionUrl } from '../../src/config/connection-target';
import { createLedger, migrate } from '../../src/database/migrate';
import type { Script, Scripts } from '../../src/database/migration-files';
import { migrationLockKey, readScripts } from '../../src/database/migration-files';
import { projectRoot } from '../../src/common/project-root';
import { runTypeScript, spawnTypeScript } from '../support/run-typescript';
import type { Sql } from '../support/test-database';
import { createEmptyDatabase, dropDatabase, useTestDatabase } from '../support/test-database';
import { describeSchema } from './describe-schema';

const directory = join(projectRoot, 'prisma/migrations');
const scripts = readScripts();
const [migrationNames, functionNames] = [scripts.migrations, scripts.functions].map((own) =>
  own.map(({ name }) => name),
) as [string[], string[]];
const names = [...migrationNames, ...functionNames];
const migrateInProcess = (url: string) => runTypeScript('database/processes/migrate.ts', [url]);
const prisma = (command: 'deploy' | 'status', url: string) =>
  runTypeScript('database/processes/prisma-migrate.ts', [command, url]);

const toScript = (name: string, sql: string): Script => ({
  name,
  sql,
  checksum: createHash('sha256').update(sql).digest('hex'),
});

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

  it('works with any notation of dates and texts set in the database, as do later connections', async () => {
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

  it('records what `prisma migrate deploy` records: one finished step each, with the SHA-256 of the file', async () => {
    await migrateInProcess(url);
    const recorded = await query(
      url,
      `SELECT migration_name, checksum, applied_steps_count, finished_at IS NOT NULL AS finished, rolled_back_at, logs
         FROM _prisma_migrations ORDER BY migration_name`,
    );
    expect(recorded).toEqual(
      migrationNames.map((name) => ({
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

  it('sees what another session migrated while it waited for that session', async () => {
    const own = toScript('1_first', 'CREATE TABLE first ()');
    const other = new Client({ connectionString: url });
    await other.connect();
    await other.query('BEGIN');
    await other.query('SELECT pg_advisory_xact_lock($1)', [migrationLockKey]);
    const migrated = migrate(url, { scripts: { migrations: [own], functions: [] } });
    const waits = `SELECT FROM pg_locks JOIN pg_database AS d ON d.oid = database
      WHERE locktype = 'advisory' AND NOT granted AND datname = current_database()`;
    while ((await other.query(waits)).rows.length === 0);
    await createLedger(other);
    await other.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('1', $1, $2, now())`,
      [own.checksum, own.name],
    );
    await other.query('COMMIT');
    await other.end();
    expect(await migrated).toEqual([]);
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
    expect((await prisma('deploy', url)).stdout).toBe(JSON.stringify(migrationNames));
    expect(await migrate(url)).toEqual(functionNames);
  });

  it('every script leaves its transaction open, so that its row in the ledger is part of it', async () => {
    const client = new Client({ connectionString: url });
    await client.connect();
    const transaction = async () => (await client.query('SELECT pg_current_xact_id()::text AS id')).rows[0] as unknown;
    await client.query('BEGIN');
    const before = await transaction();
    for (const { sql } of [...scripts.migrations, ...scripts.functions]) {
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

describe('a migration that was interrupted', () => {
  const whole = useTestDatabase();
  let url: string;
  const sql: Sql = (text) => query(url, text);
  beforeEach(async () => (url = await createEmptyDatabase()));
  afterEach(() => dropDatabase(url));

  /** The last file creates the triggers. */
  it.each([
    ['CREATE TABLE', 'SIGKILL'],
    ['CREATE TRIGGER', 'SIGKILL'],
    ['CREATE TRIGGER', 'SIGTERM'],
    ['CREATE INDEX', 'pg_terminate_backend'],
    ['CREATE TRIGGER', 'pg_terminate_backend'],
    ['CREATE TRIGGER', 'pg_cancel_backend'],
  ] as const)('at a %s by %s changed nothing, and the next run completes it', async (command, interruption) => {
    await sql(`CREATE SCHEMA pauses;
      CREATE FUNCTION pauses.pause() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(60); END $$;
      CREATE EVENT TRIGGER pause ON ddl_command_end WHEN TAG IN ('${command}') EXECUTE FUNCTION pauses.pause()`);
    const before = await describeSchema(sql);
    const child = spawnTypeScript('database/processes/migrate.ts', [url]);
    let stderr = '';
    child.stderr?.on('data', (chunk) => (stderr += String(chunk)));
    const sleeping = `SELECT pid FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()`;
    let [paused] = await sql<{ pid: number }>(sleeping);
    while (paused === undefined) [paused] = await sql<{ pid: number }>(sleeping);
    if (interruption.startsWith('SIG')) child.kill(interruption as NodeJS.Signals);
    else await sql(`SELECT ${interruption}(${paused.pid})`);
    await once(child, 'close');
    if (!interruption.startsWith('SIG')) expect(stderr).toContain('changed nothing. Run `catalog migrate` again.');
    while ((await sql(sleeping)).length > 0); // the server notices that its client is gone
    expect(await describeSchema(sql)).toEqual(before);
    await sql('DROP EVENT TRIGGER pause');
    expect(await migrate(url)).toEqual(names);
    expect(await describeSchema(sql)).toEqual(await describeSchema(whole.sql));
  });

  const [first] = scripts.migrations as [Script];
  /** As `prisma migrate deploy` leaves it, which records a migration before it runs. */
  async function begin(...ends: readonly string[]): Promise<void> {
    const client = await connectToPrimary(url);
    await createLedger(client);
    await client.end();
    for (const end of ends)
      await sql(`INSERT INTO _prisma_migrations (id, checksum, migration_name, rolled_back_at, logs)
                 VALUES (gen_random_uuid(), 'x', '${first.name}', ${end})`);
  }

  it.each([
    ['cut off', ['NULL, NULL']],
    ['rolled back', ['now(), NULL']],
    ['rolled back, and failed when it was repeated', ['now(), NULL', "NULL, 'already exists'"]],
  ])('in Prisma, which recorded it as %s, is completed by the next run', async (_, ends) => {
    await begin(...ends);
    expect(await migrate(url)).toEqual(names);
    expect(await describeSchema(sql)).toEqual(await describeSchema(whole.sql));
    const { stdout } = await prisma('status', url);
    expect(JSON.parse(stdout)).toMatchObject({ editedMigrationNames: [], failedMigrationNames: [], history: null });
  });

  it('in Prisma after its script was committed is left as it is until it is resolved as applied', async () => {
    await begin('NULL, NULL');
    await sql(first.sql);
    const before = await describeSchema(sql);
    await expect(migrate(url)).rejects.toThrow(`(migration ${first.name}, which changed nothing)`);
    expect(await describeSchema(sql)).toEqual(before);
    // As `prisma migrate resolve --applied` does.
    await sql(`UPDATE _prisma_migrations SET finished_at = now(), checksum = '${first.checksum}'`);
    expect(await migrate(url)).toEqual(names.slice(1));
  });
});

describe('files of functions', () => {
  let url: string;
  beforeEach(async () => {
    url = await createEmptyDatabase();
    await migrate(url);
  });
  afterEach(() => dropDatabase(url));

  const changed = (sql: string): Scripts => {
    const [first, ...others] = scripts.functions as [Script, ...Script[]];
    return { ...scripts, functions: [toScript(first.name, `${first.sql}${sql}`), ...others] };
  };
  const steps =
    "SELECT md5(string_agg(prosrc, '' ORDER BY proname)) AS text FROM pg_proc WHERE proname LIKE 'catalog%'";

  it('only those whose digest differs are run again', async () => {
    const added = 'CREATE OR REPLACE FUNCTION catalog_new() RETURNS integer LANGUAGE sql RETURN 1;';
    const newer = changed(added);
    expect(await migrate(url, { scripts: newer })).toEqual(functionNames.slice(0, 1));
    expect(await migrate(url, { scripts: newer })).toEqual([]);
    expect(await query(url, 'SELECT catalog_new() AS one')).toEqual([{ one: 1 }]);
  });

  it('can all be run twice, and leave the same functions', async () => {
    const before = await query(url, steps);
    await query(url, 'TRUNCATE function_files');
    expect(await migrate(url)).toEqual(functionNames);
    expect(await query(url, steps)).toEqual(before);
  });

  it('leave nothing behind when one fails', async () => {
    const before = await query(url, steps);
    const newer = changed('CREATE FUNCTION catalog_half() RETURNS integer LANGUAGE sql RETURN 1; SELECT 1 / 0;');
    await expect(migrate(url, { scripts: newer })).rejects.toThrow(/division by zero \(functions\/1_visible_set\.sql/);
    expect(await query(url, steps)).toEqual(before);
    expect(await migrate(url)).toEqual([]);
  });
});

describe('a database created by another version', () => {
  let url: string;
  beforeEach(async () => (url = await createEmptyDatabase()));
  afterEach(() => dropDatabase(url));

  const [first] = migrationNames as [string];
  const others: Readonly<Record<string, [statement: string, text: string]>> = {
    'an applied migration that has changed': [
      `UPDATE _prisma_migrations SET checksum = repeat('0', 64) WHERE migration_name = '${first}'`,
      `migration ${first} differs`,
    ],
    'a migration that this version does not have': [
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('x', 'x', '20261121000000_catalog', now())`,
      'migration 20261121000000_catalog is unknown to this version',
    ],
  };
  const refusal = (text: string) =>
    new RegExp(
      `^The database \\w+ on \\S+ was migrated by another version of the service \\(${text}\\) and was not changed. In development, remove ` +
        'DATA_DIR or recreate the database of DATABASE_URL, then import again\\. Elsewhere, start the version that last migrated it\\.$',
    );

  it.each(Object.entries(others))('is refused and left as it is: %s', async (_, [statement, text]) => {
    await migrate(url);
    await query(url, `${statement}; DROP TRIGGER products_updated ON products; TRUNCATE function_files`);
    await expect(migrate(url)).rejects.toThrow(refusal(text));
    await expect(migrate(url, { mustExist: true })).rejects.toThrow(refusal(text));
    expect(await query(url, "SELECT FROM pg_trigger WHERE tgname = 'products_updated'")).toEqual([]);
  });

  it('is refused when two versions migrate the same empty database at the same time', async () => {
    const newer = {
      ...scripts,
      migrations: [...scripts.migrations, toScript('30000101000000_x', 'CREATE TABLE x ()')],
    };
    const results = await Promise.allSettled([migrate(url), migrate(url, { scripts: newer })]);
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []));
    const [{ x }] = (await query(url, "SELECT to_regclass('x') IS NOT NULL AS x")) as [{ x: boolean }];
    // The newer one adds its own parts to what the older made; the older does not build on the newer's.
    expect({
      x,
      refused: refused.map((line) => line.includes('migration 30000101000000_x is unknown to this version')),
    }).toEqual({
      x: true,
      refused: refused.map(() => true),
    });
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
        `^The database could not be migrated: the migration timed out waiting for a lock held by pid ${rows[0]?.pid} ` +
          '\\(application_name "a stuck session", user "\\w+", idle in transaction, its transaction is \\d+ s old\\)',
      ),
    );
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(`waiting for a lock held by pid ${rows[0]?.pid} (application_name "a stuck session"`);
    await other.query('ROLLBACK');
    expect(await migrate(url)).toEqual(names);
  });

  it('stops waiting for a table in time, too, because its readers wait behind a migration', async () => {
    await migrate(url);
    const last = toScript('30000101000000_colours', 'ALTER TABLE products ADD COLUMN colour text');
    const newer = { ...scripts, migrations: [...scripts.migrations, last] };
    await other.query('SELECT FROM products');
    await expect(migrate(url, { scripts: newer, tableWaitMilliseconds: 1_500 })).rejects.toThrow(
      /migration 30000101000000_colours timed out waiting for a lock held by pid \d+ \(application_name "a stuck session"/,
    );
    await other.query('ROLLBACK');
    expect(await migrate(url, { scripts: newer })).toEqual([last.name]);
  });

  it('takes none while nothing is missing, whichever session holds it', async () => {
    await migrate(url);
    await other.query('SELECT pg_advisory_xact_lock(72707369); LOCK TABLE products, shops');
    expect(await migrate(url)).toEqual([]);
  });
});
