/* global performance */
// Measures what the triggers and generated columns of the catalog cost its writers: the same statements on the whole
// schema, on one without triggers, and on one without triggers and generated columns, alternately, in the same run. It
// counts the CPU time of the server's process, because elapsed time means little on a shared machine; elapsed time if
// the server is on another machine.
//
// BENCH_DATABASE_URL is the server to use; without it an embedded one is started.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { median } from './statistics.mjs';

const products = 20_000;
const bulk = 10_000;
let rounds;
let server;
let admin;
const sessions = {};

const insertProducts = (from, to) => `
  INSERT INTO products (shop_id, external_id, title, handle, vendor, product_type, tags, description_html, seo_title,
                        image_url, published_at, created_at, updated_at)
  SELECT shop_id, 'p' || n, (ARRAY['Linen', 'Oak', 'Glass', 'Copper'])[1 + n % 4] || ' bowl, hand made, No. ' || n,
         'bowl-hand-made-no-' || n, 'Vendor ' || n % 40, 'Type ' || n % 12, ARRAY['sale', 't-' || n % 200],
         '<p>' || repeat('Made in small batches from material that gets better with use. ', 8) || '</p>', 'Bowl ' || n,
         'https://images.example.com/' || n || '.jpg', '2024-01-01Z',
         '2016-01-01Z'::timestamptz + n * interval '1 hour', '2024-01-01Z'
    FROM shops, generate_series(${from}, ${to}) AS n`;
const insertVariants = (from, to) => `
  INSERT INTO variants (shop_id, product_id, external_id, title, sku, barcode, price, inventory_quantity, weight,
                        weight_unit, position, options, created_at, updated_at)
  SELECT p.shop_id, p.id, p.external_id || '-' || k, 'Size ' || k, p.external_id || '/' || k, '400638133393' || k,
         (10 + k) || '.90', k, '0.5', 'kg', k, '[{"name": "Size", "value": "Small"}]', p.created_at, p.updated_at
    FROM shops AS s CROSS JOIN generate_series(${from}, ${to}) AS n CROSS JOIN generate_series(1, 3) AS k
    JOIN products AS p ON p.shop_id = s.shop_id AND p.external_id = 'p' || n`;

const insertOrders = (from, to) => `
  INSERT INTO orders (shop_id, external_id, order_number, currency, total_price, total_tax, total_shipping, financial_status,
                      fulfillment_status, created_at, updated_at)
  SELECT shop_id, 'o' || n, '#' || n, (ARRAY['EUR', 'EUR', 'USD'])[1 + n % 3], n % 400 || '.90', n % 40 || '.10', '4.90',
         (ARRAY['PAID', 'PAID', 'PENDING', 'REFUNDED'])[1 + n % 4], (ARRAY['FULFILLED', 'OPEN', NULL])[1 + n % 7 % 3],
         '2024-01-01Z'::timestamptz + n * interval '5 minutes', '2026-01-01Z'
    FROM shops, generate_series(${from}, ${to}) AS n`;

/**
 * Statements by name. `repeat`: that many single statements, of which the median counts; `after` undoes them, untimed.
 */
const workloads = {
  'one price': {
    repeat: 100,
    sql: (n, round) =>
      `UPDATE variants SET price = '${100 + round}.${10 + (n % 90)}', updated_at = now()
        WHERE (shop_id, product_id, external_id) = (SELECT shop_id, id, 'p${n}-2' FROM products
                WHERE (shop_id, external_id) = (SELECT shop_id, 'p${n}' FROM shops))`,
  },
  'one variant title': {
    repeat: 100,
    sql: (n, round) =>
      `UPDATE variants SET title = 'Size ${round}.${n}'
        WHERE (shop_id, product_id, external_id) = (SELECT shop_id, id, 'p${n}-2' FROM products
                WHERE (shop_id, external_id) = (SELECT shop_id, 'p${n}' FROM shops))`,
  },
  'one product title': {
    repeat: 100,
    sql: (n, round) =>
      `UPDATE products SET title = 'Bowl ${round}.${n}' WHERE (shop_id, external_id) = (SELECT shop_id, 'p${n}' FROM shops)`,
  },
  [`${bulk} prices`]: {
    sql: (_, round) => `UPDATE variants SET price = '${20 + round}.90' WHERE position = 2
      AND product_id IN (SELECT id FROM products ORDER BY created_at LIMIT ${bulk})`,
  },
  [`${bulk} titles`]: {
    sql: (_, round) => `UPDATE products SET title = 'Bowl, hand made, round ${round}, ' || external_id
      WHERE id IN (SELECT id FROM products ORDER BY created_at LIMIT ${bulk})`,
  },
  [`${bulk} products inserted`]: { sql: () => insertProducts(products + 1, products + bulk) },
  'one order, new': {
    repeat: 100,
    sql: (n, round) =>
      insertOrders(`${bulk} + 100 * ${n * 100 + round}`, `${bulk} + 100 * ${n * 100 + round}`) +
      ' ON CONFLICT DO NOTHING',
  },
  'one order, paid': {
    repeat: 100,
    sql: (n, round) =>
      `UPDATE orders SET financial_status = 'PAID ${round % 3}' WHERE (shop_id, external_id) = (SELECT shop_id, 'o${1 + (n % bulk)}' FROM shops)`,
  },
  [`${bulk} orders inserted`]: {
    sql: () => insertOrders(-bulk, -1),
    after: `DELETE FROM orders WHERE created_at < '2024-01-01Z'`,
  },
  [`${3 * bulk} variants inserted`]: {
    sql: () => insertVariants(products + 1, products + bulk),
    after: `DELETE FROM products WHERE created_at > '2016-01-01Z'::timestamptz + ${products} * interval '1 hour'`,
  },
};

const dropTriggers = `
DO $$ DECLARE t record; BEGIN
  FOR t IN SELECT tgname, tgrelid::regclass AS owner FROM pg_trigger WHERE NOT tgisinternal LOOP
    EXECUTE format('DROP TRIGGER %I ON %s', t.tgname, t.owner);
  END LOOP;
  FOR t IN SELECT conname, conrelid::regclass AS owner FROM pg_constraint WHERE conname LIKE '%_hold_shop_check' LOOP
    EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', t.owner, t.conname);
  END LOOP;
END $$`;
const dropGeneratedColumns = `
DO $$ DECLARE c record; BEGIN
  FOR c IN SELECT attrelid::regclass AS owner, attname FROM pg_attribute
            WHERE attgenerated = 's' AND NOT attisdropped AND attrelid IN (SELECT oid FROM pg_class WHERE relkind = 'r') LOOP
    EXECUTE format('ALTER TABLE %s DROP COLUMN %I CASCADE', c.owner, c.attname);
  END LOOP;
END $$`;

const scripts = readScripts(fileURLToPath(new URL('../../prisma', import.meta.url)));
const schemas = {
  full: scripts,
  'no triggers': [...scripts, dropTriggers],
  plain: [...scripts, dropTriggers, dropGeneratedColumns],
};

function readScripts(directory) {
  const inOrder = (folder, toFile, isWanted) =>
    (existsSync(join(directory, folder)) ? readdirSync(join(directory, folder)) : [])
      .filter(isWanted)
      .sort()
      .map((name) => readFileSync(join(directory, folder, toFile(name)), 'utf8'));
  return [
    ...inOrder(
      'migrations',
      (name) => join(name, 'migration.sql'),
      (name) => /^\d/.test(name),
    ),
    ...inOrder(
      'functions',
      (name) => name,
      (name) => name.endsWith('.sql'),
    ),
  ];
}

export const trial = {
  what: 'the cost of triggers and generated columns for writers',
  parts: [],
  isBenchmark: true,
  async run({ isShort }, report) {
    rounds = isShort ? 1 : 5;
    const provided = await provideServer();
    server = provided.server;
    admin = new pg.Client({ connectionString: server });
    await admin.connect();
    try {
      for (const [name, schema] of Object.entries(schemas)) sessions[name] = await createDatabase(name, schema);
      await reportTimes(await measure(), report);
    } finally {
      for (const { client, database } of Object.values(sessions)) {
        await client.end();
        await admin.query(`DROP DATABASE ${database} WITH (FORCE)`);
      }
      await admin.end();
      await provided.stop();
    }
  },
};

async function provideServer() {
  if (process.env.BENCH_DATABASE_URL) return { server: process.env.BENCH_DATABASE_URL, stop: async () => undefined };
  const require = createRequire(import.meta.url);
  const { startEmbeddedPostgres } = require('../../dist/src/database/embedded-postgres.js');
  const dataDirectory = await mkdtemp(join(tmpdir(), 'catalog-writes-'));
  const embedded = await startEmbeddedPostgres({ dataDirectory, log: () => undefined });
  return {
    server: embedded.url,
    stop: () => embedded.stop().then(() => rm(dataDirectory, { recursive: true, force: true })),
  };
}

async function createDatabase(name, statements) {
  const database = `catalog_writes_${process.pid}_${name.replaceAll(' ', '_')}`;
  await admin.query(`CREATE DATABASE ${database} TEMPLATE template0 ENCODING 'UTF8'`);
  const url = new URL(server);
  url.pathname = `/${database}`;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  await client.query("SET TimeZone = 'UTC'; SET synchronous_commit = off; SET jit = off");
  for (const statement of statements) await client.query(statement);
  await client.query("INSERT INTO shops (domain) VALUES ('writes.example')");
  await client.query(insertProducts(1, products));
  await client.query(insertVariants(1, products));
  await client.query(insertOrders(1, bulk));
  await client.query('VACUUM (ANALYZE)');
  return { client, database, now: await clockOf(client) };
}

/** Milliseconds of CPU time that the session's process has used, or, without /proc, the time of day. */
async function clockOf(client) {
  const file = `/proc/${(await client.query('SELECT pg_backend_pid() AS pid')).rows[0].pid}/schedstat`;
  const read = () => Number(readFileSync(file, 'utf8').split(' ')[0]) / 1e6;
  try {
    read();
    return read;
  } catch {
    return () => performance.now();
  }
}

/** Milliseconds by workload and schema; each round uses the schemas in another order. */
async function measure() {
  const times = {};
  for (let round = 0; round <= rounds; round += 1) {
    for (const [workload, { sql, after, repeat = 1 }] of Object.entries(workloads)) {
      const names = Object.keys(schemas);
      for (const name of round % 2 ? names : names.reverse()) {
        const { client, now } = sessions[name];
        const started = now();
        for (let count = 0; count < repeat; count += 1) {
          await client.query(sql(1 + ((count * 37 + round) % products), round));
        }
        // The first round only warms caches and plans.
        if (round > 0) ((times[workload] ??= {})[name] ??= []).push((now() - started) / repeat);
        if (after) await client.query(after);
        if (repeat === 1) await client.query('VACUUM (ANALYZE) products, variants, orders');
      }
    }
  }
  return times;
}

/** Median and least of the rounds. */
async function reportTimes(times, report) {
  for (const [workload, bySchema] of Object.entries(times)) {
    const ratio = (name) => `${(median(bySchema.full) / median(bySchema[name])).toFixed(2)} × ${name}`;
    report({
      what: workload,
      load: `${products} products × 3 variants, ${rounds} rounds`,
      measured: [
        ...Object.keys(schemas).map(
          (name) => `${name} ${toText(median(bySchema[name]))} ms (${toText(Math.min(...bySchema[name]))})`,
        ),
        `full is ${ratio('no triggers')}, ${ratio('plain')}`,
      ].join('; '),
      isKept: true,
    });
  }
  for (const name of Object.keys(schemas)) {
    const { rows } = await sessions[name].client.query(
      `SELECT round((pg_total_relation_size('products') + pg_total_relation_size('variants')
                     + pg_total_relation_size('product_tags') + coalesce(pg_total_relation_size(to_regclass('changes')), 0)
                     + coalesce(pg_total_relation_size(to_regclass('product_terms')), 0)) / 1000.0 / count(*), 1)::text AS kb FROM products`,
    );
    report({
      what: `size of the schema ${name}`,
      measured: `${rows[0].kb} kB for each product with its variants, at the end`,
      isKept: true,
    });
  }
}

function toText(milliseconds) {
  return milliseconds < 10 ? milliseconds.toFixed(2) : String(Math.round(milliseconds));
}
