import { Client } from 'pg';
import type { RoleLogins } from '../deploy/role-logins';
import { createRoleLogins } from '../deploy/role-logins';
import { seedProduct, seedShop, seedVariant } from '../support/seed';
import type { TestDatabase } from '../support/test-database';
import { createTestDatabase } from '../support/test-database';
import { hostileSchema } from '../model/writer-session';

let db: TestDatabase;
let logins: RoleLogins;
let shopId: string;
let productId: string;

beforeAll(async () => {
  db = await createTestDatabase();
  logins = await createRoleLogins(db);
  await db.sql(hostileSchema);
  shopId = await seedShop(db.sql, { product_limit: 2 });
  for (let count = 0; count < 3; count += 1) {
    productId = await seedProduct(db.sql, shopId);
    await seedVariant(db.sql, shopId, productId);
  }
});
afterAll(async () => {
  await logins.drop();
  await db.drop();
});

/** Runs the statements in one session of the role and rolls them back. @returns the rows of the last one */
async function runAs(role: 'catalog_writer' | 'catalog_reader', ...statements: string[]): Promise<unknown[]> {
  const client = new Client({ connectionString: logins.url(role) });
  await client.connect();
  try {
    await client.query('BEGIN');
    let rows: unknown[] = [];
    for (const statement of statements) rows = (await client.query<Record<string, unknown>>(statement)).rows;
    return rows;
  } finally {
    await client.end();
  }
}

interface Routine {
  readonly name: string;
  readonly body: string;
  readonly has_path: boolean;
  readonly is_bound: boolean;
  readonly is_definer: boolean;
  readonly for_all: boolean;
  readonly is_public: boolean;
}
const readRoutines = () =>
  db.sql<Routine>(`
    SELECT p.proname AS name, p.prosrc AS body, p.prosqlbody IS NOT NULL AS is_bound, p.prosecdef AS is_definer,
           coalesce('search_path=pg_catalog, pg_temp' = ANY (p.proconfig), false) AS has_path,
           has_function_privilege('${logins.name('catalog_reader')}', p.oid, 'EXECUTE') AS for_all,
           has_function_privilege('public', p.oid, 'EXECUTE') AS is_public
      FROM pg_proc AS p
     WHERE p.pronamespace = 'public'::regnamespace
       AND NOT EXISTS (SELECT FROM pg_depend AS d WHERE d.objid = p.oid AND d.deptype = 'e')`);

/** Words before a parenthesis that are not functions. COALESCE, unlike NULLIF, looks up no operator. */
const words = [
  'as',
  'row',
  'values',
  'from',
  'when',
  'if',
  'and',
  'array',
  'select',
  'exists',
  'return',
  'in',
  'coalesce',
];

/** Calls and operators in a function's body that depend on the search path. */
function findUnqualified(body: string): string[] {
  const code = body
    .replaceAll(/--.*$|\/\*\w+\*\//gm, '')
    .replaceAll(/'(?:[^']|'')*'/g, "''")
    .replaceAll(/OPERATOR\(pg_catalog\.[^)]+\)/g, ' ')
    .replaceAll(/::pg_catalog\.|::public\./g, ' ')
    .replaceAll("U&''", "''")
    .replaceAll(':=', ';');
  const calls = [...code.matchAll(/(?<![\w."])([a-z_]\w*)\s*\(/gi)].map(([, name = '']) => name);
  const aliases = [...code.matchAll(/\bAS\s+(\w+)\s*\(/gi)].map(([, name = '']) => name);
  const casts = [...code.matchAll(/::\s*\w+/g)].map(([cast]) => cast);
  const operators =
    code.match(/[-+*/<>=~!@#%^&|`?]+|\b(?:IN(?! ARRAY\b)|LIKE|IS DISTINCT FROM|BETWEEN|NULLIF)\b/g) ?? [];
  const tables = [...code.matchAll(/\b(?:FROM|JOIN|UPDATE|INTO)\s+(?!pg_catalog\.|public\.)([a-z_]\w*)/g)].map(
    ([, name = '']) => name,
  );
  return [
    ...calls.filter((name) => !words.includes(name.toLowerCase()) && !aliases.includes(name)),
    ...casts,
    ...operators,
    ...tables,
  ];
}

describe('the functions of the schema', () => {
  it('find no name through the search path of a session', async () => {
    const routines = await readRoutines();
    expect(routines.length).toBeGreaterThan(20);
    const open = routines
      .filter(({ has_path, is_bound }) => !has_path && !is_bound)
      .map(({ name, body }) => ({ name, unqualified: findUnqualified(body) }))
      .filter(({ unqualified }) => unqualified.length > 0);
    expect(open).toEqual([]);
  });

  it('the check detects calls, operators, casts and tables without a schema', () => {
    expect(findUnqualified(`BEGIN RETURN lower(a); END`)).toEqual(['lower']);
    expect(findUnqualified(`BEGIN RETURN a || 'x'; END`)).toEqual(['||']);
    expect(findUnqualified(`BEGIN RETURN a::text; END`)).toEqual(['::text']);
    expect(findUnqualified(`BEGIN PERFORM FROM shops; END`)).toEqual(['shops']);
  });

  it('mention catalog, extensions and temporary tables only in their search path', async () => {
    const [row] = await db.sql(
      `SELECT count(*)::integer AS n FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND proname LIKE 'catalog%'
          AND EXISTS (SELECT FROM unnest(proconfig) AS c WHERE c LIKE 'search_path%' AND c <> 'search_path=pg_catalog, pg_temp')`,
    );
    expect(row).toEqual({ n: 0 });
  });

  it('that run as their owner are only for triggers, except the one by which the service counts key usage', async () => {
    const all = await readRoutines();
    // It only adds to rows of existing keys (test/auth/usage-counter.test.ts), and only the service may call it
    // (test/deploy/beyond-reading.slow.test.ts).
    const routines = all.filter(({ name }) => name !== 'catalog_add_usage');
    expect(routines).toHaveLength(all.length - 1);
    expect(routines.filter(({ is_definer, for_all }) => is_definer && for_all)).toEqual([]);
    // triggers.test.ts lists them.
    expect(routines.filter(({ for_all, is_public }) => for_all !== is_public)).toEqual([]);
  });
});

describe('a writer', () => {
  it.each([
    'products_inserted',
    'products_updated',
    'products_deleted',
    'variants_inserted',
    'shop_written',
    'truncated',
  ])('cannot attach catalog_%s to a table of its own', async (name) => {
    await expect(
      runAs(
        'catalog_writer',
        'CREATE TEMPORARY TABLE own (LIKE public.products)',
        `CREATE TRIGGER forged AFTER INSERT ON own FOR EACH STATEMENT EXECUTE FUNCTION public.catalog_${name}()`,
      ),
    ).rejects.toMatchObject({ code: '42501' });
  });

  it.each([
    `SELECT public.catalog_move_visible('00000000-0000-0000-0000-000000000000', 5, 5)`,
    `SELECT public.catalog_place_visible('00000000-0000-0000-0000-000000000000', 5, 5, 5)`,
    `SELECT public.catalog_touch_shops('{}')`,
    `SELECT public.catalog_remove_tags('{}', '{}', '{}', '{}')`,
    `UPDATE visible_sets SET live_count = 5`,
    `SELECT derivation_secret FROM visible_sets`,
    `UPDATE visible_sets SET derivation_secret = gen_random_uuid()`,
    `INSERT INTO product_tags SELECT shop_id, 'x', created_at, id FROM products`,
    `DELETE FROM product_tags`,
    `SELECT status FROM product_terms`,
    `UPDATE product_terms SET search_text = ''`,
    `SELECT public.catalog_remove_terms('{}', '{}')`,
    `DELETE FROM changes`,
    `UPDATE changes SET version = 0`,
    `INSERT INTO changes (shop_id, kind, id, version) SELECT shop_id, 1, id, 0 FROM products`,
    `UPDATE visible_moves SET from_at = '-infinity'`,
    `UPDATE change_epochs SET epoch = gen_random_uuid()`,
    `SELECT catalog_restart_changes()`,
    `DELETE FROM order_figures`,
    `UPDATE order_figures SET orders = 0`,
    `SELECT catalog_add_order_figures('{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}')`,
  ])('may not %s', async (statement) => {
    await expect(runAs('catalog_writer', statement)).rejects.toMatchObject({ code: '42501' });
  });

  it('keeps counts and the visible set correct despite its own temporary tables', async () => {
    const [shop] = await runAs(
      'catalog_writer',
      'CREATE TEMPORARY TABLE products (LIKE public.products)',
      'CREATE TEMPORARY TABLE variants (LIKE public.variants)',
      'CREATE TEMPORARY TABLE shops (LIKE public.shops)',
      `INSERT INTO public.variants (shop_id, product_id, external_id, price, created_at, updated_at)
       SELECT shop_id, id, 'another', '1.00', now(), now() FROM public.products`,
      `UPDATE public.products SET deleted_at = now() WHERE id = (SELECT id FROM public.products ORDER BY created_at LIMIT 1)`,
      `SELECT s.live_product_count::integer AS live,
              (SELECT count(*)::integer FROM public.products AS p WHERE p.deleted_at IS NULL
                  AND (p.created_at, p.id) <= (s.visible_until_at, s.visible_until_id)) AS visible,
              (SELECT min(variant_count) FROM public.products) AS variants
         FROM public.shops AS s`,
    );
    expect(shop).toEqual({ live: 2, visible: 2, variants: 2 });
  });

  it('cannot make stored values call its own functions', async () => {
    const read = `SELECT rest_json, search_text FROM public.products WHERE id = '${productId}'`;
    const [plain] = await runAs('catalog_writer', `UPDATE public.products SET title = 'Same'`, read);
    const [hostile] = await runAs(
      'catalog_writer',
      'SET search_path = evil, pg_catalog, public',
      `UPDATE public.products SET title = 'Same'`,
      'SET search_path = public',
      read,
    );
    expect(hostile).toEqual(plain);
  });

  it('cannot set derived columns from a trigger of its own', async () => {
    const read = `SELECT live_product_count, visible_until_at, visible_until_id FROM public.shops WHERE shop_id = '${shopId}'`;
    const before = await runAs('catalog_writer', read);
    const after = await runAs(
      'catalog_writer',
      'CREATE TEMPORARY TABLE own (n integer)',
      `CREATE FUNCTION pg_temp.meddle() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         UPDATE public.shops SET live_product_count = 99, visible_until_at = 'infinity', data_version = 1;
         UPDATE public.products SET variant_count = 99, min_price = '0', max_price = '0';
         RETURN NEW; END $$`,
      'CREATE TRIGGER meddle BEFORE INSERT ON own FOR EACH ROW EXECUTE FUNCTION pg_temp.meddle()',
      'INSERT INTO own VALUES (1)',
      read,
    );
    expect(after).toEqual(before);
  });

  it.each(['', ' ', 'guessed', '{}', '%', "' OR true OR '"])(
    'cannot store its own values as derived ones with the setting %j',
    async (guess) => {
      const [product] = await runAs(
        'catalog_writer',
        `SELECT set_config('catalog.deriving', '${guess.replaceAll("'", "''")}', false)`,
        `UPDATE public.products SET variant_count = 99, min_price = '0', max_price = '0', tags = '{mine}', deleted_at = now()`,
        `SELECT p.variant_count, p.min_price, s.live_product_count::integer AS live,
                (SELECT count(*)::integer FROM public.product_tags) AS tags
           FROM public.products AS p JOIN public.shops AS s USING (shop_id) WHERE p.id = '${productId}'`,
      );
      expect(product).toEqual({ variant_count: 1, min_price: '19.90', live: 0, tags: 0 });
    },
  );

  it.each([
    ['after a price', `UPDATE public.variants SET price = '3.00'`],
    ['after values that it made up', `UPDATE public.products SET variant_count = 99`],
    [
      'after a correction that was rolled back',
      `DO $$ BEGIN
         UPDATE public.variants SET inventory_quantity = 9007199254740991;
         PERFORM 1 / 0;
       EXCEPTION WHEN division_by_zero THEN NULL; END $$`,
    ],
  ])('does not find the secret in its session %s', async (_, statement) => {
    const [row] = await runAs(
      'catalog_writer',
      statement,
      `SELECT coalesce(current_setting('catalog.deriving', true), '') AS found`,
    );
    expect(row).toEqual({ found: '' });
  });

  it('has its values corrected again if it overwrites a correction in the same transaction', async () => {
    const [product] = await runAs(
      'catalog_writer',
      `UPDATE public.variants SET price = '3.00'`,
      `UPDATE public.products SET variant_count = 99, min_price = '0', max_price = '0'`,
      `SELECT variant_count, min_price FROM public.products WHERE id = '${productId}'`,
    );
    expect(product).toEqual({ variant_count: 1, min_price: '3.00' });
  });
});
