import { checkDerived } from '../../src/database/derived/check-derived';
import { askGraphql } from '../support/graphql-client';
import { Mirror, readTruth } from '../support/mirror';
import { createRandom } from '../support/random';
import { exchange } from '../support/rest-client';
import { runSeed } from '../support/run-seed';
import { seedApiKey, seedCollection, seedOrder, seedProduct, seedShop, seedVariant } from '../support/seed';
import type { Service } from '../support/service';
import { startService } from '../support/service';

/**
 * Sessions with `session_replication_role = replica` run neither triggers nor foreign keys, so they may leave the
 * tables in any state that column checks and unique indexes allow. No such state leads to a 500, and after `catalog
 * check --repair` every response is right.
 */

let service: Service;
beforeAll(async () => (service = await startService({ rateLimit: 1_000_000 })));
afterAll(() => service.close());

const check = (repair: boolean, domain?: string) =>
  checkDerived({ url: service.database.url, domain, repair, onShop: () => undefined });

interface SeededShop {
  readonly shopId: string;
  readonly apiKey: string;
}

async function seedFullShop(product_limit: number | null): Promise<SeededShop> {
  const { sql } = service;
  const shopId = await seedShop(sql, { product_limit });
  for (let count = 0; count < 4; count += 1) {
    const product = await seedProduct(sql, shopId);
    for (const price of ['1.50', '20', null]) await seedVariant(sql, shopId, product, { price });
    await seedOrder(sql, shopId);
    await seedCollection(sql, shopId);
  }
  return { shopId, apiKey: (await seedApiKey(sql, shopId)).apiKey };
}

async function withoutTriggers(...statements: readonly string[]): Promise<void> {
  const client = await service.database.connect();
  await client.query('SET session_replication_role = replica');
  for (const statement of statements) {
    // A constraint that applies to every session refuses it.
    await client.query(statement).catch((error: { code?: string }) => {
      if (!/^(23|22)/.test(error.code ?? '')) throw error;
    });
  }
  await client.end();
}

const everything = `{
  shop { id name domain currency productCount changesCursor }
  products(first: 200) { totalCount nodes { id title minPrice totalStock tags variants { id price product { id } } } }
  variants(first: 200) { totalCount nodes { id sku price product { id title } } }
  collections(first: 200) { totalCount nodes { id title } }
  orders(first: 200) { totalCount nodes { id orderNumber totalPrice } }
  orderFigures { totals { currency count totalPrice } }
  productFigures { count outOfStock statuses { status count } vendors(first: 9) { top { value count } } priceBands { min max count } }
  changes(first: 200) { nodes { type id externalId deleted node { __typename } } changesCursor pageInfo { endCursor hasNextPage } }
}`;

/** Everything that a shop's key can request. A deleted shop has no key. */
async function expectNoFault({ apiKey }: SeededShop, context: unknown): Promise<void> {
  const answer = await askGraphql<Record<string, unknown>>(service.origin, apiKey, everything);
  expect({ context, status: answer.status, errors: answer.errors }).toMatchObject(
    answer.status === 401 ? {} : { context, status: 200, errors: undefined },
  );
  for (const path of ['shop', 'products', 'collections', 'orders']) {
    const { status } = await exchange(service.origin, `/v1/${path}`, {
      headers: { Authorization: `Bearer ${apiKey}` },
    });
    expect({ context, path, isKnown: [200, 401].includes(status) }).toEqual({ context, path, isKnown: true });
  }
}

const written = ['shops', 'products', 'variants', 'collections', 'orders'] as const;
const derived = 'product_tags product_terms changes order_figures visible_sets change_epochs'.split(' ');

/** Statements that write random rows of some shops: any column gets another row's value, or none. */
async function createDamage(random: ReturnType<typeof createRandom>, ids: readonly string[]): Promise<() => string> {
  const columns = await service.sql<{ table: string; column: string; nullable: boolean }>(
    `SELECT table_name AS "table", column_name AS "column", is_nullable = 'YES' AS nullable FROM information_schema.columns
      WHERE table_schema = 'public' AND table_name = ANY ($1) AND is_generated = 'NEVER' ORDER BY 1, 2`,
    [written],
  );
  const ours = `shop_id IN (${ids.map((id) => `'${id}'`).join(', ')})`;
  const keyOf = (table: string) => (table === 'shops' ? 'shop_id' : 'id');
  const some = (table: string, key = keyOf(table)) =>
    `(SELECT ${key} FROM ${table} WHERE ${ours} ORDER BY md5(${keyOf(table)}::text || '${random.word(4)}') LIMIT 1)`;
  return () => {
    const table = random.pick(written);
    const own = columns.filter((column) => column.table === table);
    const key = keyOf(table);
    return random.pick([
      () => `DELETE FROM ${table} WHERE ${ours} AND ${key} = ${some(table)}`,
      () => {
        const { column, nullable } = random.pick(own);
        const value =
          column === 'id' ? 'gen_random_uuid()' : nullable && random.chance(0.3) ? 'NULL' : some(table, column);
        return `UPDATE ${table} SET ${column} = ${value} WHERE ${ours} AND ${key} = ${some(table)}`;
      },
      () => {
        const fresh: Readonly<Record<string, string>> = {
          [key]: 'gen_random_uuid()',
          external_id: `'${random.word(8)}'`,
          domain: `'${random.word(12)}.example'`,
        };
        const names = own.map(({ column }) => column);
        return `INSERT INTO ${table} (${names.join(', ')})
                SELECT ${names.map((name) => fresh[name] ?? name).join(', ')} FROM ${table} WHERE ${key} = ${some(table)}`;
      },
      () => `DELETE FROM ${random.pick(derived)} WHERE ${ours}`,
    ])();
  };
}

describe.each(Array.from({ length: 12 }, (_, index) => index))(
  'after random writes without triggers, round %d,',
  (round) => {
    it('no response is 500, and after a repair everything is right', async () => {
      const seed = runSeed + round;
      const random = createRandom(seed);
      const shops = [await seedFullShop(null), await seedFullShop(2)];
      const old = shops.map(({ apiKey }) => new Mirror(service.origin, apiKey));
      for (const mirror of old) await mirror.drain();
      const damage = await createDamage(
        random,
        shops.map(({ shopId }) => shopId),
      );
      const statements = random.list(random.integer(1, 12), damage);
      await withoutTriggers(...statements);
      const context = { seed, statements };

      for (const shop of shops) await expectNoFault(shop, context);
      await check(true);
      expect({ context, left: (await check(false)).differences }).toEqual({ context, left: [] });
      const domains = await service.sql<{ shop_id: string }>('SELECT shop_id FROM shops');
      for (const [index, { shopId, apiKey }] of shops.entries()) {
        await expectNoFault({ shopId, apiKey }, context);
        if (!domains.some(({ shop_id }) => shop_id === shopId)) continue;
        const truth = await readTruth(service.sql, shopId);
        const fresh = new Mirror(service.origin, apiKey);
        await fresh.drain(7);
        expect({ context, copy: fresh.state() }).toEqual({ context, copy: truth });
        const mirror = old[index] as Mirror;
        const refusal = await mirror.drain().then(
          () => undefined,
          (error: unknown) => String(error),
        );
        if (refusal === undefined) expect({ context, copy: mirror.state() }).toEqual({ context, copy: truth });
        else expect(refusal).toContain('RESYNC_REQUIRED');
      }
    });
  },
);

it.each([
  ...written.map((table) => `TRUNCATE ${table} CASCADE`),
  "DELETE FROM orders WHERE shop_id = '$shop'",
  "UPDATE products SET title = 'changed' WHERE shop_id = '$shop'",
])('%s leaves a trace', async (statement) => {
  const shop = await seedFullShop(3);
  const mirror = new Mirror(service.origin, shop.apiKey);
  await mirror.drain();
  await withoutTriggers(statement.replace('$shop', shop.shopId));
  await expectNoFault(shop, statement);
  const kinds = (await check(true)).differences.map(({ kind }) => kind);
  expect(kinds).toContain('unrecorded_writes');
  expect((await check(false)).differences).toEqual([]);
  await expectNoFault(shop, statement);
  if (!statement.includes('shops')) await expect(mirror.drain()).rejects.toThrow('RESYNC_REQUIRED');
});

it('triggers that were disabled and enabled again leave a trace, and all mirrors restart', async () => {
  const [shop, other] = [await seedFullShop(null), await seedFullShop(null)];
  const mirrors = [shop, other].map(({ apiKey }) => new Mirror(service.origin, apiKey));
  for (const mirror of mirrors) await mirror.drain();
  // As pg_restore --data-only --disable-triggers does at its end.
  await service.sql('ALTER TABLE orders DISABLE TRIGGER ALL');
  await service.sql("UPDATE orders SET order_number = 'restored' WHERE shop_id = $1", [shop.shopId]);
  await service.sql('ALTER TABLE orders ENABLE TRIGGER ALL');
  expect((await check(false)).differences.map(({ kind }) => kind)).toEqual(['triggers']);
  await check(true);
  expect((await check(false)).differences).toEqual([]);
  for (const mirror of mirrors) await expect(mirror.drain()).rejects.toThrow('RESYNC_REQUIRED');
  const fresh = new Mirror(service.origin, shop.apiKey);
  await fresh.drain();
  expect(fresh.state()).toEqual(await readTruth(service.sql, shop.shopId));
});
