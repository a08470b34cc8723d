import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { migrate } from '../../src/database/migrate';
import { projectRoot } from '../../src/project-root';
import { runTypeScript } from '../support/run-typescript';
import { createEmptyDatabase, createTestDatabase, dropDatabase } from '../support/test-database';

const directory = join(projectRoot, 'prisma/migrations');
const names = readdirSync(directory, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .sort();
const migrateInProcess = (url: string) => runTypeScript('database/processes/migrate.ts', [url]);

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

  it('applies every migration once when two processes start at the same moment', async () => {
    const [one, two] = await Promise.all([migrateInProcess(url), migrateInProcess(url)]);
    expect([one.stderr, two.stderr]).toEqual(['', '']);
    expect([one.stdout, two.stdout].sort()).toEqual([JSON.stringify(names), '[]'].sort());
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

  it('starts over with a migration that a crash cut off', async () => {
    await migrateInProcess(url);
    await query(url, 'DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    await query(
      url,
      `CREATE TABLE _prisma_migrations (id varchar(36) PRIMARY KEY NOT NULL, checksum varchar(64) NOT NULL,
         finished_at timestamptz, migration_name varchar(255) NOT NULL, logs text, rolled_back_at timestamptz,
         started_at timestamptz NOT NULL DEFAULT now(), applied_steps_count integer NOT NULL DEFAULT 0);
       INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ('1', 'x', '${names[0]}')`,
    );
    expect((await migrateInProcess(url)).stdout).toBe(JSON.stringify(names));
    expect(await query(url, 'SELECT count(*)::integer AS shops FROM shops')).toEqual([{ shops: 0 }]);
  });

  it('says what the database said when a migration fails', async () => {
    await query(url, `CREATE FUNCTION catalog_fold(value text) RETURNS text LANGUAGE sql RETURN value`);
    const { code, stderr } = await migrateInProcess(url);
    expect(code).toBe(1);
    expect(stderr).toContain('The database could not be migrated: function "catalog_fold" already exists');
  });
});

it('migrating a database that is up to date needs no engine and changes nothing', async () => {
  const { url, drop } = await createTestDatabase();
  expect(await migrate(url)).toEqual([]);
  await drop();
});
