/* global performance */
/** An export of the largest shop, next to PostgreSQL's own COPY of the same rows, and its effect on another shop. */
import { once } from 'node:events';
import { get } from 'node:http';
import { Worker } from 'node:worker_threads';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { processorMilliseconds, residentBytes } from './process.mjs';
import { median, percentile } from './statistics.mjs';

/**
 * COPY of the rows of an export in their order, by one process as in an export; its bytes are received and dropped.
 * @returns the seconds that it takes, and the milliseconds of CPU time of PostgreSQL
 */
async function copyRows(url, shopId) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('SET max_parallel_workers_per_gather = 0; SET enable_sort = off; SET enable_seqscan = off');
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
  const before = processorMilliseconds(rows[0].pid);
  const started = performance.now();
  for (const table of ['products', 'variants', 'collections', 'orders']) {
    const statement =
      table === 'variants'
        ? `SELECT v.* FROM products AS p JOIN variants AS v ON (v.shop_id, v.product_id) = (p.shop_id, p.id)
            WHERE p.shop_id = '${shopId}' ORDER BY p.created_at, p.id, v.position`
        : `SELECT * FROM ${table} WHERE shop_id = '${shopId}' ORDER BY created_at, id`;
    const stream = client.query(copyTo(`COPY (${statement}) TO STDOUT`));
    stream.resume();
    await once(stream, 'end');
  }
  const seconds = (performance.now() - started) / 1000;
  const milliseconds = processorMilliseconds(rows[0].pid) - before;
  await client.end();
  return { seconds, milliseconds };
}

/** The process of PostgreSQL that runs the export. */
async function findBackend(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query("SELECT pid FROM pg_stat_activity WHERE application_name = 'catalog export'");
  await client.end();
  return rows[0]?.pid;
}

/** Reads an export to its end. @returns the counts of its last line, and what it took */
async function readExport({ origin, key, pid, url }) {
  const rest = residentBytes(pid);
  let peak = rest;
  let backend;
  let backendMilliseconds = 0;
  const before = processorMilliseconds(pid);
  const watch = setInterval(() => {
    peak = Math.max(peak, residentBytes(pid));
    backendMilliseconds = processorMilliseconds(backend) ?? backendMilliseconds;
  }, 50);
  const started = performance.now();
  const [response] = await once(get(`${origin}/export`, { headers: { authorization: `Bearer ${key}` } }), 'response');
  backend = await findBackend(url);
  let bytes = 0;
  let end = '';
  for await (const chunk of response) {
    bytes += chunk.length;
    end = (end + chunk.subarray(-500).toString('latin1')).slice(-500);
  }
  const seconds = (performance.now() - started) / 1000;
  clearInterval(watch);
  const last = JSON.parse(end.trim().split('\n').at(-1));
  if (last.type !== 'complete') throw new Error(`WRONG RESPONSE: the export ends with ${JSON.stringify(last)}`);
  const milliseconds = backendMilliseconds + processorMilliseconds(pid) - before;
  return { counts: last, bytes, seconds, milliseconds, memoryBytes: peak - rest };
}

/** Starts to request pages of one shop. @returns a function that stops, and returns their times in milliseconds */
function requestPages({ origin, key, positions }) {
  const cursors = positions.map(({ cursor }) => cursor);
  const thread = new Worker(new URL('./request-pages.mjs', import.meta.url), { workerData: { origin, key, cursors } });
  const times = once(thread, 'message');
  return async () => {
    thread.postMessage('stop');
    return (await times)[0];
  };
}

/**
 * @param large the shop that is exported
 * @param other the shop that sends requests meanwhile, with the positions at which its pages start
 */
export async function measureExport({ service, database, large, other, rounds, seconds, log }) {
  const { origin, pid } = service;
  const { url } = database;
  const found = [];
  for (let round = 0; round < rounds; round += 1) {
    const copied = await copyRows(url, large.shopId);
    const alone = await readExport({ origin, pid, url, key: large.key });
    const stopCalm = requestPages({ origin, ...other });
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    const calm = await stopCalm();
    const stop = requestPages({ origin, ...other });
    const accompanied = await readExport({ origin, pid, url, key: large.key });
    const during = await stop();
    const [calmP95, duringP95] = [percentile(calm, 0.95), percentile(during, 0.95)];
    found.push({
      copyRate: alone.counts.products / copied.seconds,
      copyMicroseconds: (1000 * copied.milliseconds) / alone.counts.products,
      microseconds: (1000 * alone.milliseconds) / alone.counts.products,
      rate: alone.counts.products / alone.seconds,
      megabytesPerSecond: alone.bytes / alone.seconds / 1e6,
      memoryMegabytes: Math.max(alone.memoryBytes, accompanied.memoryBytes) / 2 ** 20,
      calm: calmP95,
      during: duringP95,
      slowdown: duringP95 / calmP95,
    });
    log(
      `  ${JSON.stringify(found.at(-1), (_, value) => (typeof value === 'number' ? Number(value.toPrecision(3)) : value))}`,
    );
  }
  const middle = (name) => median(found.map((each) => each[name]));
  return {
    rate: middle('rate'),
    copyRate: middle('copyRate'),
    microseconds: middle('microseconds'),
    copyMicroseconds: middle('copyMicroseconds'),
    memoryMegabytes: Math.max(...found.map(({ memoryMegabytes }) => memoryMegabytes)),
    calm: middle('calm'),
    during: middle('during'),
    slowdown: middle('slowdown'),
  };
}
