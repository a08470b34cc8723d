import type { Client } from 'pg';
import { seedProduct, seedShop } from '../support/seed';
import type { TestDatabase } from '../support/test-database';
import { createTestDatabase } from '../support/test-database';
import { copyIn } from './copy-in';
import { deriveVisible } from '../model/catalog-state';
import { fc } from '../support/properties';

/** The stored visible set, and the expected one: the first `product_limit` live products in (created_at, id) order. */
interface Visible {
  readonly live: number;
  readonly ids: readonly string[];
}

let db: TestDatabase;
let client: Client;

beforeAll(async () => {
  db = await createTestDatabase();
  client = await db.connect();
});
afterAll(() => db.drop());

async function readKept(shopId: string): Promise<Visible> {
  const [shop] = await db.sql<{ live: string }>('SELECT live_product_count AS live FROM shops WHERE shop_id = $1', [
    shopId,
  ]);
  const rows = await db.sql<{ id: string }>(
    `SELECT p.id FROM products AS p JOIN shops AS s USING (shop_id)
      WHERE s.shop_id = $1 AND p.deleted_at IS NULL AND (p.created_at, p.id) <= (s.visible_until_at, s.visible_until_id)`,
    [shopId],
  );
  return { live: Number(shop?.live), ids: rows.map(({ id }) => id).sort() };
}

async function readExpected(shopId: string): Promise<Visible> {
  const [shop] = await db.sql<{ product_limit: number | null }>('SELECT product_limit FROM shops WHERE shop_id = $1', [
    shopId,
  ]);
  const products = await db.sql<{ id: string; created_at: Date }>(
    'SELECT id, created_at FROM products WHERE shop_id = $1 AND deleted_at IS NULL',
    [shopId],
  );
  const dated = products.map(({ id, created_at }) => ({ id, created: created_at.toISOString() }));
  return { live: products.length, ids: deriveVisible(dated, shop?.product_limit ?? null) };
}

const moment = fc.integer({ min: 1, max: 6 }).map((dayOfMonth) => `2026-01-0${dayOfMonth}T00:00:00.000Z`);
const shopIndex = fc.integer({ min: 0, max: 1 });
const externalId = fc.integer({ min: 0, max: 7 }).map((n) => `p${n}`);
const limit = fc.option(fc.integer({ min: 0, max: 6 }));
const row = fc.record({ shop: shopIndex, externalId, createdAt: moment, deleted: fc.boolean() });
const rows = fc.uniqueArray(row, { minLength: 1, maxLength: 5, selector: (r) => `${r.shop}/${r.externalId}` });
const names = fc.uniqueArray(externalId, { minLength: 1, maxLength: 4 });

const operation = fc.oneof(
  fc.record({ kind: fc.constant('insert' as const), rows }),
  fc.record({ kind: fc.constant('upsert' as const), rows }),
  fc.record({ kind: fc.constant('merge' as const), rows }),
  fc.record({ kind: fc.constant('copy' as const), rows }),
  fc.record({ kind: fc.constant('soft delete' as const), names }),
  fc.record({ kind: fc.constant('undelete' as const), names }),
  fc.record({ kind: fc.constant('hard delete' as const), names }),
  fc.record({ kind: fc.constant('redate' as const), names, createdAt: moment }),
  fc.record({ kind: fc.constant('set limit' as const), shop: shopIndex, limit }),
  fc.record({ kind: fc.constant('delete and insert' as const), names, rows }),
  fc.record({ kind: fc.constant('set limit and upsert' as const), shop: shopIndex, limit, rows }),
  fc.record({ kind: fc.constant('move to the other shop' as const), names }),
  fc.record({ kind: fc.constant('several in one function' as const), names, rows, createdAt: moment }),
  fc.record({ kind: fc.constant('roll back' as const), rows }),
  fc.constant({ kind: 'truncate' as const }),
);
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;
type Row = typeof row extends fc.Arbitrary<infer T> ? T : never;

const literal = (text: string): string => `'${text}'`;
const toValues = (shops: readonly string[], given: readonly Row[]): string =>
  given
    .map(
      (r) =>
        `(${literal(shops[r.shop] ?? '')}::uuid, ${literal(r.externalId)}, 'A mug', ${literal(r.createdAt)}::timestamptz,
          now(), ${r.deleted ? 'now()' : 'NULL::timestamptz'})`,
    )
    .join(',');
const columns = '(shop_id, external_id, title, created_at, updated_at, deleted_at)';
const onConflict = `ON CONFLICT (shop_id, external_id) DO UPDATE
  SET created_at = excluded.created_at, deleted_at = excluded.deleted_at`;
const inNames = (given: readonly string[]): string => `external_id IN (${given.map(literal).join(',')})`;

/** Plain SQL of each operation. ON CONFLICT DO NOTHING skips rows that violate a unique key. */
async function run(shops: readonly string[], op: Operation): Promise<void> {
  const sql = (text: string) => client.query(text);
  switch (op.kind) {
    case 'insert':
      return void (await sql(
        `INSERT INTO products ${columns} VALUES ${toValues(shops, op.rows)} ON CONFLICT DO NOTHING`,
      ));
    case 'upsert':
      return void (await sql(`INSERT INTO products ${columns} VALUES ${toValues(shops, op.rows)} ${onConflict}`));
    case 'merge':
      return void (await sql(
        `MERGE INTO products AS p USING (VALUES ${toValues(shops, op.rows)}) AS n ${columns}
            ON p.shop_id = n.shop_id AND p.external_id = n.external_id
          WHEN MATCHED AND n.deleted_at IS NOT NULL THEN DELETE
          WHEN MATCHED THEN UPDATE SET created_at = n.created_at, deleted_at = NULL
          WHEN NOT MATCHED THEN INSERT ${columns}
            VALUES (n.shop_id, n.external_id, n.title, n.created_at, n.updated_at, n.deleted_at)`,
      ));
    case 'copy':
      await sql(`DELETE FROM products WHERE ${inNames(op.rows.map((r) => r.externalId))}`);
      return copyIn(
        client,
        `COPY products ${columns} FROM STDIN`,
        op.rows.map((r) =>
          [shops[r.shop], r.externalId, 'A mug', r.createdAt, r.createdAt, r.deleted ? r.createdAt : '\\N'].join('\t'),
        ),
      );
    case 'soft delete':
      return void (await sql(`UPDATE products SET deleted_at = now() WHERE ${inNames(op.names)}`));
    case 'undelete':
      return void (await sql(`UPDATE products SET deleted_at = NULL WHERE ${inNames(op.names)}`));
    case 'hard delete':
      return void (await sql(`DELETE FROM products WHERE ${inNames(op.names)}`));
    case 'redate':
      return void (await sql(`UPDATE products SET created_at = ${literal(op.createdAt)} WHERE ${inNames(op.names)}`));
    case 'set limit':
      return void (await sql(
        `UPDATE shops SET product_limit = ${op.limit ?? 'NULL'} WHERE shop_id = ${literal(shops[op.shop] ?? '')}`,
      ));
    case 'delete and insert':
      return void (await sql(
        `WITH gone AS (DELETE FROM products WHERE ${inNames(op.names)})
         INSERT INTO products ${columns} VALUES ${toValues(shops, op.rows)} ON CONFLICT DO NOTHING`,
      ));
    case 'set limit and upsert':
      return void (await sql(
        `WITH limited AS (
           UPDATE shops SET product_limit = ${op.limit ?? 'NULL'} WHERE shop_id = ${literal(shops[op.shop] ?? '')})
         INSERT INTO products ${columns} VALUES ${toValues(shops, op.rows)} ${onConflict}`,
      ));
    case 'move to the other shop':
      return void (await sql(
        `UPDATE products AS p
            SET shop_id = CASE shop_id WHEN ${literal(shops[0] ?? '')} THEN ${literal(shops[1] ?? '')}::uuid
                          ELSE ${literal(shops[0] ?? '')}::uuid END
          WHERE ${inNames(op.names)}
            AND NOT EXISTS (SELECT FROM products AS o WHERE o.external_id = p.external_id AND o.shop_id <> p.shop_id)`,
      ));
    case 'several in one function':
      return void (await sql(
        `DO $$ BEGIN
           DELETE FROM products WHERE ${inNames(op.names)};
           INSERT INTO products ${columns} VALUES ${toValues(shops, op.rows)} ${onConflict};
           UPDATE products SET created_at = ${literal(op.createdAt)} WHERE ${inNames(op.names.slice(0, 1))};
         END $$`,
      ));
    case 'roll back':
      await sql('BEGIN');
      await sql(`INSERT INTO products ${columns} VALUES ${toValues(shops, op.rows)} ${onConflict}`);
      return void (await sql('ROLLBACK'));
    case 'truncate':
      return void (await sql('TRUNCATE products CASCADE'));
  }
}

describe('the visible set (D8) under plain SQL', () => {
  it('is the first product_limit live products after any sequence of writes', async () => {
    await fc.assert(
      fc.asyncProperty(limit, fc.array(operation, { minLength: 1, maxLength: 12 }), async (firstLimit, operations) => {
        const shops = [await seedShop(db.sql, { product_limit: firstLimit }), await seedShop(db.sql)];
        try {
          for (const op of operations) {
            await run(shops, op);
            for (const shopId of shops) expect(await readKept(shopId)).toEqual(await readExpected(shopId));
          }
        } finally {
          await db.sql('DELETE FROM shops');
        }
      }),
      { numRuns: 40 },
    );
  });

  it('is neither empty nor everything by mistake: limit 2 of 3 shows the two oldest', async () => {
    const shopId = await seedShop(db.sql, { product_limit: 2 });
    const third = await seedProduct(db.sql, shopId, { created_at: '2026-03-03T00:00:00Z' });
    const first = await seedProduct(db.sql, shopId, { created_at: '2026-01-01T00:00:00Z' });
    const second = await seedProduct(db.sql, shopId, { created_at: '2026-02-02T00:00:00Z' });
    expect(await readKept(shopId)).toEqual({ live: 3, ids: [first, second].sort() });
    await db.sql('DELETE FROM products WHERE shop_id = $1 AND id = $2', [shopId, first]);
    expect(await readKept(shopId)).toEqual({ live: 2, ids: [second, third].sort() });
  });

  it('keeps its end when the row at its end is deleted and nothing follows', async () => {
    const shopId = await seedShop(db.sql, { product_limit: 1 });
    const only = await seedProduct(db.sql, shopId);
    await db.sql('DELETE FROM products WHERE shop_id = $1 AND id = $2', [shopId, only]);
    const next = await seedProduct(db.sql, shopId);
    expect(await readKept(shopId)).toEqual({ live: 1, ids: [next] });
  });

  it('cannot be overwritten by a client, nor can the other derived columns of shops', async () => {
    const shopId = await seedShop(db.sql, { product_limit: 1, live_product_count: 77, data_version: 1 });
    await seedProduct(db.sql, shopId);
    const derived = 'live_product_count, visible_until_at, visible_until_id';
    const [before] = await db.sql(`SELECT ${derived} FROM shops WHERE shop_id = $1`, [shopId]);
    await db.sql(
      `UPDATE shops SET live_product_count = 99, visible_until_at = '-infinity', visible_until_id = gen_random_uuid(),
              data_version = 3
        WHERE shop_id = $1`,
      [shopId],
    );
    expect(await db.sql(`SELECT ${derived} FROM shops WHERE shop_id = $1`, [shopId])).toEqual([before]);
    const [{ version } = { version: '' }] = await db.sql<{ version: string }>(
      'SELECT data_version AS version FROM shops WHERE shop_id = $1',
      [shopId],
    );
    expect(Number(version)).toBeGreaterThan(3);
  });
});
