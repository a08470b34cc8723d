/* global fetch, performance */
// Measures the elapsed time of `orderFigures`, and the CPU time of PostgreSQL's backends, for every interval, time zone
// and selection of statuses, over the longest ranges allowed. One shop has its orders in five years, one in 400 days.
// The database is kept in .data/bench-figures and reused; BENCH_DATABASE_URL selects another server.
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { createKey } from './database.mjs';
import { databaseMilliseconds, startServer, threadMilliseconds } from './process.mjs';
import { serviceSettings } from './service-settings.mjs';
import { median } from './statistics.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const data = `${root}.data/bench-figures`;

const end = Date.parse('2026-02-05T00:00:00Z');
const shops = { 'five years': 5 * 365 + 1, '400 days': 400 };
const zones = ['UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'Asia/Tokyo', 'America/Sao_Paulo'];
const selections = {
  none: '',
  financial: 'financialStatuses { status count totalPrice }',
  fulfillment: 'fulfillmentStatuses { status count totalPrice }',
  both: 'financialStatuses { status count totalPrice } fulfillmentStatuses { status count totalPrice }',
};
/** Ranges end before the last midnight of each zone, so that there are at most 400 buckets in all of them. */
const intervals = { DAY: 399, WEEK: 399 * 7, MONTH: 399 * 30 };
const lastOrders = { from: '2025-12-27T01:12:00Z' };
/** Conditions that the rollups do not have. Those that match more orders than are read one by one are rejected. */
const filters = {
  'a tag on 20 %': { tag: 'gift' },
  'a tag on 0.1 %': { tag: 't-7' },
  'a tag on none': { tag: 'nothing' },
  'any of two tags': { tagsAny: ['gift', 't-7'] },
  'price from 100': { totalPrice: { min: '100' } },
  'price from 319': { totalPrice: { min: '319' } },
  'changed in the last half': { updatedAt: { from: '2025-07-01T00:00:00Z' } },
  'changed on the last day': { updatedAt: { from: '2026-02-04T00:00:00Z' } },
  'all of 100,000': { totalPrice: { min: '0' }, createdAt: lastOrders },
  'a tag on 20 % of 100,000': { tag: 'gift', createdAt: lastOrders },
  '200 order numbers': { orderNumberIn: Array.from({ length: 200 }, (_, index) => `#${1000 + index}`) },
};

/** 60 groups: five currencies, four statuses of payment, three of fulfillment. */
const load = `
  INSERT INTO orders (shop_id, external_id, order_number, customer_name, currency, total_price, subtotal_price, total_tax, total_shipping,
                      financial_status, fulfillment_status, items_count, tags, created_at, updated_at)
  SELECT $1::uuid, i::text, '#' || i, 'Customer ' || i % 7000, (ARRAY['EUR', 'USD', 'GBP', 'CHF', 'JPY'])[1 + (hashint4(i) & 1023) % 5],
         (20 + i % 300) || '.90', (15 + i % 300) || '.00', (i % 40) || '.10', '4.90',
         (ARRAY['PAID', 'PENDING', 'REFUNDED', 'VOIDED'])[1 + (hashint4(i + 1000000007) & 1023) % 4],
         (ARRAY['FULFILLED', 'OPEN', NULL])[1 + (hashint4(i + 900000011) & 1023) % 3],
         1 + i % 6, CASE WHEN i % 5 = 0 THEN ARRAY['gift'] ELSE '{}' END || CASE WHEN i % 10 = 1 THEN ARRAY['t-' || i % 1000 / 10] ELSE '{}' END,
         at, at + interval '1 day' * (i % 30)
    FROM generate_series(1, $2::integer) AS i
   CROSS JOIN LATERAL (SELECT $4::timestamptz - make_interval(secs => $3::float8 * 86400 * (i - 0.5) / $2::float8) AS at) AS placed`;

const require = createRequire(import.meta.url);
const { startEmbeddedPostgres } = require('../../dist/src/database/embedded-postgres.js');
const { migrate } = require('../../dist/src/database/migrate.js');
export const trial = {
  what: 'order aggregates of two large shops, over the longest ranges',
  parts: [...Object.keys(intervals), 'filters'],
  isBenchmark: true,
  async run({ isShort, parts }, report) {
    const orders = isShort ? 50_000 : 1_000_000;
    const server = process.env.BENCH_DATABASE_URL
      ? { url: process.env.BENCH_DATABASE_URL, stop: async () => undefined }
      : await startEmbeddedPostgres({ dataDirectory: data, log: () => undefined });
    try {
      const admin = new pg.Client({ connectionString: server.url });
      await admin.connect();
      const database = `catalog_figures_${orders}`;
      if ((await admin.query('SELECT FROM pg_database WHERE datname = $1', [database])).rowCount === 0)
        await admin.query(`CREATE DATABASE ${database} TEMPLATE template0 ENCODING 'UTF8'`);
      await admin.end();
      const url = new URL(server.url);
      url.pathname = `/${database}`;
      await migrate(url.href);
      const client = new pg.Client({ connectionString: url.href });
      await client.connect();
      const query = async (text, values) => (await client.query(text, values)).rows;
      const keys = {};
      for (const [name, days] of Object.entries(shops)) {
        const domain = `${name.replace(' ', '-')}.example`;
        const { rows } = await client.query('SELECT shop_id FROM shops WHERE domain = $1', [domain]);
        const shopId = rows[0]?.shop_id ?? (await loadShop(client, domain, days, orders));
        keys[name] = { shopId, key: (await createKey(query, shopId)).apiKey };
      }
      const service = await startServer(process.execPath, [`${root}dist/src/main.js`], {
        env: serviceSettings(url.href, `${data}-scratch`),
        cwd: root,
      });
      try {
        await measure(service, client, keys, { samples: isShort ? 3 : 11, parts }, report);
      } finally {
        await service.stop();
        await client.end();
      }
    } finally {
      await server.stop();
    }
  },
};

async function loadShop(client, domain, days, orders) {
  await client.query("SET TimeZone = 'UTC'; SET synchronous_commit = off; SET jit = off; SET work_mem = '256MB'");
  const { rows } = await client.query(
    "INSERT INTO shops (domain, name, platform, currency, plan) VALUES ($1, $1, 'shopify', 'EUR', 'business') RETURNING shop_id",
    [domain],
  );
  const shopId = rows[0].shop_id;
  await client.query('BEGIN');
  // The rollups are computed at once, in the order in which triggers write them.
  await client.query('ALTER TABLE orders DISABLE TRIGGER USER');
  await client.query(load, [shopId, orders, days, new Date(end)]);
  await client.query('ALTER TABLE orders ENABLE TRIGGER USER');
  await client.query('INSERT INTO order_figures SELECT * FROM catalog_order_figures($1) ORDER BY hours, from_at', [
    shopId,
  ]);
  await client.query('COMMIT');
  await client.query('VACUUM (ANALYZE)');
  return shopId;
}

async function measure(service, client, keys, { samples, parts }, report) {
  const cases = Object.entries(keys).flatMap(([shop, of]) => [
    ...Object.entries(intervals).flatMap(([interval, days]) =>
      zones.flatMap((timeZone) =>
        Object.entries(selections).map(([statuses, fields]) => ({
          name: `${shop} ${interval} ${timeZone} ${statuses}`,
          part: interval,
          ...of,
          fields,
          variables: {
            interval,
            timeZone,
            range: {
              from: new Date(Math.max(end - days * 86_400_000, Date.parse('2000-01-01Z'))).toISOString(),
              to: new Date(end).toISOString(),
            },
          },
        })),
      ),
    ),
    ...Object.entries(filters).map(([filter, conditions]) => ({
      name: `${shop} filter ${filter}`,
      part: 'filters',
      ...of,
      fields: selections.both,
      variables: { interval: 'MONTH', timeZone: 'UTC', filter: conditions },
    })),
  ]);
  for (const { name, shopId, key, fields, variables } of cases.filter(({ part }) => parts.includes(part))) {
    const query = `query ($interval: FigureInterval!, $timeZone: String!, $range: DateTimeRange, $filter: OrderFilter) {
      orderFigures(interval: $interval, timeZone: $timeZone, range: $range, filter: $filter) {
        buckets { date start currencies { currency count totalPrice ${fields} } } totals { currency count totalPrice ${fields} } } }`;
    const [elapsed, server, own] = [[], [], []];
    let bytes = 0;
    let failure;
    for (let sample = -3; sample < samples && failure === undefined; sample += 1) {
      await client.query('UPDATE shops SET name = name WHERE shop_id = $1', [shopId]);
      const before = await processorTimes(client, service.pid);
      const started = performance.now();
      const response = await fetch(`${service.origin}/graphql`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables }),
      });
      const text = await response.text();
      const milliseconds = performance.now() - started;
      const after = await processorTimes(client, service.pid);
      if (text.includes('"errors"')) failure = text.slice(0, 300);
      bytes = text.length;
      if (sample < 0) continue;
      elapsed.push(milliseconds);
      server.push(after.server - before.server);
      own.push(after.own - before.own);
    }
    const figure = (values) => median(values).toFixed(1);
    report({
      what: name,
      measured:
        failure ??
        `${figure(elapsed)} ms; CPU time: PostgreSQL ${figure(server)} ms, service ${figure(own)} ms; ${bytes} bytes`,
      isKept: true,
    });
  }
}

/** CPU milliseconds of PostgreSQL and of the service's main thread. */
const processorTimes = async (client, servicePid) => ({
  server: await databaseMilliseconds(async (text) => (await client.query(text)).rows),
  own: threadMilliseconds(servicePid),
});
