import { seedCollection, seedOrder, seedProduct, seedShop, seedVariant } from '../support/seed';
import { useTestDatabase } from '../support/test-database';

const db = useTestDatabase();

async function readVersion(shopId: string): Promise<bigint> {
  const [row] = await db.sql<{ version: string }>('SELECT data_version AS version FROM shops WHERE shop_id = $1', [
    shopId,
  ]);
  return BigInt(row?.version ?? -1);
}

/** A shop with one of everything, and the ids to write to. */
async function seedFullShop() {
  const shopId = await seedShop(db.sql);
  const productId = await seedProduct(db.sql, shopId);
  await seedVariant(db.sql, shopId, productId);
  await seedCollection(db.sql, shopId);
  const orderId = await seedOrder(db.sql, shopId);
  return { shopId, productId, orderId };
}
type FullShop = Awaited<ReturnType<typeof seedFullShop>>;

const seeds: Readonly<Record<string, (shop: FullShop) => Promise<string>>> = {
  products: ({ shopId }) => seedProduct(db.sql, shopId),
  variants: ({ shopId, productId }) => seedVariant(db.sql, shopId, productId),
  collections: ({ shopId }) => seedCollection(db.sql, shopId),
  orders: ({ shopId }) => seedOrder(db.sql, shopId),
};

describe('the data version of a shop', () => {
  it.each(Object.entries(seeds))('grows when rows of %s are added or deleted, and no other', async (table, seed) => {
    const [shop, other] = [await seedFullShop(), await seedFullShop()];
    const [before, otherBefore] = [await readVersion(shop.shopId), await readVersion(other.shopId)];
    const id = await seed(shop);
    const added = await readVersion(shop.shopId);
    expect(added).toBeGreaterThan(before);
    await db.sql(`DELETE FROM ${table} WHERE id = $1`, [id]);
    expect(await readVersion(shop.shopId)).toBeGreaterThan(added);
    expect(await readVersion(other.shopId)).toBe(otherBefore);
  });

  it('grows with every column of every table that responses are made of', async () => {
    // Not the shop's id, which keys refer to, nor columns that triggers correct at once.
    const columns = await db.sql<{ table: string; column: string; type: string }>(
      `SELECT table_name AS "table", column_name AS "column", udt_name AS type FROM information_schema.columns
        WHERE table_schema = 'public' AND table_name IN ('shops', 'products', 'variants', 'collections', 'orders')
          AND is_generated = 'NEVER' AND column_name NOT IN ('shop_id', 'variant_count', 'min_price', 'max_price', 'total_stock')`,
    );
    expect(columns.map(({ table, column }) => `${table}.${column}`)).toEqual(
      expect.arrayContaining(['shops.created_at', 'shops.last_sync_at', 'products.title', 'orders.tags']),
    );
    const line = { title: 'Mug', sku: null, quantity: 1, unit_price: '2', total: '2', product_external_id: null, variant_external_id: null }; // prettier-ignore
    const byName: Readonly<Record<string, string>> = {
      currency: 'USD',
      status: 'DRAFT',
      plan: 'pro',
      images: '[{"url": "https://tea.example/a.png", "alt_text": null, "position": 1}]',
      memberships: '[{"collection_external_id": "1", "position": null}]',
      line_items: JSON.stringify([line]),
    };
    const byType: Readonly<Record<string, string>> = {
      text: '7',
      timestamptz: '2026-02-03T04:05:06Z',
      int4: '3',
      int8: '3',
      bool: 'false',
      jsonb: '[{"name": "Colour", "value": "red"}]',
      _text: '{changed}',
      uuid: '00000000-0000-4000-8000-000000000000',
    };
    for (const { table, column, type } of columns) {
      const { shopId } = await seedFullShop();
      const productId = column === 'product_id' ? await seedProduct(db.sql, shopId) : undefined;
      if (table === 'products') await db.sql('DELETE FROM variants WHERE shop_id = $1', [shopId]);
      const before = await readVersion(shopId);
      const value = productId ?? byName[column] ?? byType[type];
      const written = await db.sql(
        `UPDATE ${table} SET ${column} = $2::${type}
          WHERE ctid = (SELECT min(ctid) FROM ${table} WHERE shop_id = $1) RETURNING 1`,
        [shopId, value],
      );
      const context = `${table}.${column}`;
      expect({ context, rows: written.length }).toEqual({ context, rows: 1 });
      expect({ context, hasGrown: (await readVersion(shopId)) > before }).toEqual({ context, hasGrown: true });
    }
  });

  it('grows for both shops of one statement', async () => {
    const [one, two] = [await seedFullShop(), await seedFullShop()];
    const before = [await readVersion(one.shopId), await readVersion(two.shopId)];
    await db.sql("UPDATE orders SET financial_status = 'VOIDED' WHERE id = ANY ($1)", [[one.orderId, two.orderId]]);
    expect(await readVersion(one.shopId)).toBeGreaterThan(before[0] ?? 0n);
    expect(await readVersion(two.shopId)).toBeGreaterThan(before[1] ?? 0n);
  });

  it.each(['orders', 'collections', 'variants', 'products CASCADE'])('grows with TRUNCATE %s', async (table) => {
    const { shopId } = await seedFullShop();
    const before = await readVersion(shopId);
    await db.sql(`TRUNCATE ${table}`);
    expect(await readVersion(shopId)).toBeGreaterThan(before);
  });

  it('stays when a transaction rolls back, and when a statement touches no row', async () => {
    const { shopId } = await seedFullShop();
    const before = await readVersion(shopId);
    await db.sql(`DO $$ BEGIN
      BEGIN UPDATE products SET title = 'x'; RAISE EXCEPTION 'back'; EXCEPTION WHEN OTHERS THEN NULL; END; END $$`);
    await db.sql("UPDATE orders SET tags = '{x}' WHERE false");
    expect(await readVersion(shopId)).toBe(before);
  });

  it('is ahead of everything returned before, also after a restore of older data: it follows the clock', async () => {
    const shopId = await seedShop(db.sql);
    expect(await readVersion(shopId)).toBeGreaterThan(BigInt(Date.now() - 60_000) * 1000n);
  });
});
