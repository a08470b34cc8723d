import type { RoleLogins } from '../deploy/role-logins';
import { createRoleLogins } from '../deploy/role-logins';
import { seedProduct, seedShop, seedVariant } from '../support/seed';
import type { TestDatabase } from '../support/test-database';
import { createTestDatabase } from '../support/test-database';
import { buildCatalog, createCatalog } from './run-catalog';

let db: TestDatabase;
let logins: RoleLogins;
let catalog: ReturnType<typeof createCatalog>;
let shopId: string;
let productId: string;

beforeAll(async () => {
  buildCatalog();
  db = await createTestDatabase();
  logins = await createRoleLogins(db);
  catalog = createCatalog(db.url);
  shopId = await seedShop(db.sql, { domain: 'a.example' });
  await seedShop(db.sql, { domain: 'b.example' });
  productId = await seedProduct(db.sql, shopId);
  await seedVariant(db.sql, shopId, productId, { price: '19.90' });
});
afterAll(async () => {
  await logins.drop();
  await db.drop();
});

/** A price in the same band, so that no figure changes. */
const damage = () =>
  db.sql(`DO $$ BEGIN
    SET LOCAL session_replication_role = replica;
    UPDATE products SET min_price = '12.00';
  END $$`);

describe('catalog check', () => {
  it('ends with 0 if nothing differs', async () => {
    expect(await catalog('check')).toEqual({
      exitCode: 0,
      stdout: '2 shops checked: no differences.\n',
      stderr: 'checking a.example\nchecking b.example\n',
    });
    expect(await catalog('check', '--repair', '--shop', 'a.example', '--json')).toEqual({
      exitCode: 0,
      stdout: '{"ok":true,"repaired":false,"shops":1,"differences":[]}\n',
      stderr: '',
    });
  });

  it('ends with 1 and the differences on standard output, and with 0 when it has repaired them', async () => {
    await damage();
    const text = await catalog('check');
    expect(text.exitCode).toBe(1);
    expect(text.stdout).toBe(
      `a.example: unrecorded_writes, 1 difference
  ${shopId}: expected nothing, got "written without triggers"
a.example: products.min_price, 1 difference
  ${productId}: expected "19.90", got "12.00"
2 shops checked: 2 differences. Run \`catalog check --repair\`.
`,
    );
    const differences = [
      {
        shop: 'a.example',
        kind: 'unrecorded_writes',
        count: 1,
        examples: [{ object: shopId, stored: 'written without triggers', expected: null }],
      },
      {
        shop: 'a.example',
        kind: 'products.min_price',
        count: 1,
        examples: [{ object: productId, stored: '12.00', expected: '19.90' }],
      },
    ];
    const found = await catalog('check', '--json');
    expect({ ...found, stdout: JSON.parse(found.stdout) as unknown }).toEqual({
      exitCode: 1,
      stdout: { ok: false, repaired: false, shops: 2, differences },
      stderr: '',
    });
    expect((await catalog('check', '--shop', 'b.example')).exitCode).toBe(0);
    const repaired = await catalog('check', '--repair', '--json');
    expect({ ...repaired, stdout: JSON.parse(repaired.stdout) as unknown }).toEqual({
      exitCode: 0,
      stdout: { ok: false, repaired: true, shops: 2, differences },
      stderr: '',
    });
    expect((await catalog('check')).exitCode).toBe(0);
  });

  it.each(['catalog_reader', 'catalog_writer', 'catalog_admin'] as const)('needs the owner, not %s', async (role) => {
    const { exitCode, stderr } = await createCatalog(logins.url(role))('check');
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(
      /^The DATABASE_URL role \w+ is missing a privilege: permission denied for table \w+\. `catalog check` must connect as the owner of the tables/m,
    );
  });

  it('runs as an owner who is not a superuser', async () => {
    // The owner of everything in this database, which is what Amazon and Google give their customers.
    const owner = `owner_${productId.slice(0, 8)}`;
    await db.sql(`CREATE ROLE ${owner} LOGIN PASSWORD 'secret'`);
    try {
      await db.sql(`DO $$ DECLARE o record; BEGIN
        FOR o IN SELECT oid::regclass AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' LOOP
          EXECUTE format('ALTER TABLE %s OWNER TO ${owner}', o.name);
        END LOOP;
        FOR o IN SELECT oid::regprocedure AS name FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND proname LIKE 'catalog%' LOOP
          EXECUTE format('ALTER FUNCTION %s OWNER TO ${owner}', o.name);
        END LOOP;
      END $$`);
      await damage();
      const url = Object.assign(new URL(db.url), { username: owner, password: 'secret' }).href;
      expect(await createCatalog(url)('check', '--repair')).toMatchObject({ exitCode: 0 });
      expect(await createCatalog(url)('check')).toMatchObject({ exitCode: 0 });
    } finally {
      await db.sql(`REASSIGN OWNED BY ${owner} TO current_user; DROP OWNED BY ${owner}; DROP ROLE ${owner}`);
    }
  });
});
