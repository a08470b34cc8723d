import { Client } from 'pg';
import { commands } from '../../src/cli/commands';
import { runCli } from '../../src/cli/run-cli';
import type { RoleLogins } from '../deploy/role-logins';
import { createRoleLogins } from '../deploy/role-logins';
import { seedApiKey, seedProduct, seedShop, seedVariant } from '../support/seed';
import type { TestDatabase } from '../support/test-database';
import { createTestDatabase } from '../support/test-database';

let db: TestDatabase;
let logins: RoleLogins;
let shopId: string;
let clientId: string;
const shop = 'a.example';

beforeAll(async () => {
  db = await createTestDatabase();
  logins = await createRoleLogins(db);
  shopId = await seedShop(db.sql, { domain: shop });
  await seedVariant(db.sql, shopId, await seedProduct(db.sql, shopId));
  // So that there is something to repair.
  const session = await db.connect();
  await session.query(
    "BEGIN; SET LOCAL session_replication_role = replica; UPDATE variants SET price = '0.01'; COMMIT",
  );
});
beforeEach(async () => {
  ({ clientId } = await seedApiKey(db.sql, shopId));
});
afterAll(async () => {
  await logins.drop();
  await db.drop();
});

/** Every administrative command that uses the database, with its login. ingest/waiting.slow.test.ts covers imports. */
const tried: readonly (readonly [words: () => string[], login: 'catalog_admin' | 'the owner'])[] = [
  [() => ['migrate'], 'the owner'],
  [() => ['shop', 'create', '--domain', `new-${Math.random().toString(36).slice(2)}.example`], 'catalog_admin'],
  [() => ['shop', 'set', shop, '--product-limit', '7'], 'catalog_admin'],
  [() => ['shop', 'list'], 'catalog_admin'],
  [() => ['key', 'create', '--shop', shop, '--scope', 'catalog:read'], 'catalog_admin'],
  [() => ['key', 'list', '--shop', shop], 'catalog_admin'],
  [() => ['key', 'rotate', clientId], 'catalog_admin'],
  [() => ['key', 'usage', '--shop', shop], 'catalog_admin'],
  [() => ['check', '--shop', shop], 'the owner'],
  [() => ['check', '--shop', shop, '--repair'], 'the owner'],
  [() => ['key', 'revoke', clientId], 'catalog_admin'],
];
// Includes commands that need Citus.
const alone = new Set(['serve', 'mcp', 'gateway', 'compose', 'subgraph check', 'formats', 'import', 'pull woocommerce', 'pull shopify', 'export', 'distribute']); // prettier-ignore

async function run(words: readonly string[], login: 'catalog_admin' | 'the owner', lockTimeoutMilliseconds: number) {
  const before = { ...process.env };
  const said = { stdout: '', stderr: '' };
  try {
    process.env = { ...before, DATABASE_URL: login === 'the owner' ? db.url : logins.url(login) };
    const exitCode = await runCli(
      words,
      {
        stdout: { write: (text: string) => (said.stdout += text) },
        stderr: { write: (text: string) => (said.stderr += text) },
      },
      { lockTimeoutMilliseconds },
    );
    return { exitCode, ...said };
  } finally {
    process.env = before;
  }
}

/** Takes and keeps each of these locks that PostgreSQL grants to the login. */
async function hold(url: string, statements: readonly string[]): Promise<{ client: Client; taken: string[] }> {
  const client = new Client({ connectionString: url, application_name: 'a stuck session' });
  await client.connect();
  await client.query('BEGIN');
  const taken: string[] = [];
  for (const statement of statements) {
    await client.query('SAVEPOINT s');
    try {
      await client.query(statement);
      taken.push(statement);
    } catch {
      await client.query('ROLLBACK TO SAVEPOINT s');
    }
  }
  return { client, taken };
}

/** Every lock that can block others: tables (strongest mode first), rows, and the lock of migrations. */
async function everyLock(): Promise<string[]> {
  const tables = await db.sql<{ name: string }>(
    `SELECT oid::regclass::text AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 1`,
  );
  const modes = ['ACCESS EXCLUSIVE', 'ROW EXCLUSIVE', 'ACCESS SHARE'];
  return [
    ...tables.flatMap(({ name }) => [
      ...modes.map((mode) => `LOCK TABLE ${name} IN ${mode} MODE`),
      `SELECT FROM ${name} FOR UPDATE`,
    ]),
    'SELECT pg_advisory_xact_lock(72707369)',
  ];
}

describe('administration', () => {
  it('is tried with every command that uses the database', () => {
    const texts = tried.map(([words]) => words().join(' '));
    const names = commands.map(({ name }) => name).filter((name) => !alone.has(name));
    expect(names.filter((name) => !texts.some((text) => text.startsWith(name)))).toEqual([]);
  });

  it("waits for no lock that the service's login can take", async () => {
    const { client, taken } = await hold(logins.url('catalog_reader'), await everyLock());
    try {
      expect(taken).toContain('SELECT pg_advisory_xact_lock(72707369)');
      for (const [words, login] of tried) {
        const { exitCode, stderr } = await run(words(), login, 20_000);
        const hasFound = words().join(' ') === `check --shop ${shop}`;
        expect({ words: words(), exitCode, stderr }).toMatchObject({ exitCode: hasFound ? 1 : 0 });
        expect(stderr).not.toContain('waiting');
      }
    } finally {
      await client.end();
    }
  });

  it('ends in time when another login holds a lock it needs, and names the session', async () => {
    const { client, taken } = await hold(logins.url('catalog_writer'), await everyLock());
    const { rows } = await client.query<{ pid: number; login: string }>(
      'SELECT pg_backend_pid() AS pid, current_user AS login',
    );
    const [{ pid, login: holder } = { pid: 0, login: '' }] = rows;
    const session = `pid ${pid} \\(application_name "a stuck session", user "${holder}",? [^)]*\\)`;
    const refusal = new RegExp(
      `^(waiting for a lock held by ${session}\\n)+The (command|check) timed out waiting for a lock held by ${session}\\. ` +
        'The transaction was rolled back\\. Wait until the lock is released, or end each session that holds it with pg_terminate_backend\\(pid\\), and run (the command|`catalog check`) again\\.\\n$',
    );
    try {
      expect(taken).toContain('LOCK TABLE shops IN ACCESS EXCLUSIVE MODE');
      const refused: string[] = [];
      for (const [words, login] of tried) {
        const { exitCode, stderr } = await run(words(), login, 6_000);
        const command = words().join(' ');
        if (exitCode !== 0) expect(stderr).toMatch(refusal);
        if (exitCode !== 0) refused.push(command.split(' ').slice(0, 2).join(' '));
      }
      // The other commands need nothing that a writer can lock.
      expect(refused).toEqual([
        'shop create',
        'shop set',
        'shop list',
        'key create',
        'key list',
        'key usage',
        'check --shop',
        'check --shop',
      ]);
    } finally {
      await client.end();
    }
  });
});
