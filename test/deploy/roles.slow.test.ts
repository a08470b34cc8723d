import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import type { App } from '../../src/http/server/open-server';
import type { Database } from '../../src/database/database';
import { migrate } from '../../src/database/migrate';
import { openDatabase } from '../../src/database/open-database';
import { loadConfig } from '../../src/config/config';
import { provideDatabase } from '../../src/database/provide-database';
import { provideEverything } from '../../src/process/provide-everything';
import { buildCatalog, createCatalog } from '../cli/run-catalog';
import { startApp } from '../support/app';
import { askGraphql } from '../support/graphql-client';
import { createMemoryLog } from '../support/memory-log';
import { createRestClient, exchange, mintToken } from '../support/rest-client';
import { seedApiKey, seedCollection, seedOrder, seedProduct, seedShop, seedVariant } from '../support/seed';
import type { SeededKey } from '../support/seed';
import type { TestDatabase } from '../support/test-database';
import { createTestDatabase, patientLimits } from '../support/test-database';
import { testSecrets } from '../support/test-signing-keys';
import type { RoleLogins } from './role-logins';
import { createRoleLogins, readRolesScript } from './role-logins';

let testDatabase: TestDatabase;
let logins: RoleLogins;
let shopId: string;
let productId: string;
let key: SeededKey;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  logins = await createRoleLogins(testDatabase);
  shopId = await seedShop(testDatabase.sql, { domain: 'roles.example' });
  productId = await seedProduct(testDatabase.sql, shopId);
  await seedVariant(testDatabase.sql, shopId, productId);
  await seedCollection(testDatabase.sql, shopId);
  await seedOrder(testDatabase.sql, shopId);
  key = await seedApiKey(testDatabase.sql, shopId);
});

afterAll(async () => {
  await logins.drop();
  await testDatabase.drop();
});

describe('docs/deploy/roles.sql', () => {
  it('run by an owner who is not a superuser, lists what stays open and changes nothing until a superuser has run it once', async () => {
    const suffix = randomUUID().slice(0, 8);
    const owner = `catalog_owner_${suffix}`;
    const [name, script] = [`catalog_owned_${suffix}`, readRolesScript(suffix)];
    await testDatabase.sql(`CREATE ROLE ${owner} LOGIN CREATEROLE PASSWORD 'secret'`);
    await testDatabase.sql(`CREATE DATABASE ${name} OWNER ${owner} TEMPLATE template0 ENCODING 'UTF8'`);
    const bySuperuser = Object.assign(new URL(testDatabase.url), { pathname: `/${name}` }).href;
    const byOwner = Object.assign(new URL(bySuperuser), { username: owner, password: 'secret' }).href;
    const superuser = new Client({ connectionString: bySuperuser });
    await superuser.connect();
    const runScript = async (url: string, ...before: string[]): Promise<string> => {
      const client = new Client({ connectionString: url });
      await client.connect();
      try {
        for (const statement of [...before, script]) await client.query(statement);
        return 'done';
      } catch (error) {
        return (error as Error).message;
      } finally {
        await client.end();
      }
    };
    try {
      await migrate(byOwner);
      expect(await runScript(byOwner)).toMatch(
        new RegExp(
          `^Nothing was changed: the roles would keep (?:CREATE in the schema public, )?lo_close\\(\\), .*pg_logical_emit_message\\(\\), which ${owner} could not revoke\\. Run this file once as a superuser`,
        ),
      );
      expect(await testDatabase.sql(`SELECT to_regrole('catalog_reader_${suffix}') AS role`)).toEqual([{ role: null }]);
      const accepting = `SET catalog.large_objects = 'accepted'`;
      expect(await runScript(byOwner, accepting)).toBe('done');
      // As in a database created before PostgreSQL 15. The setting does not allow that.
      await superuser.query('ALTER SCHEMA public OWNER TO CURRENT_USER; GRANT CREATE ON SCHEMA public TO PUBLIC');
      expect(await runScript(byOwner, accepting)).toMatch(
        /^Nothing was changed: .* keep CREATE in the schema public, which/,
      );
      expect(await runScript(bySuperuser)).toBe('done');
      expect(await runScript(byOwner)).toBe('done');
      // Privileges granted to PUBLIC are found wherever they are.
      expect(
        await runScript(bySuperuser, `GRANT EXECUTE ON FUNCTION lo_creat(integer) TO catalog_writer_${suffix}`),
      ).toMatch('the roles would keep lo_creat(), which');
    } finally {
      await superuser.end();
      await testDatabase.sql(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      for (const role of ['reader', 'writer', 'admin'])
        await testDatabase.sql(`DROP ROLE IF EXISTS catalog_${role}_${suffix}`);
      await testDatabase.sql(`DROP ROLE ${owner}`);
    }
  });
});

describe('a start in production', () => {
  const warningsOf = async (url: string, settings: Readonly<Record<string, string>> = { NODE_ENV: 'production' }) => {
    const { log, lines } = createMemoryLog();
    const config = loadConfig({
      ...testSecrets,
      PUBLIC_URL: 'https://catalog.example',
      DATABASE_URL: url,
      ...settings,
    });
    await (await provideEverything(config, log)).database.close();
    return lines.filter(({ level }) => level === 40).map(({ msg }) => msg);
  };

  it('warns of a login that owns the tables or may create roles, and of no role of this file', async () => {
    const warning = expect.stringMatching(/owns the tables or can create roles\. Use .* catalog_reader/) as string;
    expect(await warningsOf(testDatabase.url)).toEqual([warning]);
    expect(await warningsOf(testDatabase.url, {})).toEqual([]);
    for (const role of ['catalog_reader', 'catalog_writer', 'catalog_admin'] as const)
      expect([role, await warningsOf(logins.url(role))]).toEqual([role, []]);
    const reader = logins.url('catalog_reader');
    await testDatabase.sql(`ALTER ROLE ${new URL(reader).username} CREATEROLE`);
    expect(await warningsOf(reader)).toEqual([warning]);
    await testDatabase.sql(`ALTER ROLE ${new URL(reader).username} NOCREATEROLE`);
  });
});

beforeAll(buildCatalog);

describe('the service as catalog_reader', () => {
  let database: Database;
  let app: App;
  let origin: string;

  beforeAll(async () => {
    const url = logins.url('catalog_reader');
    database = openDatabase({ url, poolSize: 2, ...patientLimits });
    ({ app, origin } = await startApp({ database }, { NODE_ENV: 'production', PUBLIC_URL: 'https://api.example.com' }));
  });

  afterAll(() => database.close());

  it('serves every operation, GraphQL and tokens, and records when a key was used', async () => {
    const client = createRestClient(origin, key.apiKey);
    const paths = [
      '/shop',
      '/products?q=mug',
      '/products?tag=kitchen',
      `/products/${productId}`,
      '/collections?published=true',
      '/orders',
    ];
    const answers = await Promise.all(paths.map((path) => client.get(path)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);

    const { data } = await askGraphql(
      origin,
      await mintToken(origin, key),
      `{ products(first: 1, sortKey: TITLE) { totalCount nodes { id variants { id } } } orders { totalCount } shop { changesCursor orderFigures { totals { count } } productFigures { outOfStock vendors { none } } } changes(first: 200) { nodes { id } } }`,
    );
    expect(data).toMatchObject({
      products: { totalCount: 1 },
      orders: { totalCount: 1 },
      changes: { nodes: { length: 4 } },
    });

    expect((await exchange(origin, '/readyz', {})).status).toBe(200);
    await app.close(0);
    const [row] = await testDatabase.sql<{ used: boolean }>('SELECT requests > 0 AS used FROM key_usage');
    expect(row).toEqual({ used: true });
  });

  it('starts on a database that is up to date, without a right to migrate', async () => {
    const lines: string[] = [];
    const config = { databaseUrl: logins.url('catalog_reader'), databasePoolSize: 1, dataDir: '/nonexistent' };
    const provided = await provideDatabase(config, { log: (line) => lines.push(line) });
    await provided.close();
    expect({ embedded: provided.embedded, lines }).toEqual({ embedded: false, lines: [] });
  });

  it('does not start, and changes nothing, when a migration is missing', async () => {
    const behind = await createTestDatabase();
    const behindLogins = await createRoleLogins(behind);
    try {
      await behind.sql('DELETE FROM _prisma_migrations');
      const catalog = createCatalog(behindLogins.url('catalog_reader'), { PORT: '0' });
      expect(await catalog('serve')).toMatchObject({
        exitCode: 1,
        stdout: '',
        stderr: expect.stringMatching(/pending: 20261125000000_shops, .*Run `catalog migrate`/) as string,
      });
      expect(await behind.sql('SELECT 1 FROM _prisma_migrations')).toEqual([]);
    } finally {
      await behindLogins.drop();
      await behind.drop();
    }
  });
});
