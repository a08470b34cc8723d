import type { Client } from 'pg';
import { seedProduct, seedShop, seedVariant } from '../support/seed';
import type { TestDatabase } from '../support/test-database';
import { createTestDatabase } from '../support/test-database';
import { copyIn } from './copy-in';
import { deriveProduct } from '../model/catalog-state';
import { fc } from '../support/properties';

interface Derived {
  readonly variant_count: number;
  readonly min_price: string | null;
  readonly max_price: string | null;
  readonly total_stock: string;
}

let db: TestDatabase;
let client: Client;

beforeAll(async () => {
  db = await createTestDatabase();
  client = await db.connect();
});
afterAll(() => db.drop());

const readKept = async (): Promise<Record<string, Derived>> => {
  const rows = await db.sql<Derived & { id: string }>(
    'SELECT id, variant_count, min_price, max_price, total_stock FROM products',
  );
  return Object.fromEntries(rows.map(({ id, ...derived }) => [id, derived]));
};

async function readExpected(): Promise<Record<string, Derived>> {
  const products = await db.sql<{ id: string }>('SELECT id FROM products');
  const variants = await db.sql<{ product_id: string; price: string | null; inventory_quantity: string | null }>(
    'SELECT product_id, price, inventory_quantity FROM variants ORDER BY position, id',
  );
  return Object.fromEntries(
    products.map(({ id }) => {
      return [id, deriveProduct(variants.filter((variant) => variant.product_id === id))];
    }),
  );
}

const product = fc.integer({ min: 0, max: 3 });
const externalId = fc.integer({ min: 0, max: 5 }).map((n) => `v${n}`);
const price = fc.option(
  fc.constantFrom('9.90', '10', '9.9', '0', '0.00', '-1.5', '1200', '99999999999999999999.999999999', '10.000', '007'),
);
const stock = fc.option(fc.constantFrom(0, 1, -3, 4_294_967_294, 7));
const position = fc.option(fc.integer({ min: 1, max: 3 }));
const row = fc.record({ product, externalId, price, stock, position });
const rows = fc.uniqueArray(row, { minLength: 1, maxLength: 6, selector: (r) => `${r.product}/${r.externalId}` });
const names = fc.uniqueArray(externalId, { minLength: 1, maxLength: 3 });
const operation = fc.oneof(
  fc.record({ kind: fc.constantFrom('insert' as const, 'upsert' as const, 'copy' as const, 'replace' as const), rows }),
  fc.record({ kind: fc.constant('reprice' as const), names, price, stock }),
  fc.record({ kind: fc.constant('delete' as const), names }),
  fc.record({ kind: fc.constant('move' as const), names, product }),
  fc.record({ kind: fc.constant('delete product' as const), product }),
  fc.record({ kind: fc.constant('meddle' as const), product }),
  fc.constant({ kind: 'truncate' as const }),
);
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;
type Row = typeof row extends fc.Arbitrary<infer T> ? T : never;
interface Home {
  readonly shopId: string;
  readonly productId: string;
}

const quoted = (value: string | number | null): string => (value === null ? 'NULL' : `'${value}'`);
const columns = `(shop_id, product_id, external_id, price, inventory_quantity, position, created_at, updated_at)`;
const toValues = (homes: readonly Home[], given: readonly Row[]): string =>
  given
    .map((r) => {
      const home = homes[r.product];
      return `('${home?.shopId}'::uuid, '${home?.productId}'::uuid, '${r.externalId}', ${quoted(r.price)}::text,
        ${quoted(r.stock)}::bigint, ${quoted(r.position)}::integer, now(), now())`;
    })
    .join(',');
const onConflict = `ON CONFLICT (shop_id, product_id, external_id) DO UPDATE
  SET price = excluded.price, inventory_quantity = excluded.inventory_quantity, position = excluded.position`;
const inNames = (given: readonly string[]): string => `external_id IN (${given.map(quoted).join(',')})`;

async function run(homes: readonly Home[], op: Operation): Promise<void> {
  const sql = (text: string) => client.query(text);
  switch (op.kind) {
    case 'insert':
      return void (await sql(
        `INSERT INTO variants ${columns} VALUES ${toValues(homes, op.rows)} ON CONFLICT DO NOTHING`,
      ));
    case 'upsert':
      return void (await sql(`INSERT INTO variants ${columns} VALUES ${toValues(homes, op.rows)} ${onConflict}`));
    case 'replace':
      return void (await sql(
        `WITH gone AS (DELETE FROM variants WHERE position = 1)
         INSERT INTO variants ${columns} VALUES ${toValues(homes, op.rows)} ON CONFLICT DO NOTHING`,
      ));
    case 'copy':
      await sql(`DELETE FROM variants WHERE ${inNames(op.rows.map((r) => r.externalId))}`);
      return copyIn(
        client,
        `COPY variants ${columns} FROM STDIN`,
        op.rows.map((r) => {
          const home = homes[r.product];
          const values = [home?.shopId, home?.productId, r.externalId, r.price, r.stock, r.position, '2026-01-01Z'];
          return [...values, '2026-01-01Z'].map((value) => value ?? '\\N').join('\t');
        }),
      );
    case 'reprice':
      return void (await sql(
        `UPDATE variants SET price = ${quoted(op.price)}, inventory_quantity = ${quoted(op.stock)}
          WHERE ${inNames(op.names)}`,
      ));
    case 'delete':
      return void (await sql(`DELETE FROM variants WHERE ${inNames(op.names)}`));
    case 'move': {
      const home = homes[op.product];
      return void (await sql(
        `UPDATE variants AS v SET product_id = '${home?.productId}', external_id = external_id || left(v.id::text, 8)
          WHERE shop_id = '${home?.shopId}' AND ${inNames(op.names)}`,
      ));
    }
    case 'delete product':
      return void (await sql(`DELETE FROM variants WHERE product_id = '${homes[op.product]?.productId}'`));
    case 'meddle':
      return void (await sql(
        `UPDATE products SET variant_count = 99, min_price = '1', max_price = '2', total_stock = 5, title = 'Meddled'
          WHERE id = '${homes[op.product]?.productId}'`,
      ));
    case 'truncate':
      return void (await sql('TRUNCATE variants'));
  }
}

/** Two shops with two products each. */
async function seedHomes(): Promise<Home[]> {
  const homes: Home[] = [];
  for (const shopId of [await seedShop(db.sql), await seedShop(db.sql)]) {
    for (let n = 0; n < 2; n++) homes.push({ shopId, productId: await seedProduct(db.sql, shopId) });
  }
  return homes;
}

describe('counts, prices and stock of products under plain SQL', () => {
  afterEach(() => db.sql('DELETE FROM shops'));

  it('are those of their variants after any sequence of writes (D21, D22)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 10 }), async (operations) => {
        const homes = await seedHomes();
        try {
          for (const op of operations) {
            await run(homes, op);
            expect(await readKept()).toEqual(await readExpected());
          }
        } finally {
          await db.sql('DELETE FROM shops');
        }
      }),
      { numRuns: 40 },
    );
  });

  it('compare numerically and keep the digits of the variant: 9.90 is less than 10', async () => {
    const shopId = await seedShop(db.sql);
    const id = await seedProduct(db.sql, shopId);
    await seedVariant(db.sql, shopId, id, { price: '10' });
    await seedVariant(db.sql, shopId, id, { price: '9.90' });
    expect((await readKept())[id]).toMatchObject({ min_price: '9.90', max_price: '10' });
  });

  it('add stock up beyond 32 bits, with null as nothing (D22)', async () => {
    const shopId = await seedShop(db.sql);
    const id = await seedProduct(db.sql, shopId);
    for (const inventory_quantity of [2_147_483_647, 2_147_483_647, null]) {
      await seedVariant(db.sql, shopId, id, { inventory_quantity });
    }
    expect((await readKept())[id]).toMatchObject({ total_stock: '4294967294', variant_count: 3 });
  });

  it('are derived once for each statement, of several shops too, when a price changes (docs/decisions.md 4)', async () => {
    const shopIds: string[] = [];
    while (shopIds.length < 6) shopIds.push(await seedShop(db.sql));
    for (const shopId of shopIds) await seedVariant(db.sql, shopId, await seedProduct(db.sql, shopId));
    // Counts of earlier transactions may still be among them.
    const readCount = async (): Promise<number> => {
      const { rows } = await client.query<{ calls: number }>(
        `SELECT calls::integer FROM pg_stat_xact_user_functions WHERE funcname = 'catalog_derive_products'`,
      );
      return rows[0]?.calls ?? 0;
    };
    const countDerivations = async (where: string): Promise<number> => {
      await client.query(`BEGIN; SET LOCAL track_functions = 'all'`);
      const before = await readCount();
      await client.query(`UPDATE variants SET price = price_value + 1 WHERE shop_id = ANY ($1) AND ${where}`, [
        shopIds,
      ]);
      const after = await readCount();
      await client.query('ROLLBACK');
      return after - before;
    };
    expect(await countDerivations(`shop_id = '${shopIds[0]}'`)).toBe(1);
    expect(await countDerivations('true')).toBe(1);
  });

  it('are corrected when a client writes them: variant_count = 99 does not stay', async () => {
    const shopId = await seedShop(db.sql);
    const id = await seedProduct(db.sql, shopId, { variant_count: 7, min_price: '1', max_price: '2', total_stock: 9 });
    await seedVariant(db.sql, shopId, id);
    await db.sql("UPDATE products SET variant_count = 99, min_price = '0.01', total_stock = -1 WHERE id = $1", [id]);
    expect(await readKept()).toEqual({
      [id]: { variant_count: 1, min_price: '19.90', max_price: '19.90', total_stock: '7' },
    });
  });
});
