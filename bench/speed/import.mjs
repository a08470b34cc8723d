// Measures the speed and the memory of an import: writes a snapshot of 20,000 products with 3 variants each (--short:
// 2,000), and imports it
//
// - into an empty database, and once more without changes;
// - beside 21 small shops that alone are in the planner's statistics;
//
// and has PostgreSQL's own COPY write the same rows into the same tables, with triggers and foreign keys, and without.
// Checks the resulting rows of the tables.
//
// Each round has separate databases on the project's own PostgreSQL, or on the server of BENCH_DATABASE_URL, whose
// login must be allowed to create databases and to switch triggers off.
import { Buffer } from 'node:buffer';
import { createReadStream, createWriteStream, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const require = createRequire(import.meta.url);
const { startEmbeddedPostgres } = require('../../dist/src/database/embedded-postgres.js');
const { migrate } = require('../../dist/src/database/migrate.js');
const { importFiles } = require('../../dist/src/ingest/import-files.js');
const { Client } = require('pg');
const { from: copyFrom, to: copyTo } = require('pg-copy-streams');

let products;
let report;
const variantsEach = 3;
const shopDomain = `import-bench-${process.pid}.example`;
const words = 'linen oak walnut copper slate amber cotton wool cedar brass stone river north winter studio'.split(' ');
const word = (number) => words[number % words.length];

/** A realistic product: about 2 kB with its description, images and variants. */
function toProductLine(number) {
  const at = new Date(Date.UTC(2020, 0, 1) + number * 60_000).toISOString();
  const title = `${word(number)} ${word(number * 7 + 3)} ${word(number * 11 + 5)} No. ${number}`;
  const variants = Array.from({ length: variantsEach }, (_, index) => ({
    external_id: String(4_000_000_000_000 + number * 10 + index),
    title: `Size ${index + 1}`,
    sku: `SKU-${number}-${index}`,
    barcode: String(4_006_381_000_000 + number * 10 + index),
    price: `${(number % 300) + index}.90`,
    compare_at_price: number % 5 === 0 ? `${(number % 300) + 20}.00` : null,
    cost_price: null,
    inventory_quantity: (number * 3 + index) % 50,
    weight: '0.5',
    weight_unit: 'kg',
    position: index + 1,
    image_url: null,
    options: [{ name: 'Size', value: String(index + 1) }],
    created_at: at,
    updated_at: at,
  }));
  return JSON.stringify({
    type: 'product',
    external_id: String(7_000_000_000_000 + number),
    title,
    handle: title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'),
    status: number % 20 === 0 ? 'DRAFT' : 'ACTIVE',
    vendor: `Vendor ${number % 40}`,
    product_type: word(number * 13),
    tags: [word(number), word(number + 1), `season-${number % 8}`],
    description_html: `<p>${`${title}, made of ${word(number * 5)}. `.repeat(8)}</p>`,
    seo_title: title,
    seo_description: null,
    image_url: `https://images.example.com/${number}.jpg`,
    published_at: at,
    created_at: at,
    updated_at: at,
    variants,
  });
}

function* snapshotLines() {
  yield `${JSON.stringify({ type: 'shop', name: 'Import benchmark', last_sync_at: '2026-01-01T00:00:00.000Z' })}\n`;
  for (let number = 0; number < products; number += 1) yield `${toProductLine(number)}\n`;
}

/**
 * Seconds that the main thread of a process has run, and that it was ready but had no core; undefined if they cannot be
 * read.
 */
function schedule(pid) {
  try {
    const [ran, delayed] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
    return { ran: Number(ran) / 1e9, delayed: Number(delayed) / 1e9 };
  } catch {
    return undefined;
  }
}

/**
 * Runs something that connects under a name, and reports how long it took and the processor time of both sides. A side
 * that neither runs nor is ready waits for the other one.
 */
async function measure(label, client, application, run) {
  let pid;
  let server;
  const watch = setInterval(async () => {
    const { rows } = pid
      ? { rows: [] }
      : await client.query(
          `SELECT pid FROM pg_stat_activity WHERE application_name = $1 AND datname = current_database()`,
          [application],
        );
    pid ??= rows[0]?.pid;
    server = schedule(pid) ?? server;
  }, 20);
  const own = process.cpuUsage();
  const before = schedule('self');
  const start = performance.now();
  await run();
  const seconds = (performance.now() - start) / 1000;
  clearInterval(watch);
  const { user, system } = process.cpuUsage(own);
  const after = schedule('self');
  const here = after && { ran: after.ran - before.ran, delayed: after.delayed - before.delayed };
  const each = (time) => (time === undefined ? '?' : `${Math.round((time / products) * 1e6)} µs`);
  const waited = (side) => each(side && Math.max(0, seconds - side.ran - side.delayed));
  report({
    what: label,
    load: `${products} products`,
    measured:
      `${seconds.toFixed(1)} s, ${Math.round(products / seconds)} products/s; CPU time per product: ` +
      `PostgreSQL ${each(server?.ran)}, here ${each((user + system) / 1e6)} (main thread ${each(here?.ran)}); ` +
      `without a core: ${each(server?.delayed)}, ${each(here?.delayed)}; waiting: ${waited(server)}, ${waited(here)}; ` +
      `peak RSS ${Math.round(process.resourceUsage().maxRSS / 1024)} MB`,
    isKept: true,
  });
  return { seconds, server: server?.ran };
}

const importOnce = (label, url, client, file) =>
  measure(label, client, 'catalog import', () =>
    importFiles({ url }, { files: [file], shopDomain, format: 'snapshot', clock: Date.now }),
  );

/** Shops that the planner's statistics contain, and nothing else. */
const seedSmallShops = async (client) => {
  await client.query(`
    WITH shop AS (
      INSERT INTO shops (domain) SELECT 'small-' || n || '.example' FROM generate_series(1, 21) AS n RETURNING shop_id
    ), product AS (
      INSERT INTO products (shop_id, external_id, title, tags, created_at, updated_at)
      SELECT shop_id, n, 'Mug ' || n, '{a,b}', timestamptz '2020-01-01Z' + n * interval '1 hour', '2021-01-01Z'
        FROM shop CROSS JOIN generate_series(1, 342) AS n
      RETURNING shop_id, id
    )
    INSERT INTO variants (shop_id, product_id, external_id, price, position, created_at, updated_at)
    SELECT shop_id, id, n, '1.00', n, '2020-01-01Z', '2021-01-01Z' FROM product CROSS JOIN generate_series(1, 3) AS n`);
  await client.query('ANALYZE');
};

const generated = `SELECT string_agg(attname, ', ' ORDER BY attnum) AS columns FROM pg_attribute
  WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' AND attname <> ALL ($2)`;
/** Columns that triggers correct: a COPY of products comes before that of their variants. */
const derived = ['variant_count', 'min_price', 'max_price', 'total_stock'];

async function exportRows(client, directory) {
  const tables = [];
  for (const [table, left] of [
    ['products', []],
    ['products', derived],
    ['variants', []],
  ]) {
    const { rows } = await client.query(generated, [table, left]);
    const file = join(directory, `${table}-${left.length}.copy`);
    const order = table === 'products' ? 'created_at, id' : 'created_at, product_id, position';
    await pipeline(
      client.query(copyTo(`COPY (SELECT ${rows[0].columns} FROM ${table} ORDER BY ${order}) TO STDOUT`)),
      createWriteStream(file),
    );
    tables.push({ table, columns: rows[0].columns, file });
  }
  const { rows } = await client.query('SELECT shop_id FROM shops WHERE domain = $1', [shopDomain]);
  return { shopId: rows[0].shop_id, withDerived: [tables[0], tables[2]], plain: [tables[1], tables[2]] };
}

async function copyRows(label, url, client, shopId, tables, setting) {
  await client.query('INSERT INTO shops (shop_id, domain) VALUES ($1, $2)', [shopId, shopDomain]);
  const copying = new Client({ connectionString: url, application_name: 'copy' });
  await copying.connect();
  const taken = await measure(label, client, 'copy', async () => {
    await copying.query(`BEGIN; SET LOCAL jit = off; ${setting}`);
    for (const { table, columns, file } of tables) {
      await pipeline(createReadStream(file), copying.query(copyFrom(`COPY ${table} (${columns}) FROM STDIN`)));
    }
    await copying.query('COMMIT');
  });
  await copying.end();
  return taken;
}

async function checkTables(client) {
  const { rows } = await client.query(
    `SELECT (SELECT count(*)::int FROM products AS p WHERE p.shop_id = s.shop_id) AS products,
            (SELECT count(*)::int FROM variants AS v WHERE v.shop_id = s.shop_id) AS variants,
            (SELECT sum(variant_count)::int FROM products AS p WHERE p.shop_id = s.shop_id) AS counted,
            s.live_product_count::int AS live
       FROM shops AS s WHERE s.domain = $1`,
    [shopDomain],
  );
  const expected = { products, variants: products * variantsEach, counted: products * variantsEach, live: products };
  const found = JSON.stringify(rows[0]);
  if (found !== JSON.stringify(expected)) throw new Error(`expected ${JSON.stringify(expected)}, found ${found}`);
}

let databases = 0;

/** A separate migrated database, dropped afterwards. */
async function inDatabase(server, run) {
  const name = `import_bench_${process.pid}_${(databases += 1)}`;
  const admin = new Client({ connectionString: server });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  try {
    await migrate(url.href);
    const client = new Client({ connectionString: url.href });
    await client.connect();
    try {
      return await run(url.href, client);
    } finally {
      await client.end();
    }
  } finally {
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await admin.end();
  }
}

const createShop = (client) => client.query('INSERT INTO shops (domain) VALUES ($1)', [shopDomain]);

async function round(server, file, directory) {
  let copies;
  const alone = await inDatabase(server, async (url, client) => {
    await createShop(client);
    const taken = await importOnce('import into an empty database', url, client, file);
    await importOnce('the same again, unchanged', url, client, file);
    await checkTables(client);
    copies = await exportRows(client, directory);
    return taken;
  });
  const beside = await inDatabase(server, async (url, client) => {
    await seedSmallShops(client);
    await createShop(client);
    const taken = await importOnce('import beside 21 small shops', url, client, file);
    await checkTables(client);
    return taken;
  });
  const withTriggers = await inDatabase(server, (url, client) =>
    copyRows('COPY with triggers and foreign keys', url, client, copies.shopId, copies.plain, ''),
  );
  const without = await inDatabase(server, (url, client) =>
    copyRows(
      ...['COPY without them, indexes as they are', url, client, copies.shopId, copies.withDerived],
      'SET LOCAL session_replication_role = replica',
    ),
  );
  const ratio = (a, b) => (a.server && b.server ? a.server / b.server : a.seconds / b.seconds);
  report({
    what: 'CPU time of PostgreSQL, beside small shops / alone',
    promise: '≤ 1.25 ×',
    measured: `${ratio(beside, alone).toFixed(2)} ×`,
    isKept: ratio(beside, alone) <= 1.25,
  });
  for (const [peer, copied] of [
    ['with triggers', withTriggers],
    ['without', without],
  ])
    report({
      what: `CPU time of PostgreSQL, import / COPY ${peer}`,
      measured: `${ratio(alone, copied).toFixed(2)} ×`,
      isKept: true,
    });
}

export const trial = {
  what: "an import of a snapshot, compared with PostgreSQL's own COPY",
  parts: [],
  isBenchmark: true,
  async run({ isShort }, toReport) {
    products = isShort ? 2_000 : 20_000;
    report = toReport;
    const directory = await mkdtemp(join(tmpdir(), 'import-bench-'));
    let embedded;
    try {
      const file = join(directory, 'snapshot.ndjson');
      await pipeline(
        Readable.from(snapshotLines(), { objectMode: true }).map((line) => Buffer.from(line)),
        createWriteStream(file),
      );
      const given = process.env.BENCH_DATABASE_URL;
      if (!given) embedded = await startEmbeddedPostgres({ dataDirectory: directory, log: () => undefined });
      for (let number = 0; number < (isShort ? 1 : 2); number += 1) await round(given ?? embedded.url, file, directory);
    } finally {
      await embedded?.stop();
      await rm(directory, { recursive: true, force: true });
    }
  },
};
