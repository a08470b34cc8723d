/* global performance */
/**
 * The data that the benchmark reads: shops with 10,000, 100,000 and 1,000,000 products in one database, made by
 * PostgreSQL itself. Everything follows from the row's number, so two runs measure the same rows.
 *
 * Loading is one statement per shop: the AFTER triggers of both tables then run once, over all rows, when products and
 * variants are both there, and find nothing to correct. Secondary indexes are taken off first and built again afterwards,
 * from the definitions that the database itself gives, so this file knows none of them.
 */
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

const root = new URL('../', import.meta.url);

/** Shops by name. `variants` per product; orders and collections are the same for all. */
export const shops = {
  '10k': { domain: 'bench-10k.example', products: 10_000, variants: 3 },
  '100k': { domain: 'bench-100k.example', products: 100_000, variants: 3 },
  '1m': { domain: 'bench-1m.example', products: 1_000_000, variants: 1 },
};
const orderCount = 10_000;
const collectionCount = 1_000;

/** What the workloads ask for; the share of products that carry it is the same in every shop, unless it says so. */
export const terms = {
  vendorCommon: 'Vendor 01', // about a quarter
  vendorRare: 'Vendor 50', // less than one percent
  typeCommon: 'Type 01',
  typeRare: 'Type 20',
  tagCommon: 'sale', // 20 %
  tagRare: 'limited-edition', // 0.01 %
  tagSixty: 'sixty', // 60 products in every shop, spread over all of it
  tagAbsent: 'nobody-has-this',
  queryFrequent: 'linen', // about 12 %
  querySixty: 'obsidian', // 60 products in every shop
  queryAbsent: 'quetzalcoatl',
  queryTwo: 'li',
  queryTwoSixty: 'xx', // only in the sixty
  queryTwoAbsent: 'zq',
  queryOne: 'e',
  queryOneAbsent: 'ß',
};

const quote = (text) => `'${text.replaceAll("'", "''")}'`;
const array = (...words) => `ARRAY[${words.map(quote).join(',')}]`;
const adjectives = array(
  ...['Washed', 'Natural', 'Heavy', 'Light', 'Soft', 'Rough', 'Round', 'Tall', 'Small', 'Large', 'Classic', 'Modern'],
  ...['Quiet', 'Bright', 'Dark', 'Warm', 'Cool', 'Plain', 'Woven', 'Folded', 'Everyday', 'Évasé', 'Grün', 'Naïve'],
);
const materials = array(
  ...['Linen', 'Linen', 'Linen', 'Cotton', 'Cotton', 'Oak', 'Oak', 'Glass', 'Glass', 'Stoneware', 'Porcelain', 'Brass'],
  ...['Copper', 'Wool', 'Walnut', 'Ash', 'Cork', 'Paper', 'Leather', 'Jute', 'Iron', 'Steel', 'Marble', 'Bamboo'],
);
const nouns = array(
  ...['Apron', 'Towel', 'Napkin', 'Tablecloth', 'Cushion', 'Throw', 'Mug', 'Cup', 'Bowl', 'Plate', 'Jug', 'Carafe'],
  ...['Vase', 'Tray', 'Board', 'Spoon', 'Fork', 'Knife', 'Kettle', 'Grinder', 'Filter', 'Scale', 'Lamp', 'Basket'],
  ...['Box', 'Hook', 'Stool', 'Bench', 'Mirror', 'Clock'],
);
const sentence =
  'Made in small batches by people who have done it for thirty years, from material that gets better with use. ' +
  'Wipe it with a damp cloth, let it dry in the air, and it will last. Returns are free within sixty days.';

/** Names the generator and the tables it fills: another one makes another database. */
export function dataVersion() {
  const hash = createHash('sha256').update(readFileSync(fileURLToPath(import.meta.url)));
  const migrations = new URL('prisma/migrations/', root);
  for (const name of readdirSync(migrations).sort()) {
    if (!name.endsWith('.toml')) hash.update(readFileSync(new URL(`${name}/migration.sql`, migrations)));
  }
  return hash.digest('hex').slice(0, 12);
}

/** Products and variants in one statement, derived columns already right. */
function catalogStatement({ products, variants }) {
  return `
WITH numbered AS (
  SELECT i,
         md5('product' || $1 || i)::uuid AS id,
         (hashint8extended(i, 1) & 16777215) / 16777216.0 AS u1,
         (hashint8extended(i, 2) & 16777215) / 16777216.0 AS u2,
         (hashint8extended(i, 3) & 16777215)::integer AS h3,
         (hashint8extended(i, 4) & 16777215)::integer AS h4,
         (hashint8extended(i, 5) & 16777215)::integer AS h5,
         i % ${products / 60 >= 1 ? Math.floor(products / 60) : 1} = 7 AND i < ${60 * Math.floor(products / 60)} AS sixty,
         (500 + (hashint8extended(i, 6) & 8191)) AS cents,
         (hashint8extended(i, 7) & 127) AS stock
    FROM generate_series(0, ${products - 1}) AS i
), named AS (
  SELECT *,
         CASE WHEN sixty THEN 'Obsidian XX ' ELSE '' END
           || (${adjectives})[1 + h3 % 24] || ' ' || (${materials})[1 + (h3 / 24) % 24] || ' '
           || (${nouns})[1 + h4 % 30] || ' ' || i AS title,
         timestamptz '2016-01-01Z' + (i / 2) * (interval '280000000 seconds' / ${products}) AS created
    FROM numbered
), p AS (
  INSERT INTO products (shop_id, id, external_id, title, handle, status, vendor, product_type, tags, description_html,
                        seo_title, seo_description, image_url, published_at, created_at, updated_at, deleted_at,
                        variant_count, min_price, max_price, total_stock)
  SELECT $1::uuid, id, (8000000000000 + i)::text, title, lower(replace(title, ' ', '-')),
         CASE WHEN h5 % 100 < 90 THEN 'ACTIVE' WHEN h5 % 100 < 97 THEN 'DRAFT' ELSE 'ARCHIVED' END,
         'Vendor ' || to_char(1 + floor(50 * u1 ^ 2.5), 'FM00'),
         'Type ' || to_char(1 + floor(20 * u2 ^ 1.5), 'FM00'),
         array_remove(ARRAY['t-' || h4 % 200, CASE WHEN h3 % 5 = 0 THEN 'sale' END,
                            CASE WHEN h4 % 20 = 3 THEN 'new' END,
                            CASE WHEN i % 10000 = 4321 THEN 'limited-edition' END,
                            CASE WHEN sixty THEN 'sixty' END], NULL),
         '<p>' || title || '. ${sentence}</p><ul><li>Number ' || i || '</li><li>Batch ' || h5
           || '</li><li>Washable at 40 °C</li></ul><p>Every piece differs a little: that is the hand, not a fault.</p>',
         title || ' – Bench shop', 'Buy ' || title || ' online.',
         'https://cdn.bench.example/products/' || id || '.jpg',
         CASE WHEN h5 % 100 < 90 THEN created + interval '1 day' END, created,
         created + make_interval(hours => h5 % 1000),
         CASE WHEN i % 100 = 57 THEN created + interval '400 days' END,
         ${variants}, (cents / 100) || '.' || to_char(cents % 100, 'FM00'),
         ((cents + ${(variants - 1) * 250}) / 100) || '.' || to_char((cents + ${(variants - 1) * 250}) % 100, 'FM00'),
         stock * ${variants}
    FROM named
)
INSERT INTO variants (shop_id, id, product_id, external_id, title, sku, barcode, price, compare_at_price, cost_price,
                      inventory_quantity, weight, weight_unit, position, image_url, options, created_at, updated_at)
SELECT $1::uuid, md5('variant' || $1 || i || '-' || k)::uuid, id, (9000000000000 + i * 10 + k)::text,
       (${array('Small', 'Medium', 'Large')})[k], 'SKU-' || i || '-' || k, (4000000000000 + i * 10 + k)::text,
       ((cents + (k - 1) * 250) / 100) || '.' || to_char((cents + (k - 1) * 250) % 100, 'FM00'),
       CASE WHEN h3 % 5 = 0 THEN ((cents + 2000) / 100) || '.50' END, (cents / 200) || '.00', stock, '0.' || 200 + k * 50,
       'kg', k, NULL,
       jsonb_build_array(jsonb_build_object('name', 'Size', 'value', (${array('Small', 'Medium', 'Large')})[k])),
       created, created
  FROM named CROSS JOIN generate_series(1, ${variants}) AS k`;
}

const collectionsStatement = `
INSERT INTO collections (shop_id, id, external_id, title, handle, description_html, published, collection_type,
                         products_count, image_url, seo_title, seo_description, created_at, updated_at)
SELECT $1::uuid, md5('collection' || $1 || i)::uuid, (7000000000000 + i)::text, 'Collection ' || i, 'collection-' || i,
       '<p>Everything for room ' || i || '.</p>', i % 10 <> 0, CASE WHEN i % 3 = 0 THEN 'smart' ELSE 'manual' END, i % 90,
       NULL, NULL, NULL, timestamptz '2016-01-01Z' + i * interval '1 day', timestamptz '2024-01-01Z'
  FROM generate_series(1, ${collectionCount}) AS i`;

const ordersStatement = `
INSERT INTO orders (shop_id, id, external_id, order_number, customer_name, currency, total_price, subtotal_price,
                    total_tax, total_shipping, financial_status, fulfillment_status, items_count, tags, created_at, updated_at)
SELECT $1::uuid, md5('order' || $1 || i)::uuid, (5000000000000 + i)::text, '#' || 1000 + i, 'Customer ' || i % 700, 'EUR',
       (20 + i % 300) || '.90', (15 + i % 300) || '.00', '1.00', '4.90',
       (${array('PAID', 'PAID', 'PAID', 'PENDING', 'REFUNDED')})[1 + i % 5],
       CASE WHEN i % 4 <> 0 THEN 'FULFILLED' END, 1 + i % 6, '{}',
       timestamptz '2020-01-01Z' + i * interval '5 hours', timestamptz '2020-01-01Z' + i * interval '6 hours'
  FROM generate_series(1, ${orderCount}) AS i`;

/** Indexes that only make reading faster; those behind a constraint or a uniqueness stay. */
const secondaryIndexes = `
SELECT format('%I', i.indexrelid::regclass::text) AS name, pg_get_indexdef(i.indexrelid) AS definition
  FROM pg_index AS i
  JOIN pg_class AS t ON t.oid = i.indrelid
  JOIN pg_namespace AS n ON n.oid = t.relnamespace
 WHERE n.nspname = 'public' AND t.relkind = 'r' AND NOT i.indisunique
   AND t.relname NOT IN ('shops', 'api_keys')
   AND NOT EXISTS (SELECT FROM pg_constraint AS c WHERE c.conindid = i.indexrelid)`;

/**
 * Fills the migrated database with the named shops; those that are there already are left alone.
 * @returns the ids by name
 */
export async function ensureShops(url, names, log = console.error) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const present = await client.query('SELECT domain, shop_id FROM shops WHERE live_product_count > 0');
    const ids = new Map(present.rows.map((row) => [row.domain, row.shop_id]));
    const missing = names.filter((name) => !ids.has(shops[name].domain));
    if (missing.length > 0) await load(client, missing, ids, log);
    return Object.fromEntries(names.map((name) => [name, ids.get(shops[name].domain)]));
  } finally {
    await client.end();
  }
}

async function load(client, names, ids, log) {
  await client.query(`SET TimeZone = 'UTC'; SET maintenance_work_mem = '512MB'; SET work_mem = '256MB'; SET jit = off;
    SET synchronous_commit = off`);
  await client.query('BEGIN');
  const { rows: indexes } = await client.query(secondaryIndexes);
  for (const { name } of indexes) await client.query(`DROP INDEX ${name}`);
  for (const name of names) {
    const shop = shops[name];
    const started = performance.now();
    const inserted = await client.query(
      `INSERT INTO shops (domain, name, platform, currency, plan) VALUES ($1, $2, 'shopify', 'EUR', 'business') RETURNING shop_id`,
      [shop.domain, `Bench shop ${name}`],
    );
    const id = inserted.rows[0].shop_id;
    await client.query({ text: catalogStatement(shop), values: [id] });
    await client.query({ text: collectionsStatement, values: [id] });
    await client.query({ text: ordersStatement, values: [id] });
    ids.set(shop.domain, id);
    log(`  shop ${name}: ${seconds(started)} for ${shop.products} products`);
  }
  for (const { name, definition } of indexes) {
    const started = performance.now();
    await client.query(definition);
    log(`  ${name}: ${seconds(started)}`);
  }
  await client.query('COMMIT');
  const started = performance.now();
  await client.query('VACUUM (ANALYZE)');
  log(`  vacuum analyze: ${seconds(started)}`);
}

const seconds = (started) => `${((performance.now() - started) / 1000).toFixed(1)} s`;
