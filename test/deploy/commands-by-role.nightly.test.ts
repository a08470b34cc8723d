import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commands } from '../../src/cli/commands';
import { runCli } from '../../src/cli/run-cli';
import { buildCatalog, createCatalog } from '../cli/run-catalog';
import { createTestDatabase } from '../support/test-database';
import type { TestDatabase } from '../support/test-database';
import type { RoleLogins } from './role-logins';
import { createRoleLogins } from './role-logins';

let database: TestDatabase;
let logins: RoleLogins;
const directory = mkdtempSync(join(tmpdir(), 'catalog-commands-'));
const file = join(directory, 'shop.ndjson');
const at = { created_at: '2026-03-01T10:00:00Z', updated_at: '2026-03-01T10:00:00Z' };
const records = [
  { type: 'product', external_id: 'p', title: 'Cup', ...at, variants: [{ external_id: 'v', price: '4.50', ...at }] },
  { type: 'collection', external_id: 'c', title: 'Cups', published: true },
  { type: 'order', external_id: 'o', order_number: '#1' },
];
const collections = join(directory, 'collections.jsonl');
writeFileSync(
  collections,
  '{"id":"gid://shopify/Collection/3","title":"Cups","handle":"cups","productsSelected":"Collection"}\n',
);
writeFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''));

beforeAll(async () => {
  buildCatalog();
  database = await createTestDatabase();
  logins = await createRoleLogins(database);
  await database.sql(`CREATE ROLE ${logins.name('catalog_reader')}_none LOGIN PASSWORD 'secret'`);
});
afterAll(async () => {
  await database.sql(`DROP ROLE ${logins.name('catalog_reader')}_none`);
  await logins.drop();
  await database.drop();
});

const roles = ['the owner', 'catalog_admin', 'catalog_writer', 'catalog_reader', 'no role'] as const;
type Role = (typeof roles)[number];

/** The login's name, and its URL. */
const urlOf = (role: Role): string =>
  role === 'the owner'
    ? database.url
    : role === 'no role'
      ? Object.assign(new URL(database.url), {
          username: `${logins.name('catalog_reader')}_none`,
          password: 'secret',
        }).href
      : logins.url(role);

const owner = new Set<Role>(['the owner']);
const admin = new Set<Role>(['the owner', 'catalog_admin']);
const writer = new Set<Role>(['the owner', 'catalog_admin', 'catalog_writer']);
const reader = new Set<Role>(['the owner', 'catalog_admin', 'catalog_writer', 'catalog_reader']);

/**
 * The arguments of each command that uses a database, in an order in which they succeed, and the logins that may run
 * it. All other logins are refused. roles.slow.test.ts covers `catalog serve`.
 */
const tried: readonly (readonly [name: string, may: ReadonlySet<Role>, words: (shop: string) => string[]])[] = [
  ['migrate', reader, () => []],
  ['shop create', writer, (shop) => ['--domain', shop]],
  ['shop set', writer, (shop) => [shop, '--product-limit', '5']],
  ['shop list', reader, () => []],
  ['import', writer, (shop) => [file, collections, '--shop', shop]],
  ['import', writer, (shop) => [file, collections, '--shop', shop, '--replace']],
  ['export', new Set<Role>(['the owner', 'catalog_reader']), (shop) => ['--shop', shop]],
  ['key create', admin, (shop) => ['--shop', shop, '--scope', 'catalog:read']],
  ['key list', new Set<Role>([...admin, 'catalog_reader']), (shop) => ['--shop', shop]],
  ['key usage', new Set<Role>([...admin, 'catalog_reader']), (shop) => ['--shop', shop]],
  ['key rotate', admin, () => [clientId, '--overlap', '1h']],
  ['key revoke', admin, () => [clientId]],
  ['check', owner, (shop) => ['--shop', shop]],
];

// `distribute` needs Citus. A pull writes as an import does.
const alone = new Set(['serve', 'mcp', 'gateway', 'compose', 'subgraph check', 'formats', 'distribute', 'pull woocommerce', 'pull shopify']); // prettier-ignore

/**
 * The end of the error message: the login that the command needs. What every command reads first has one sentence for
 * all.
 */
const toNeeded = (name: string): RegExp => {
  const login = commands.find((command) => command.name === name)?.login ?? '';
  return new RegExp(
    `\\. (\`catalog ${name}\` must connect as (a member of )?${login}|The service and every command must connect as a member of one of the catalog roles) \\(docs/deploy/roles\\.sql\\)\\.$`,
  );
};

/** The key that was created last. */
let clientId = '';

/** It loads more of the program at run time, which Jest cannot do. */
const inProcesses = new Set(['import', 'export']);

async function run(words: readonly string[], environment: Readonly<Record<string, string>>) {
  if (inProcesses.has(words[0] ?? '')) return createCatalog(environment['DATABASE_URL'] ?? '', environment)(...words);
  const before = { ...process.env };
  const said = { stdout: '', stderr: '' };
  try {
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, environment);
    const exitCode = await runCli(words, {
      stdout: { write: (text: string) => (said.stdout += text) },
      stderr: { write: (text: string) => (said.stderr += text) },
    });
    return { exitCode, ...said };
  } finally {
    Object.assign(process.env, before);
  }
}

it('names the login that each command needs, and only logins that may run it', () => {
  for (const [name, may] of tried) {
    const login = commands.find((command) => command.name === name)?.login ?? '';
    const named =
      login === 'one of the roles' ? [...reader] : login.replace('the owner of the tables', 'the owner').split(' or ');
    expect({ name, named: named.filter((role) => !may.has(role as Role)) }).toEqual({ name, named: [] });
    expect({ name, count: named.length }).not.toEqual({ name, count: 0 });
  }
});

it('tries every command that uses a database', () => {
  const named = new Set(tried.map(([name]) => name));
  expect([...named, ...alone].sort()).toEqual(commands.map(({ name }) => name).sort());
});

describe.each(roles)('%s', (role) => {
  it.each(['production', 'development'])(
    'runs the commands of its role with NODE_ENV=%s and no other setting, and reports privileges that it lacks',
    async (environment) => {
      const shop = `${roles.indexOf(role)}-${environment}.example`;
      const problems: string[] = [];
      const outcome = (name: string, words: readonly string[], url: string) =>
        run([...name.split(' '), ...words], {
          NODE_ENV: environment,
          DATABASE_URL: url,
          DATA_DIR: join(directory, 'data'),
          // The cursor at the end of an export.
          ...(name === 'export' ? { CURSOR_SECRET: 'x'.repeat(32) } : {}),
        });
      for (const [name, may, words] of tried) {
        const finished = await outcome(name, words(shop), urlOf(role));
        const login = new URL(urlOf(role)).username;
        // A slow machine may first report that it is waiting for the database.
        const last = finished.stderr.trimEnd().split('\n').at(-1) ?? '';
        const isRefusal =
          last.startsWith(`The DATABASE_URL role ${login} is missing a privilege: permission denied for `) &&
          toNeeded(name).test(last);
        const isRight = may.has(role) ? finished.exitCode === 0 : finished.exitCode === 1 && isRefusal;
        if (!isRight) problems.push(`${name}: ${JSON.stringify(finished)}`);
        // Later commands need whatever this role may not create.
        if (name === 'shop create' && !may.has(role)) await outcome(name, words(shop), urlOf('the owner'));
        if (name !== 'key create') continue;
        const made = may.has(role) ? finished : await outcome(name, words(shop), urlOf('the owner'));
        clientId = /client_id +(\S+)/.exec(made.stdout)?.[1] ?? '';
      }
      expect(problems).toEqual([]);
    },
  );
});
