import type { Client } from 'pg';
import { readScripts } from '../../src/database/migration-files';
import { findDifferences, readDerivedChecks } from '../../src/database/derived/check-derived';
import type { ShardGroup } from '../../src/database/sharding/shard-copies';
import { renderCopies, withoutCopies, shardedTables } from '../../src/database/sharding/shard-copies';
import { enterGroup, createShardGroup } from '../support/shard-groups';
import { fc } from '../support/properties';
import { useTestDatabase } from '../support/test-database';

/*
 * What `catalog distribute` makes on the nodes of Citus, on one plain server: groups of tables with numbers in their
 * names, each with copies of the functions and triggers.
 */

const scripts = readScripts();
const [shopA, shopB] = ['a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'b0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'] as const;

const database = useTestDatabase();
let client: Client;
let groups: readonly [ShardGroup, ShardGroup];

beforeAll(async () => {
  client = await database.connect();
  groups = [await createShardGroup(client, 102_000), await createShardGroup(client, 103_000)];
});

/** Every table except the two that contain only random numbers and times. */
const compared = shardedTables.filter((table) => table !== 'change_epochs' && table !== 'change_witnesses');

/** All rows, without what differs from run to run. */
async function readRows(): Promise<Record<string, unknown>> {
  const rows: Record<string, unknown> = {};
  for (const table of compared) {
    const { rows: found } = await client.query<{ row: string }>(
      `SELECT (to_jsonb(t) - '{ctid,tableoid,version,data_version,from_statement,derivation_secret,applied_at}'::text[])::text AS row FROM ${table} AS t ORDER BY 1`,
    );
    rows[table] = found.map(({ row }) => row);
  }
  return rows;
}

const id = (kind: string, n: number): string => `${kind}0000000-0000-4000-8000-00000000000${n}`;
const at = (day: number): string => `2026-01-0${day}T00:00:00Z`;

type Step = readonly [text: string, values: readonly unknown[]];

const few = fc.integer({ min: 1, max: 4 });
const shop = fc.constantFrom(shopA, shopB);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc
    .tuple(shop, few, few, fc.subarray(['new', 'old', 'blue']), fc.subarray([1, 2, 3]))
    .map(([s, n, day, tags, of]): Step => [
      `INSERT INTO products (shop_id, id, external_id, title, tags, created_at, updated_at, memberships) VALUES ($1, $2, $3, $4, $5, $6, $6, $7)
         ON CONFLICT (shop_id, id) DO UPDATE SET title = excluded.title, tags = excluded.tags, created_at = excluded.created_at, deleted_at = NULL,
                                                 memberships = excluded.memberships`,
      [
        s,
        id('1', n),
        `p${n}`,
        `Lamp ${day}`,
        tags,
        at(day),
        JSON.stringify(of.map((c) => ({ collection_external_id: `c${c}`, position: day }))),
      ],
    ]),
  fc.tuple(shop, few, few, fc.option(few)).map(([s, n, product, price]): Step => [
    `INSERT INTO variants (shop_id, product_id, id, external_id, title, sku, price, inventory_quantity, position, created_at, updated_at)
     SELECT $1, p.id, $2, $3, 'V', $4, $4, $5, $5, now(), now() FROM products AS p WHERE p.shop_id = $1 AND p.id = $6
         ON CONFLICT (shop_id, id) DO UPDATE SET sku = excluded.sku, price = excluded.price, inventory_quantity = excluded.inventory_quantity`,
    [s, id('2', n), `v${n}`, price === null ? null : `${price}.50`, n, id('1', product)],
  ]),
  fc
    .tuple(shop, few)
    .map(([s, n]): Step => [
      'UPDATE products SET deleted_at = $3 WHERE shop_id = $1 AND id = $2',
      [s, id('1', n), at(1)],
    ]),
  fc.tuple(shop, few).map(([s, n]): Step => ['DELETE FROM products WHERE shop_id = $1 AND id = $2', [s, id('1', n)]]),
  fc.tuple(shop, few).map(([s, n]): Step => ['DELETE FROM variants WHERE shop_id = $1 AND id = $2', [s, id('2', n)]]),
  fc.tuple(shop, few, few).map(([s, n, price]): Step => [
    `INSERT INTO orders (shop_id, id, external_id, order_number, currency, total_price, financial_status, created_at) VALUES ($1, $2, $3, $3, 'EUR', $4, $5, $6)
         ON CONFLICT (shop_id, id) DO UPDATE SET total_price = excluded.total_price, financial_status = excluded.financial_status`,
    [s, id('4', n), `o${n}`, `${price}.00`, price > 2 ? 'PAID' : 'PENDING', at(n)],
  ]),
  fc.tuple(shop, few).map(([s, n]): Step => ['DELETE FROM orders WHERE shop_id = $1 AND id = $2', [s, id('4', n)]]),
  fc
    .tuple(shop, few)
    .map(([s, n]): Step => [
      `INSERT INTO collections (shop_id, id, external_id, title, published) VALUES ($1, $2, $3, 'C', true) ON CONFLICT (shop_id, id) DO UPDATE SET title = excluded.title || 'x'`,
      [s, id('3', n), `c${n}`],
    ]),
  fc
    .tuple(shop, fc.option(few))
    .map(([s, limit]): Step => ['UPDATE shops SET product_limit = $2 WHERE shop_id = $1', [s, limit]]),
  shop.map((s): Step => ['DELETE FROM shops WHERE shop_id = $1', [s]]),
  shop.map((s): Step => [
    "INSERT INTO shops (shop_id, domain, created_at) VALUES ($1, $2, '2026-01-01Z') ON CONFLICT DO NOTHING",
    [s, `${s}.example`],
  ]),
);

describe('the copies of functions and triggers of a group of shards', () => {
  it('derive the same as those of plain tables, whatever is written', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const [group] = groups;
        const results: unknown[] = [];
        for (const place of [undefined, group]) {
          await enterGroup(client, place);
          await client.query('BEGIN');
          for (const s of [shopA, shopB])
            await client.query('INSERT INTO shops (shop_id, domain, created_at) VALUES ($1, $2, $3)', [
              s,
              `${s}.example`,
              at(1),
            ]);
          await client.query('SAVEPOINT step');
          const outcomes: unknown[] = [];
          for (const [text, values] of steps) {
            const done = client.query(text, [...values]).then(
              async ({ rowCount }) => (await client.query('RELEASE step; SAVEPOINT step'), rowCount),
              async (error: { code: string }) => (await client.query('ROLLBACK TO step'), error.code),
            );
            outcomes.push(await done);
          }
          await client.query('SET CONSTRAINTS ALL IMMEDIATE');
          const rows = await readRows();
          const differences = [];
          for (const check of await readDerivedChecks(client)) {
            for (const s of [shopA, shopB]) differences.push(...(await findDifferences(client, check, s)));
          }
          expect(differences).toEqual([]);
          results.push([outcomes, rows]);
          await client.query('ROLLBACK');
        }
        const [plain, shard] = results;
        expect(JSON.parse(JSON.stringify(shard).replaceAll(/_10\d{4}/g, ''))).toEqual(
          JSON.parse(JSON.stringify(plain)),
        );
      }),
      { numRuns: 60 },
    );
  });

  it('touch no other group, and no plain table', async () => {
    const [group, other] = groups;
    await enterGroup(client, group);
    await client.query("INSERT INTO shops (shop_id, domain) VALUES ($1, 'one.example')", [shopA]);
    await client.query(
      `INSERT INTO products (shop_id, external_id, title, tags, created_at, updated_at) SELECT $1, n::text, 'P', '{a}', now(), now() FROM generate_series(1, 3) AS n`,
      [shopA],
    );
    const counts = [];
    for (const place of [group, other, undefined]) {
      await enterGroup(client, place);
      const sums = compared.map((table) => `(SELECT count(*) FROM ${table})`).join(' + ');
      counts.push((await client.query<{ rows: string }>(`SELECT (${sums})::text AS rows`)).rows[0]?.rows);
    }
    // A shop, its visible set, and for each product the row, its tag, its terms and its feed entry.
    expect(counts).toEqual(['14', '0', '0']);
    await client.query(`DELETE FROM public.shops_${group.shards['shops'] ?? ''}`);
  });

  it('are recreated if the triggers call others, or come from other scripts', async () => {
    const [group] = groups;
    const lacking = async (given = scripts) => (await withoutCopies(client, given, [group])).length > 0;
    expect(await lacking()).toBe(false);
    const shops = `public.shops_${group.shards['shops'] ?? ''}`;
    const inserted = `shops_inserted_${group.shards['shops'] ?? ''}`;
    await client.query(`DROP TRIGGER ${inserted} ON ${shops}`);
    // As in a group that Citus has just moved.
    await client.query(
      `CREATE TRIGGER ${inserted} AFTER INSERT ON ${shops} REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.catalog_shops_inserted()`,
    );
    expect(await lacking()).toBe(true);
    await client.query(renderCopies(scripts, group));
    expect(await lacking()).toBe(false);
    const [first, ...others] = scripts.functions;
    const changed = {
      ...scripts,
      functions: [{ ...(first as (typeof scripts.functions)[0]), checksum: 'f'.repeat(64) }, ...others],
    };
    expect(await lacking(changed)).toBe(true);
  });
});
