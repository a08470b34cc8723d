import type { Client } from 'pg';
import { seedShop } from '../support/seed';
import type { TestDatabase } from '../support/test-database';
import { createTestDatabase } from '../support/test-database';
import { copyIn } from './copy-in';
import { deriveTags } from '../model/catalog-state';
import { fc } from '../support/properties';

let db: TestDatabase;
let client: Client;

beforeAll(async () => {
  db = await createTestDatabase();
  client = await db.connect();
});
afterAll(() => db.drop());

const long = 'x'.repeat(499);
const tag = fc.constantFrom('a', 'A', 'b', '', 'é', '%', "it's", '"q"', '\uffff', `${long}12`, `${long}13`, '{}', '😀');
const tags = fc.array(tag, { maxLength: 4 });
const moment = fc.integer({ min: 1, max: 3 }).map((day) => `2026-01-0${day}T00:00:00.000Z`);
const shopIndex = fc.integer({ min: 0, max: 1 });
const externalId = fc.integer({ min: 0, max: 5 }).map((n) => `p${n}`);
const row = fc.record({ shop: shopIndex, externalId, tags, createdAt: moment, deleted: fc.boolean() });
const rows = fc.uniqueArray(row, { minLength: 1, maxLength: 5, selector: (r) => `${r.shop}/${r.externalId}` });
const names = fc.uniqueArray(externalId, { minLength: 1, maxLength: 3 });
const operation = fc.oneof(
  fc.record({ kind: fc.constantFrom('insert' as const, 'upsert' as const, 'copy' as const, 'replace' as const), rows }),
  fc.record({ kind: fc.constant('tag' as const), names, tags }),
  fc.record({ kind: fc.constant('add a tag' as const), names, tag }),
  fc.record({ kind: fc.constantFrom('delete' as const, 'soft delete' as const, 'restore' as const), names }),
  fc.record({ kind: fc.constant('move in time' as const), names, createdAt: moment }),
  fc.record({ kind: fc.constant('move to the other shop' as const), names, shop: shopIndex }),
  fc.record({ kind: fc.constantFrom('price' as const, 'new ids' as const), names }),
  fc.record({ kind: fc.constant('delete the shop' as const), shop: shopIndex }),
  fc.constant({ kind: 'truncate' as const }),
);
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;
type Row = typeof row extends fc.Arbitrary<infer T> ? T : never;

const columns = '(shop_id, external_id, title, tags, created_at, updated_at, deleted_at)';
const toJson = (shops: readonly string[], given: readonly Row[]): string =>
  JSON.stringify(
    given.map((r) => ({ ...r, shop: shops[r.shop], tags: r.tags, deletedAt: r.deleted ? r.createdAt : null })),
  );
const select = `SELECT g.shop, g."externalId", 'A mug', g.tags, g."createdAt", now(), g."deletedAt"
  FROM json_to_recordset($1) AS g (shop uuid, "externalId" text, tags text[], "createdAt" timestamptz, "deletedAt" timestamptz)
 WHERE EXISTS (SELECT FROM shops WHERE shop_id = g.shop)`;
const onConflict = `ON CONFLICT (shop_id, external_id) DO UPDATE
  SET tags = excluded.tags, created_at = excluded.created_at, deleted_at = excluded.deleted_at`;

/** An array of texts as COPY reads it. */
const toCopyArray = (given: readonly string[]): string =>
  `{${given.map((each) => `"${each.replace(/["\\]/g, '\\$&')}"`).join(',')}}`.replaceAll('\\', '\\\\');

async function run(shops: readonly string[], op: Operation): Promise<unknown> {
  const among = 'external_id = ANY ($1)';
  switch (op.kind) {
    case 'insert':
      return client.query(`INSERT INTO products ${columns} ${select} ON CONFLICT DO NOTHING`, [toJson(shops, op.rows)]);
    case 'upsert':
      return client.query(`INSERT INTO products ${columns} ${select} ${onConflict}`, [toJson(shops, op.rows)]);
    case 'replace':
      return client.query(
        `WITH gone AS (DELETE FROM products WHERE external_id IN ('p0', 'p1')), other AS (
           UPDATE products SET tags = tags || 'b'::text WHERE external_id = 'p2')
         INSERT INTO products ${columns} ${select} ON CONFLICT DO NOTHING`,
        [toJson(shops, op.rows)],
      );
    case 'copy': {
      const present = new Set((await db.sql<{ id: string }>('SELECT shop_id AS id FROM shops')).map(({ id }) => id));
      const given = op.rows.filter((r) => present.has(shops[r.shop] as string));
      await client.query(`DELETE FROM products WHERE ${among}`, [given.map((r) => r.externalId)]);
      return copyIn(
        client,
        `COPY products ${columns} FROM STDIN`,
        given.map((r) =>
          [
            ...[shops[r.shop], r.externalId, 'A mug', toCopyArray(r.tags), r.createdAt, r.createdAt],
            r.deleted ? r.createdAt : '\\N',
          ].join('\t'),
        ),
      );
    }
    case 'tag':
      return client.query(`UPDATE products SET tags = $2 WHERE ${among}`, [op.names, op.tags]);
    case 'add a tag':
      return client.query(`UPDATE products SET tags = tags || $2::text WHERE ${among}`, [op.names, op.tag]);
    case 'delete':
      return client.query(`DELETE FROM products WHERE ${among}`, [op.names]);
    case 'soft delete':
      return client.query(`UPDATE products SET deleted_at = now() WHERE ${among}`, [op.names]);
    case 'restore':
      return client.query(`UPDATE products SET deleted_at = NULL WHERE ${among}`, [op.names]);
    case 'move in time':
      return client.query(`UPDATE products SET created_at = $2 WHERE ${among}`, [op.names, op.createdAt]);
    case 'move to the other shop':
      return client.query(
        `UPDATE products AS p SET shop_id = $2, external_id = external_id || id
          WHERE ${among} AND EXISTS (SELECT FROM shops WHERE shop_id = $2)`,
        [op.names, shops[op.shop]],
      );
    case 'price':
      return client.query(`UPDATE products SET title = title || '!', min_price = '1', max_price = '1' WHERE ${among}`, [
        op.names,
      ]);
    case 'new ids':
      return client.query(`UPDATE products SET id = gen_random_uuid() WHERE ${among}`, [op.names]);
    case 'delete the shop':
      return client.query('DELETE FROM shops WHERE shop_id = $1', [shops[op.shop]]);
    case 'truncate':
      return client.query('TRUNCATE products CASCADE');
  }
}

interface Place {
  readonly shop_id: string;
  readonly tag: string;
  readonly created_at: Date;
  readonly product_id: string;
}
const inOrder = (places: readonly Place[]): string[] => places.map((place) => JSON.stringify(place)).sort();

const readKept = async (): Promise<string[]> =>
  inOrder(await db.sql<Place>('SELECT shop_id, tag, created_at, product_id FROM product_tags'));

/** The tags of the products, computed here and not by SQL: each tag once, cut to 500 characters. */
async function readExpected(): Promise<string[]> {
  const products = await db.sql<{ shop_id: string; id: string; created_at: Date; tags: string[] }>(
    'SELECT shop_id, id, created_at, tags FROM products WHERE deleted_at IS NULL',
  );
  return inOrder(
    products.flatMap(({ shop_id, id, created_at, tags: own }) =>
      deriveTags(own).map((each) => ({
        ...{ shop_id, tag: each, created_at },
        product_id: id,
      })),
    ),
  );
}

describe('product_tags under plain SQL', () => {
  it('holds the tags of the live products after any sequence of writes, and nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 8 }), async (operations) => {
        const shops = [await seedShop(db.sql), await seedShop(db.sql)];
        try {
          for (const op of operations) {
            await run(shops, op);
            expect(await readKept()).toEqual(await readExpected());
          }
        } finally {
          await db.sql('DELETE FROM shops');
        }
        expect(await readKept()).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it('changes with its products, in the same transaction', async () => {
    const shop = await seedShop(db.sql);
    await client.query('BEGIN');
    await run([shop], {
      kind: 'insert',
      rows: [{ shop: 0, externalId: 'p0', tags: ['a'], createdAt: '2026-01-01T00:00:00Z', deleted: false }],
    });
    expect(await readKept()).toEqual([]);
    await client.query('COMMIT');
    expect(await readKept()).toHaveLength(1);
    await db.sql('DELETE FROM shops');
  });
});
