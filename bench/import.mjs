// How fast and how small an import is: writes a snapshot of 100,000 products with 3 variants each, imports it into an
// empty shop of the project's own PostgreSQL, imports it once more, and checks what then stands in the tables.
//
//   node build.mjs && node bench/import.mjs [products]
//
// With DATABASE_URL set that server is used instead; the shop is deleted at the end either way.
import { Buffer } from 'node:buffer';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const require = createRequire(import.meta.url);
const { startEmbeddedPostgres } = require('../dist/src/database/embedded-postgres.js');
const { migrate } = require('../dist/src/database/migrate.js');
const { importFiles } = require('../dist/src/ingest/import-files.js');
const { Client } = require('pg');

const products = Number(process.argv[2] ?? 100_000);
const variantsEach = 3;
const shopDomain = `import-bench-${process.pid}.example`;
const words = 'linen oak walnut copper slate amber cotton wool cedar brass stone river north winter studio'.split(' ');
const word = (number) => words[number % words.length];

/** A product as a real shop has it: about 2 kB with its description, images and variants. */
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

async function importOnce(label, url, file) {
  const start = performance.now();
  const report = await importFiles({ url }, { files: [file], shopDomain, format: 'snapshot', clock: Date.now });
  const seconds = (performance.now() - start) / 1000;
  const peak = Math.round(process.resourceUsage().maxRSS / 1024);
  const { created, updated, unchanged } = report.products;
  console.log(
    `${label}: ${seconds.toFixed(1)} s, ${Math.round(products / seconds)} products/s, peak RSS ${peak} MB ` +
      `(created ${created}, updated ${updated}, unchanged ${unchanged})`,
  );
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
  console.log(`tables: ${found}`);
}

async function run(url, file) {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('INSERT INTO shops (domain) VALUES ($1)', [shopDomain]);
    await importOnce('first import', url, file);
    await importOnce('second import', url, file);
    await checkTables(client);
  } finally {
    await client.query('DELETE FROM shops WHERE domain = $1', [shopDomain]);
    await client.end();
  }
}

const directory = await mkdtemp(join(tmpdir(), 'import-bench-'));
let embedded;
try {
  const file = join(directory, 'snapshot.ndjson');
  await pipeline(
    Readable.from(snapshotLines(), { objectMode: true }).map((line) => Buffer.from(line)),
    createWriteStream(file),
  );
  console.log(`${products} products × ${variantsEach} variants, ${Math.round((await stat(file)).size / 1e6)} MB`);
  const given = process.env.DATABASE_URL;
  if (!given) embedded = await startEmbeddedPostgres({ dataDirectory: directory, log: () => undefined });
  const url = given ?? embedded.url;
  await migrate(url);
  await run(url, file);
} finally {
  await embedded?.stop();
  await rm(directory, { recursive: true, force: true });
}
