import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startEmbeddedPostgres } from '../../src/database/embedded-postgres';
import { migrate } from '../../src/database/migrate';
import type { Script, Scripts } from '../../src/database/migration-files';
import { readScripts } from '../../src/database/migration-files';
import { runTypeScript, spawnTypeScript } from '../support/run-typescript';
import type { Sql } from '../support/test-database';
import { testServerUrl } from '../support/test-database';
import { describeSchema } from './describe-schema';
import type { Moment, PausingDatabase, PausingMigrations } from './pausing-migrations';
import { createPausingMigrations, rowsOfTwoShops } from './pausing-migrations';

let migrations: PausingMigrations;
let straight: Awaited<ReturnType<typeof stateOf>>;

const scripts = readScripts();

/** The schema, and how often each migration and function is recorded as finished. */
async function stateOf(sql: Sql) {
  const ledger = await sql(
    `SELECT migration_name, checksum, finished_at IS NOT NULL AS is_finished FROM _prisma_migrations
      WHERE rolled_back_at IS NULL ORDER BY 1`,
  );
  const functions = await sql('SELECT name, checksum FROM function_files ORDER BY 1');
  return { schema: await describeSchema(sql), ledger, functions };
}

/** The ways to interrupt a migration. Each gets the server process that runs it. */
const interruptions: Readonly<Record<string, (db: PausingDatabase, given?: Scripts) => Promise<void>>> = {
  'a backend terminated': async ({ url, sql, untilPaused }, given = scripts) => {
    const failed = migrate(url, { scripts: given }).catch((error: Error) => error.message);
    await sql('SELECT pg_terminate_backend($1)', [await untilPaused()]);
    expect(await failed).toMatch(
      /was interrupted: .* It either completed or changed nothing. Run `catalog migrate` again.$/,
    );
  },
  SIGKILL: (db) => kill(db, 'SIGKILL'),
  'a statement canceled': async ({ url, sql, untilPaused }, given = scripts) => {
    const failed = migrate(url, { scripts: given }).catch((error: Error) => error.message);
    await sql('SELECT pg_cancel_backend($1)', [await untilPaused()]);
    expect(await failed).toMatch(/Run `catalog migrate` again.$/);
  },
  SIGINT: (db) => kill(db, 'SIGINT'),
  SIGTERM: (db) => kill(db, 'SIGTERM'),
};

async function kill({ url, untilPaused }: PausingDatabase, signal: NodeJS.Signals): Promise<void> {
  const child = spawnTypeScript('database/processes/migrate.ts', [url]);
  await untilPaused();
  child.kill(signal);
  await once(child, 'close');
}

beforeAll(async () => {
  migrations = await createPausingMigrations(testServerUrl('postgres'));
  straight = await stateOf(migrations.straight.sql);
});
afterAll(() => migrations.drop());

/**
 * A database that gets one migration after another. Cases, in the order of migrations, each get a clone with what comes
 * before theirs.
 */
function createLadder() {
  let earlier: PausingDatabase;
  let applied = 0;
  beforeAll(async () => (earlier = await migrations.clone()));
  afterAll(() => earlier.drop());
  return async function cloneBefore(name: string): Promise<PausingDatabase> {
    for (; scripts.migrations[applied] !== undefined && scripts.migrations[applied]?.name !== name; applied += 1) {
      const { name: each, sql, checksum } = scripts.migrations[applied] as Script;
      await earlier.sql(sql);
      await earlier.sql(
        `INSERT INTO _prisma_migrations VALUES (gen_random_uuid(), '${checksum}', now(), '${each}', NULL, NULL, now(), 1)`,
      );
    }
    return migrations.clone(earlier);
  };
}

/** One of its commands, the ledger's row, or COMMIT. The commands of functions follow those of the last migration. */
type Part = 'first' | 'middle' | 'last' | 'ledger' | 'commit';
const parts: readonly Part[] = ['first', 'middle', 'last', 'ledger', 'commit'];
const ways = Object.keys(interruptions);
// Each part of each migration in one way; the combination of part and way changes from one migration to the next.
const moments = scripts.migrations.flatMap(({ name }, row) =>
  parts.map((part, index) => [name, part, ways[(index + row) % ways.length] as string] as const),
);

const toMoment = (migration: string, part: Part, commandsOf = migrations.straight.commands): Moment => {
  const commands = commandsOf.get(migration) ?? 0;
  const at = { first: 1, middle: Math.ceil(commands / 2), last: commands, ledger: 'ledger', commit: 'commit' } as const;
  return { migration, at: at[part] };
};

describe('a migration', () => {
  const cloneBefore = createLadder();

  it.each(moments)('%s, interrupted at its %s by %s, is completed by the next run', async (name, part, way) => {
    const db = await cloneBefore(name);
    await db.pauseAt(toMoment(name, part));
    await interruptions[way]?.(db);
    await db.sql('DELETE FROM moments.pause');
    await migrate(db.url);
    expect(await stateOf(db.sql)).toEqual(straight);
    await db.drop();
  });
});

describe('a database with rows', () => {
  const [file] = scripts.functions.slice(-1) as [Script];
  const toScript = (name: string, sql: string): Script => ({ name, sql, checksum: name });
  const newer: Scripts = {
    migrations: [
      ...scripts.migrations,
      toScript('30000101000000_first', "ALTER TABLE products ADD COLUMN colour text DEFAULT 'red'"),
      toScript('30000102000000_second', 'CREATE TABLE shelves (shop_id uuid); CREATE INDEX ON shelves (shop_id)'),
    ],
    functions: [
      ...scripts.functions.slice(0, -1),
      { ...toScript('changed', `${file.sql}; COMMENT ON TABLE shelves IS 'seen by functions'`), name: file.name },
    ],
  };
  const contentsOf = (sql: Sql) =>
    sql(
      ['shops', 'products', 'variants', 'orders', 'product_tags', 'product_terms', 'order_figures', 'changes']
        .map((t) => `SELECT '${t}' AS t, to_jsonb(${t})::text AS row FROM ${t}`)
        .join(' UNION ALL ') + ' ORDER BY 1, 2',
    );
  let paused: PausingMigrations;
  beforeAll(async () => {
    const given = { earlier: scripts, rows: rowsOfTwoShops, scripts: newer };
    paused = await createPausingMigrations(testServerUrl('postgres'), given);
  });
  afterAll(() => paused.drop());

  const cases = ['30000101000000_first', '30000102000000_second'].flatMap((name) =>
    parts.map((part) => [name, part] as const),
  );

  it.each(cases)('%s with the functions, interrupted at its %s, is completed by the next run', async (name, part) => {
    const db = await paused.clone();
    await db.pauseAt(toMoment(name, part, paused.straight.commands));
    await interruptions['a backend terminated']?.(db, newer);
    await db.sql('DELETE FROM moments.pause');
    await migrate(db.url, { scripts: newer });
    expect(await stateOf(db.sql)).toEqual(await stateOf(paused.straight.sql));
    expect(await contentsOf(db.sql)).toEqual(await contentsOf(paused.straight.sql));
    await db.drop();
  });
});

describe('a database that `prisma migrate deploy` left with a migration begun and not recorded', () => {
  const begun = (name: string, more = '') =>
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, rolled_back_at, logs)
     VALUES (gen_random_uuid(), 'x', '${name}', ${more === '' ? 'NULL, NULL' : more})`;
  /** The possible states of the ledger: cut off; cut off again after a rollback; cut off between the two. */
  const ledgers: Readonly<Record<string, (name: string) => readonly string[]>> = {
    'a run cut off': (name) => [begun(name)],
    'a run rolled back and one that failed': (name) => [
      begun(name, 'now(), NULL'),
      begun(name, "NULL, 'already exists'"),
    ],
    'a run rolled back': (name) => [begun(name, 'now(), NULL')],
  };

  // Each migration with such a ledger.
  const cases = scripts.migrations.map(({ name }, index) => [name, Object.keys(ledgers)[index % 3] as string] as const);

  const cloneBefore = createLadder();

  it.each(cases)('%s, whose script was not committed, is completed after %s', async (name, ledger) => {
    const broken = await cloneBefore(name);
    for (const row of ledgers[ledger]?.(name) ?? []) await broken.sql(row);
    await migrate(broken.url);
    expect(await stateOf(broken.sql)).toEqual(straight);
    await broken.drop();
  });

  it('agrees with Prisma afterwards', async () => {
    const db = await migrations.clone();
    const [first] = scripts.migrations as [Script];
    await db.sql(begun(first.name));
    await migrate(db.url);
    const { stdout } = await runTypeScript('database/processes/prisma-migrate.ts', ['status', db.url]);
    expect(JSON.parse(stdout)).toMatchObject({ editedMigrationNames: [], failedMigrationNames: [], history: null });
    await db.drop();
  });

  it('is left as it is if the script was committed, until it is resolved as applied', async () => {
    const db = await migrations.clone();
    const [first] = scripts.migrations as [Script];
    await db.sql(first.sql);
    await db.sql(begun(first.name));
    const before = await describeSchema(db.sql);
    await expect(migrate(db.url)).rejects.toThrow(`(migration ${first.name}, which changed nothing)`);
    expect(await describeSchema(db.sql)).toEqual(before);
    // As `prisma migrate resolve --applied` does.
    await db.sql(`UPDATE _prisma_migrations SET finished_at = now(), checksum = '${first.checksum}'`);
    await migrate(db.url);
    expect(await stateOf(db.sql)).toEqual(straight);
    await db.drop();
  });
});

it('a crash of PostgreSQL at the COMMIT of a migration is repaired by the next run', async () => {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'catalog-crash-'));
  const server = await startEmbeddedPostgres({ dataDirectory, log: () => undefined, durable: false });
  const { straight: uninterrupted, clone, drop } = await createPausingMigrations(server.url);
  // Every third, from the end.
  const tried = scripts.migrations.filter((_, index, { length }) => (length - 1 - index) % 3 === 0);
  for (const { name } of tried) {
    const db = await clone();
    await db.pauseAt({ migration: name, at: 'commit' });
    const child = spawnTypeScript('database/processes/migrate.ts', [db.url]);
    process.kill(await db.untilPaused(), 'SIGKILL');
    await once(child, 'close');
    while (!(await isUp(db.sql))) await delay(50);
    await db.sql('DELETE FROM moments.pause');
    await migrate(db.url);
    expect(await stateOf(db.sql)).toEqual(await stateOf(uninterrupted.sql));
    await db.drop();
  }
  await drop();
  await server.stop();
});

const isUp = (sql: Sql): Promise<boolean> =>
  sql('SELECT').then(
    () => true,
    () => false,
  );
