import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sessionSettings } from '../../src/config/connection-target';
import { rawSql } from '../../src/database/sql';
import { openDatabase } from '../../src/database/open-database';
import { provideDatabase } from '../../src/database/provide-database';
import type { RoleLogins } from '../deploy/role-logins';
import { createRoleLogins } from '../deploy/role-logins';
import { startApp } from '../support/app';
import { askGraphql } from '../support/graphql-client';
import { untilWaiting, whileLocked } from '../support/locked-table';
import type { Pooler } from '../support/pgbouncer';
import { poolerMissing, startPooler } from '../support/pgbouncer';
import { exchange } from '../support/rest-client';
import { seedApiKey, seedProduct, seedShop, seedVariant } from '../support/seed';
import type { TestDatabase } from '../support/test-database';
import { createTestDatabase, patientLimits } from '../support/test-database';

const script = readFileSync(join(__dirname, '../../docs/deploy/pooler-settings.sql'), 'utf8');

it('docs/deploy/pooler-settings.sql gives a login what the service sets for its sessions', () => {
  const given = [...script.matchAll(/^ALTER ROLE :"login" SET (\w+) = '(.*)';$/gm)].map(([, name, value]) => [
    name,
    value,
  ]);
  expect(Object.fromEntries(given)).toEqual({ ...sessionSettings, statement_timeout: '1200ms' });
});

if (poolerMissing !== undefined) console.log(`A pooler is not tried: ${poolerMissing}.`);

(poolerMissing === undefined ? describe : describe.skip)('behind PgBouncer in transaction mode', () => {
  let db: TestDatabase;
  let logins: RoleLogins;
  const poolers: Pooler[] = [];

  const start = async (settings: Readonly<Record<string, string | number>> = {}) => {
    const pooler = await startPooler(logins.url('catalog_reader'), settings);
    poolers.push(pooler);
    return pooler.url;
  };
  const declared = (url: string) => `${url}?pgbouncer=true`;
  const provide = (url: string) =>
    provideDatabase(
      { databaseUrl: url, databasePoolSize: 2, dataDir: '/nonexistent' },
      { log: () => undefined, waitMilliseconds: 0 },
    );
  const carrySettings = async (how: 'SET' | 'RESET') => {
    const login = new URL(logins.url('catalog_reader')).username;
    const given = script.replaceAll(':"login"', login);
    await db.sql(how === 'SET' ? given : `ALTER ROLE ${login} RESET ALL`);
  };

  beforeAll(async () => {
    db = await createTestDatabase();
    logins = await createRoleLogins(db);
    await carrySettings('SET');
  });
  afterAll(async () => {
    for (const pooler of poolers) await pooler.stop();
    await logins.drop();
    await db.drop();
  });

  it('starts when the pooler is declared, and otherwise asks to declare it', async () => {
    const url = await start();
    const database = await provide(declared(url));
    await database.close();
    await expect(provide(url)).rejects.toThrow('DATABASE_URL needs the parameter pgbouncer=true');
  });

  it('rejects a pooler that does not pass prepared statements on', async () => {
    const url = await start({ max_prepared_statements: 0 });
    await expect(provide(declared(url))).rejects.toThrow('PgBouncer 1.21 or newer');
  });

  it('rejects a login that does not have the settings, and lists them', async () => {
    await carrySettings('RESET');
    try {
      const refusal = provide(declared(await start()));
      await expect(refusal).rejects.toThrow("plan_cache_mode = 'force_generic_plan'");
      await expect(refusal).rejects.toThrow("statement_timeout = '1200ms'");
    } finally {
      await carrySettings('SET');
    }
  });

  it('forgets statements of clients whose names were reclaimed', async () => {
    const statementNames = 6;
    const database = openDatabase({ url: declared(await start()), poolSize: 6, statementNames, ...patientLimits });
    const cancellation = { endReason: undefined, onEnd: () => () => undefined };
    const read = (index: number) =>
      database.readRows(rawSql(`SELECT ${index % 30} AS n`), cancellation, {
        shopId: `shop ${index % 7}`,
        dataVersions: ['1'],
      });
    try {
      for (let round = 0; round < 10; round += 1) {
        const rows = await Promise.all(Array.from({ length: 60 }, (_, index) => read(index * (round + 1))));
        expect(rows).toEqual(rows.map((_, index) => [[(index * (round + 1)) % 30]]));
      }
    } finally {
      await database.close();
    }
  });

  it('returns the right rows, whichever connection of two a transaction gets, while rows are written', async () => {
    const database = openDatabase({ url: declared(await start()), poolSize: 10, ...patientLimits });
    const { app, origin } = await startApp(
      { database },
      { RATE_LIMIT_REQUESTS: '1000000', REQUEST_TIMEOUT_MS: '30000' },
    );
    try {
      const shops = await Promise.all(
        ['Teapot', 'Kettle'].map(async (title) => {
          const shopId = await seedShop(db.sql);
          const product = await seedProduct(db.sql, shopId, { title });
          await seedVariant(db.sql, shopId, product);
          return { title, product, ...(await seedApiKey(db.sql, shopId)) };
        }),
      );
      for (let round = 0; round < 25; round += 1) {
        await db.sql('UPDATE variants SET inventory_quantity = $1', [round]);
        await Promise.all(
          shops.flatMap(({ title, product, apiKey }) => [
            ...['/v1/products', `/v1/products/${product}`, `/v1/products?q=${title}&limit=${round + 1}`].map(
              async (path) => {
                const { status, text } = await exchange(origin, path, {
                  headers: { Authorization: `Bearer ${apiKey}` },
                });
                expect({ path, status, text }).toMatchObject({
                  path,
                  status: 200,
                  text: expect.stringContaining(title) as unknown,
                });
                expect(text).toContain(`"total_stock":${round}`);
              },
            ),
            askGraphql<{ products: unknown }>(
              origin,
              apiKey,
              '{ products { totalCount edges { node { title variants { inventoryQuantity } } } } }',
            ).then(({ data }) =>
              expect(data.products).toEqual({
                totalCount: 1,
                edges: [{ node: { title, variants: [{ inventoryQuantity: round }] } }],
              }),
            ),
          ]),
        );
      }
    } finally {
      await app.close(0);
      await database.close();
    }
  });

  it("ends statements by the login's own limit, so that connections are released", async () => {
    const database = openDatabase({ url: declared(await start()), poolSize: 4 });
    const { app, origin } = await startApp({ database }, { RATE_LIMIT_REQUESTS: '1000000' });
    try {
      const { apiKey } = await seedApiKey(db.sql, await seedShop(db.sql));
      const get = () => exchange(origin, '/v1/products', { headers: { Authorization: `Bearer ${apiKey}` } });
      await whileLocked(db, 'products', async () => {
        const answer = get();
        await untilWaiting(db, 1);
        expect((await answer).status).toBe(503);
        await untilWaiting(db, 0);
      });
      expect((await get()).status).toBe(200);
    } finally {
      await app.close(0);
      await database.close();
    }
  });
});
