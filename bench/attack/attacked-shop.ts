import { randomUUID } from 'node:crypto';
import { seedApiKey, seedShop } from '../../test/support/seed';
import type { SeededKey } from '../../test/support/seed';
import type { Sql } from '../../test/support/test-database';

/** The shop that the attacker is a customer of. */
export interface AttackedShop {
  readonly shopId: string;
  readonly domain: string;
  /** A new key with every scope. */
  createKey(): Promise<SeededKey>;
}

/**
 * Makes a shop large enough that searches and sorted pages cost something. Written by set-based statements, as a
 * synchronisation does.
 */
export async function seedAttackedShop(sql: Sql, products: number): Promise<AttackedShop> {
  const domain = `attacked-${randomUUID().slice(0, 8)}.example`;
  const shopId = await seedShop(sql, { domain });
  await sql(
    `INSERT INTO products (shop_id, external_id, title, handle, vendor, product_type, tags, description_html, created_at, updated_at)
     SELECT $1, 'p-' || n, 'Vase no. ' || n || ' ' || md5(n::text), 'vase-' || n, 'Kiln ' || n % 50, 'Vases', ARRAY['clay', 't' || n % 20],
            repeat(md5(n::text), 10), timestamptz '2026-01-01Z' + n * interval '1 second', timestamptz '2026-02-01Z'
     FROM generate_series(1, $2::int) n`,
    [shopId, products],
  );
  // The session has plans for foreign keys from when the table was empty: they read all products of the shop for each
  // variant.
  await sql('ANALYZE products');
  await sql(
    `INSERT INTO variants (shop_id, product_id, external_id, title, sku, price, inventory_quantity, position, created_at, updated_at)
     SELECT $1, id, 'v-' || n, 'Size ' || n, md5(id::text || n), (n * 10) || '.50', n, n, created_at, updated_at
     FROM products, generate_series(1, 3) n WHERE shop_id = $1`,
    [shopId],
  );
  await sql(
    `INSERT INTO orders (shop_id, external_id, order_number, customer_name, currency, total_price, items_count, tags, created_at, updated_at)
     SELECT $1, 'o-' || n, '#' || n, 'Customer ' || n, 'EUR', n || '.00', 1, ARRAY['t' || n % 20],
            timestamptz '2026-01-01Z' + n * interval '1 second', timestamptz '2026-02-01Z'
     FROM generate_series(1, $2::int) n`,
    [shopId, Math.ceil(products / 2)],
  );
  await sql('ANALYZE');
  return { shopId, domain, createKey: () => seedApiKey(sql, shopId) };
}
