import type { Client } from 'pg';
import type { CheckReport } from '../../src/database/derived/check-derived';
import { checkDerived } from '../../src/database/derived/check-derived';
import { Mirror, readTruth } from '../support/mirror';
import { seedCollection, seedOrder, seedProduct, seedShop, seedVariant } from '../support/seed';
import type { Service } from '../support/service';
import { startService } from '../support/service';
import type { ShopFixture } from '../support/shop-fixture';
import { createShop } from '../support/shop-fixture';
import { Random } from '../model/random';
import { runSeed as seed } from '../support/run-seed';
import { readRows as readCases } from '../support/read-rows';

const random = new Random(seed);

let service: Service;
let client: Client;
/** Without a limit, with one, with no visible product, and a shop that is never damaged. */
let shops: ShopFixture[];

/** Every test leaves the shops intact. */
beforeAll(async () => {
  service = await startService({ rateLimit: 1_000_000 });
  client = await service.database.connect();
  shops = [];
  for (const product_limit of [null, 3, 0, 4]) {
    const shop = await createShop(service, { product_limit });
    shops.push(shop);
    for (let count = 0; count < 6; count += 1) {
      const productId = await seedProduct(service.sql, shop.shopId, {
        tags: ['kitchen', 'kitchen', `own ${count}`],
        memberships: ['a', 'b', 'a'].map((id, place) => ({
          collection_external_id: id,
          position: place % 2 ? null : place,
        })),
        deleted_at: count === 4 ? '2026-03-01Z' : null,
      });
      for (const price of ['9.90', '9.9', '12.00', null].slice(count % 3)) {
        await seedVariant(service.sql, shop.shopId, productId, { price });
      }
    }
    for (const seedOne of [seedCollection, seedOrder]) {
      for (let count = 0; count < 3; count += 1) await seedOne(service.sql, shop.shopId);
    }
    // Deleted objects leave a feed entry.
    for (const table of ['products', 'variants', 'collections', 'orders']) {
      await service.sql(
        `DELETE FROM ${table} WHERE id = (SELECT min(id::text)::uuid FROM ${table} WHERE shop_id = $1)`,
        [shop.shopId],
      );
    }
  }
});
afterAll(() => service.close());

const check = (repair = false, domain?: string): Promise<CheckReport> =>
  checkDerived({ url: service.database.url, domain, repair, onShop: () => undefined });

/** Runs statements in a session without triggers. */
async function withoutTriggers(...statements: readonly string[]): Promise<void> {
  await client.query('SET session_replication_role = replica');
  for (const statement of statements) await client.query(statement);
  await client.query('RESET session_replication_role');
}

async function expectUndamaged(): Promise<void> {
  expect({ seed, after: await check() }).toEqual({ seed, after: { shops: shops.length, differences: [] } });
}

/** All rows with the transactions that wrote them. */
async function readRows(): Promise<Map<string, string>> {
  const tables =
    'shops products variants collections orders product_tags collection_products product_terms order_figures visible_sets visible_moves changes change_epochs change_witnesses unrecorded_writes'.split(
      ' ',
    );
  const rows = new Map<string, string>();
  for (const table of tables) {
    const found = await service.sql<{ row: string; xmin: string }>(
      `SELECT t::text AS row, xmin::text FROM ${table} AS t`,
    );
    for (const { row, xmin } of found) rows.set(`${table} ${row}`, xmin);
  }
  return rows;
}

interface Damage {
  readonly what: string;
  /** `{shop}` stands for the shop's id, and `<table:condition>` for the id of one of its rows. */
  readonly sql: string;
  /** Replaces the function of a generated column during the statement, as if an earlier release had written the row. */
  readonly function?: string;
  /** What the check must report. */
  readonly kinds: readonly string[];
  /** What it may report as well, depending on the rows. */
  readonly perhaps?: readonly string[];
  /** Whether the shop needs a product limit. */
  readonly limited?: true;
}

const damages = readCases<Damage>(__dirname, 'damages.json');

function statementOf({ sql, function: name }: Damage, shopId: string): string {
  const statement = sql
    .replaceAll(
      /<(\w+)(?::([^>]*))?>/g,
      (_, table: string, where = 'true') =>
        `(SELECT id FROM ${table} WHERE shop_id = '{shop}' AND ${where as string} ORDER BY md5(id::text || '${random.integer(1e6)}') LIMIT 1)`,
    )
    .replaceAll('{shop}', shopId);
  if (name === undefined) return statement;
  return `DO $$
     DECLARE before text := pg_get_functiondef((SELECT oid FROM pg_proc WHERE proname = '${name}'));
     BEGIN
       EXECUTE regexp_replace(before, 'AS \\$function\\$.*\\$function\\$', 'AS $f$ BEGIN RETURN ''{"old": true}''; END $f$');
       ${statement};
       EXECUTE before;
     END $$`;
}

it('finds nothing and writes nothing if nothing is damaged', async () => {
  const before = await readRows();
  expect(await check(true)).toEqual({ shops: shops.length, differences: [] });
  expect(await readRows()).toEqual(before);
  await expectUndamaged();
});

describe.each(damages.map((damage) => [damage.what, damage] as const))(
  'after damage without triggers: %s',
  (_, damage) => {
    const { kinds, perhaps = [], limited } = damage;
    it('finds it, repairs it and touches no other row; mirrors start again', async () => {
      const damaged = shops[limited ? 1 : random.integer(3)] as ShopFixture;
      const [row] = await service.sql<{ domain: string }>('SELECT domain FROM shops WHERE shop_id = $1', [
        damaged.shopId,
      ]);
      const mirror = new Mirror(service.origin, damaged.apiKey);
      await mirror.drain();
      await withoutTriggers(statementOf(damage, damaged.shopId));
      const before = await readRows();

      const found = await check();
      // Figures depend on most other columns.
      const possible = [...perhaps, 'order_figures', 'unrecorded_writes'].filter((kind) => !kinds.includes(kind));
      const reported = found.differences.filter(({ kind }) => !possible.includes(kind));
      expect({ seed, found: reported.map(({ shop, kind }) => [shop, kind]).sort() }).toEqual({
        seed,
        found: kinds.map((kind) => [row?.domain, kind]).sort(),
      });
      expect(await readRows()).toEqual(before);

      const repaired = await check(true);
      expect(repaired).toEqual(found);
      await expectUndamaged();

      // Everything written belongs to this shop, and either differed or announces the difference.
      const after = await readRows();
      const objects = new Set(
        found.differences.flatMap(({ examples }) => examples.map(({ object }) => object.split(' ').at(-1) ?? '')),
      );
      for (const row of after.keys()) {
        if (before.has(row)) continue;
        expect(row).toContain(damaged.shopId);
        if (/^(products|variants|collections|orders) /.test(row))
          expect([...objects].some((id) => row.includes(id))).toBe(true);
      }

      // It is unknown what else changed, so mirrors of this shop start again.
      await expect(mirror.drain()).rejects.toThrow('RESYNC_REQUIRED');
      mirror.cursor = null;
      mirror.objects.clear();
      await mirror.drain();
      expect({ seed, copy: mirror.state() }).toEqual({ seed, copy: await readTruth(service.sql, damaged.shopId) });
    });
  },
);

it('repairs all kinds of damage in all shops at once, one shop or what deleted shops left', async () => {
  for (const { shopId } of shops) {
    for (const damage of random.some(damages, damages.length)) await withoutTriggers(statementOf(damage, shopId));
  }
  const gone = await seedShop(service.sql);
  await seedProduct(service.sql, gone);
  await withoutTriggers(
    `DELETE FROM products WHERE shop_id = '${gone}'`,
    `DELETE FROM shops WHERE shop_id = '${gone}'`,
  );
  const found = await check();
  const domains = new Set(found.differences.map(({ shop }) => shop));
  expect(domains.size).toBe(5);
  expect(domains.has(null)).toBe(true);
  const [domain] = domains;
  await check(true, domain ?? undefined);
  expect(new Set((await check()).differences.map(({ shop }) => shop)).size).toBe(4);
  await check(true);
  await expectUndamaged();
});

it('counts all differences and lists the first twenty of each kind', async () => {
  const [{ shopId }] = shops as [ShopFixture];
  await service.sql(
    `INSERT INTO orders (shop_id, external_id, order_number) SELECT $1, 'many-' || n, n FROM generate_series(1, 50) AS n`,
    [shopId],
  );
  await withoutTriggers(`DELETE FROM changes WHERE shop_id = '${shopId}' AND kind = 4 AND NOT is_deleted`);
  const [orders, ...rest] = (await check()).differences;
  expect(rest).toEqual([]);
  const [row] = await service.sql('SELECT count(*)::integer AS count FROM orders WHERE shop_id = $1', [shopId]);
  expect(orders).toMatchObject({ kind: 'changes.entry', ...row });
  expect(orders?.examples).toHaveLength(20);
  await check(true);
  await expectUndamaged();
});

it('shows no e-mail address', async () => {
  const [{ shopId }] = shops as [ShopFixture];
  await withoutTriggers(`INSERT INTO product_tags VALUES ('${shopId}', 'jo@example.com', now(), gen_random_uuid())`);
  const text = JSON.stringify(await check(true));
  expect(text).toContain('product_tags');
  expect(text).not.toContain('jo@');
  await expectUndamaged();
});

it('changes nothing while triggers are off, and says how to enable them', async () => {
  const role = `ALTER ROLE CURRENT_USER IN DATABASE ${new URL(service.database.url).pathname.slice(1)}`;
  await service.sql(`${role} SET session_replication_role = replica`);
  await expect(check(true)).rejects.toThrow('Run ALTER ROLE … RESET session_replication_role.');
  await service.sql(`${role} RESET session_replication_role`);
  await service.sql('ALTER TABLE variants DISABLE TRIGGER variants_updated');
  const [{ shopId }] = shops as [ShopFixture];
  await service.sql(`UPDATE variants SET price = '0.02' WHERE shop_id = $1`, [shopId]);
  const before = await readRows();
  await expect(check(true)).rejects.toThrow(/ALTER TABLE variants ENABLE TRIGGER USER;/);
  expect((await check()).differences).not.toEqual([]);
  expect(await readRows()).toEqual(before);
  await service.sql('ALTER TABLE variants ENABLE TRIGGER USER');
  expect((await check(true)).differences.map(({ shop, kind }) => [shop, kind])).toContainEqual([null, 'triggers']);
  await expectUndamaged();
});
