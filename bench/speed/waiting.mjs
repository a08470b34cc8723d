/* global performance */
/** Clients that wait for changes: the cost of each, and how soon it gets a change. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { processorMilliseconds, residentBytes, startServer } from './process.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Streams are opened this many at a time, so that the queue of the listening socket does not limit their number. */
const batch = 200;
const commits = 8;

/**
 * Opens streams of one shop that wait for its next change, in a process of their own, and writes.
 * @returns kilobytes of a client, what waiting costs, and the seconds from a commit to the first, median and last
 * client
 */
export async function measureWaiting({ env, key, shopId, oracle, clients: count, log }) {
  const service = await startServer(process.execPath, [join(root, 'dist/src/main.js')], {
    env: { ...env, MAX_CONNECTIONS: String(count + 1_000), MAX_WAITING_CLIENTS: String(count) },
  });
  const { port } = new URL(service.origin);
  const clients = [];
  try {
    const one = await openStream(port, key);
    clients.push(one);
    const alone = [];
    for (let turn = 0; turn < commits; turn += 1) {
      // Commits at any moment of the interval.
      await delay(Math.random() * 1_000);
      alone.push((await change([one], shopId, oracle))[0]);
    }
    const openUntil = async (length) => {
      while (clients.length < length) {
        const more = Math.min(batch, length - clients.length);
        clients.push(...(await Promise.all(Array.from({ length: more }, () => openStream(port, key)))));
      }
    };
    // The first ones account for what a process needs in any case.
    await openUntil(count / 5);
    const [first, before] = [clients.length, residentBytes(service.pid)];
    await openUntil(count);
    const kilobytes = () => (residentBytes(service.pid) - before) / 1024 / (clients.length - first);
    const idle = await watchIdle(service, oracle);
    const kilobytesIdle = kilobytes();
    log(`${clients.length} clients: ${kilobytesIdle.toFixed(1)} kB each, ${idle.processor.toFixed(0)} ms CPU/s`);
    const together = (await change(clients, shopId, oracle)).sort((a, b) => a - b);
    const at = (share) => together[Math.floor((together.length - 1) * share)] / 1000;
    log(
      `one change for all of them: first ${at(0).toFixed(2)} s, median ${at(0.5).toFixed(2)}, last ${at(1).toFixed(2)}`,
    );
    return {
      clients: clients.length,
      kilobytes: kilobytesIdle,
      kilobytesAfter: kilobytes(),
      processorMillisecondsPerSecond: idle.processor,
      statementsPerSecond: idle.statements,
      alone: { median: alone.sort((a, b) => a - b)[alone.length >> 1] / 1000, slowest: alone.at(-1) / 1000 },
      together: { first: at(0), median: at(0.5), last: at(1) },
    };
  } finally {
    for (const { socket } of clients) socket.destroy();
    await service.stop();
  }
}

/** Opens a stream that is up to date, with a client that reads everything that arrives. */
async function openStream(port, key) {
  const socket = connect(Number(port), '127.0.0.1');
  const client = { socket, onChange: undefined };
  socket.on('error', () => undefined);
  socket.write(
    `GET /changes?after=now&types=products HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nAccept: text/event-stream\r\n\r\n`,
  );
  for (let text = ''; !text.includes('event: current');) {
    const [chunk] = await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => [undefined])]);
    if (chunk === undefined) throw new Error(`WRONG RESPONSE: a stream was closed: ${text.slice(0, 200)}`);
    text += chunk.toString();
  }
  socket.on('data', (chunk) => {
    if (chunk.includes('data: {"type":"product"')) client.onChange?.();
  });
  return client;
}

/** Writes to a product. @returns for each client how many milliseconds after the commit the change was there */
async function change(clients, shopId, oracle) {
  const arrivals = clients.map(
    (client) =>
      new Promise((resolve) => {
        client.hasChange = false;
        client.onChange = () => {
          client.hasChange = true;
          resolve(performance.now());
        };
      }),
  );
  await oracle.query(
    `UPDATE products SET vendor = 'Kiln ' || random(), updated_at = now()
      WHERE id = (SELECT id FROM products WHERE shop_id = $1 AND deleted_at IS NULL ORDER BY id LIMIT 1)`,
    [shopId],
  );
  const committed = performance.now();
  const late = setTimeout(() => {
    const missing = clients.filter(({ hasChange }) => !hasChange).length;
    throw new Error(`WRONG RESPONSE: clients without the change after a minute: ${missing} of ${clients.length}`);
  }, 60_000);
  const times = (await Promise.all(arrivals)).map((at) => at - committed);
  clearTimeout(late);
  return times;
}

/** The cost of waiting: CPU time and database transactions per second. */
async function watchIdle(service, oracle) {
  // Long enough for two heartbeats and for the garbage of opening the streams.
  const seconds = 40;
  const transactions = async () =>
    Number(
      (await oracle.query('SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()'))[0]
        .xact_commit,
    );
  // Idle sessions of PostgreSQL report their statistics after ten seconds.
  await delay(12_000);
  const [before, processor] = [await transactions(), processorMilliseconds(service.pid)];
  await delay(seconds * 1_000);
  return {
    processor: (processorMilliseconds(service.pid) - processor) / seconds,
    statements: ((await transactions()) - before) / seconds,
  };
}
