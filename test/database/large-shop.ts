import type { Client } from 'pg';

/** Rows of the large shop that the tests search for. */
export const largeShop = {
  products: 100_000,
  /** Each on 50 products, spread over the whole list. */
  rareTag: 'rare',
  rareWord: 'obsidian',
  rareTwo: 'xq',
  rareVendor: 'Rare Goods',
};

/**
 * Creates a shop of 100,000 products (by default) among 2,000 others within seconds: without triggers, with derived
 * data written by the statement itself, and with indexes built afterwards. Ids are the same in every run. No product
 * costs between 209 and 249, and a third have two prices. Every second variant has the SKU "common", and every other
 * its own; one in 2,000 has a barcode.
 */
export async function seedLargeShop(
  client: Client,
  shopId: string,
  { products = largeShop.products, others = 2_000 } = {},
): Promise<void> {
  await client.query("SET maintenance_work_mem = '256MB'; SET jit = off; SET synchronous_commit = off");
  await client.query('BEGIN');
  await client.query("SET LOCAL session_replication_role = 'replica'");
  const { rows: indexes } = await client.query<{ name: string; definition: string }>(
    `SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS definition
       FROM pg_index AS i
      WHERE i.indrelid = ANY (ARRAY['products', 'product_terms', 'variants', 'orders']::regclass[]) AND NOT i.indisunique`,
  );
  for (const { name } of indexes) await client.query(`DROP INDEX ${name}`);
  await client.query(`INSERT INTO shops (domain) SELECT n || '.example' FROM generate_series(1, ${others}) AS n`);
  await client.query(
    `INSERT INTO api_keys (shop_id, client_id, key_prefix, scopes, secret_digest)
     SELECT shop_id, 'other', 'ck', '{catalog:read}', decode(repeat('00', 32), 'hex') FROM shops`,
  );
  await client.query(
    `WITH places AS (
       SELECT $1::uuid AS shop_id, n FROM generate_series(0, ${products - 1}) AS n
       UNION ALL
       SELECT shop_id, n FROM shops CROSS JOIN generate_series(0, 4) AS n WHERE shop_id <> $1
     ), p AS (
       INSERT INTO products (shop_id, id, external_id, title, handle, status, vendor, product_type, tags, created_at,
                             updated_at, deleted_at, variant_count, min_price, max_price, total_stock, memberships)
       SELECT shop_id, md5(n::text)::uuid, n, concat(CASE WHEN n % 2000 = 7 THEN 'Obsidian XQ ' END,
                (ARRAY['Linen', 'Oak', 'Glass', 'Wool', 'Brass', 'Cork', 'Ash', 'Jute'])[1 + n * 13 % 8], ' ', 'mug ', n),
              'mug-' || n, CASE WHEN n % 2500 = 3 THEN 'ARCHIVED' WHEN n % 10 = 1 THEN 'DRAFT' ELSE 'ACTIVE' END,
              CASE WHEN n % 2000 = 7 THEN 'Rare Goods' ELSE 'Vendor ' || n * 7 % 5 END, 'Type ' || n * 11 % 9,
              array_remove(ARRAY['t-' || n % 200, CASE WHEN n % 5 = 0 THEN 'sale' END, CASE WHEN n % 2000 = 7 THEN 'rare' END], NULL),
              timestamptz '2020-01-01Z' + (n / 2) * interval '1 minute',
              timestamptz '2021-01-01Z' + (n::bigint * 7919 % 100000) * interval '1 minute',
              CASE WHEN n % 97 = 5 THEN timestamptz '2022-01-01Z' END,
              CASE WHEN dearer > 0 THEN 2 ELSE 1 END, price || '.90', price + dearer || '.90', n * 17 % 300,
              CASE WHEN n % 2 = 0 THEN '[{"collection_external_id":"1","position":null}]'::jsonb ELSE '[]' END
                || jsonb_build_array(jsonb_build_object('collection_external_id', (2 + n % 4999)::text, 'position', n % 7))
         FROM places
        CROSS JOIN LATERAL (SELECT CASE WHEN n * 31 % 500 / 50 = 4 THEN n * 31 % 50 ELSE n * 31 % 500 END AS price,
                                   CASE WHEN n % 3 = 0 THEN n % 10 ELSE 0 END AS dearer) AS prices
       RETURNING shop_id, id, external_id, min_price, max_price, created_at
     )
     INSERT INTO variants (shop_id, id, product_id, external_id, sku, barcode, price, inventory_quantity, position, created_at, updated_at)
     SELECT shop_id, md5(concat(external_id, '-', position))::uuid, id, concat(external_id, '-', position), CASE WHEN external_id::integer % 2 = 0 THEN 'common' ELSE concat('SKU-', external_id, '-', position) END,
            lpad((external_id::integer % 2000)::text, 8, '0'), price, external_id::integer * 17 % 300, position, created_at,
            timestamptz '2021-01-01Z' + (external_id::bigint * 7919 % 100000) * interval '1 minute'
       FROM p CROSS JOIN unnest(ARRAY[min_price, nullif(max_price, min_price)]) WITH ORDINALITY AS v (price, position)
      WHERE price IS NOT NULL`,
    [shopId],
  );
  await client.query(
    `INSERT INTO product_tags
     SELECT shop_id, tag, created_at, id FROM products CROSS JOIN unnest(tags) AS tag WHERE deleted_at IS NULL`,
  );
  await client.query(
    `INSERT INTO collection_products (shop_id, collection, position, product_id, created_at)
     SELECT shop_id, one ->> 'collection_external_id', coalesce((one ->> 'position')::integer, 2147483647), id, created_at
       FROM products CROSS JOIN jsonb_array_elements(memberships) AS one WHERE deleted_at IS NULL ORDER BY 1, 2, 3, 4`,
  );
  await client.query(
    `INSERT INTO product_terms
     SELECT shop_id, id, status, vendor, product_type, tags, search_text, search_words FROM products WHERE deleted_at IS NULL`,
  );
  await client.query(
    `INSERT INTO orders (shop_id, external_id, order_number, total_price, financial_status, fulfillment_status, created_at, updated_at, line_items)
     SELECT $1, n, n, n % 300, (ARRAY['PAID', 'PENDING'])[1 + n % 2], (ARRAY['FULFILLED', 'OPEN'])[1 + n % 3 / 2],
            timestamptz '2020-01-01Z' + n * interval '1 minute',
            timestamptz '2021-01-01Z' + (n * 7919 % 20000) * interval '1 minute',
            jsonb_build_array(jsonb_build_object('title', NULL, 'sku', CASE WHEN n % 2 = 0 THEN 'common' ELSE 'SKU-' || n END, 'quantity', 1,
              'unit_price', NULL, 'total', NULL, 'product_external_id', n::text, 'variant_external_id', NULL)) FROM generate_series(1, 20000) AS n`,
    [shopId],
  );
  await client.query(
    `INSERT INTO collections (shop_id, id, external_id, title, published, created_at, updated_at)
     SELECT $1, concat('00000000-0000-4000-8000-', lpad(n::text, 12, '0'))::uuid, n, 'Collection ' || n, n % 5 > 0, timestamptz '2020-01-01Z' + n * interval '1 minute',
            timestamptz '2021-01-01Z' + (n * 7919 % 5000) * interval '1 minute'
       FROM generate_series(1, 5000) AS n`,
    [shopId],
  );
  // Half of them are older than the feed; the others changed in versions of 500 objects each.
  await client.query(
    `INSERT INTO changes (shop_id, kind, id, version)
     SELECT shop_id, kind, id, greatest(row_number() OVER (PARTITION BY kind ORDER BY id) / 500 - 10, 0)
       FROM (SELECT shop_id, 1 AS kind, id FROM products UNION ALL SELECT shop_id, 2, id FROM variants
              UNION ALL SELECT shop_id, 3, id FROM collections UNION ALL SELECT shop_id, 4, id FROM orders) AS objects`,
  );
  for (const { definition } of indexes) await client.query(definition);
  await client.query('COMMIT');
}
