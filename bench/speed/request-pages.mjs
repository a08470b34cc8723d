/* global performance */
/**
 * Uncached pages of one shop, one at a time, until a message arrives. In a thread of its own, so that its times do not
 * include what another client of the benchmark does.
 */
import { once } from 'node:events';
import { get } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

const { origin, key, cursors } = workerData;
let isOver = false;
parentPort.once('message', () => (isOver = true));
const times = [];
while (!isOver) {
  const cursor = cursors[Math.floor(Math.random() * cursors.length * 0.98)];
  const started = performance.now();
  const [response] = await once(
    get(`${origin}/v1/products?cursor=${cursor}`, { headers: { authorization: `Bearer ${key}` } }),
    'response',
  );
  response.resume();
  await once(response, 'end');
  if (response.statusCode !== 200) throw new Error(`WRONG RESPONSE: ${response.statusCode} during an export`);
  times.push(performance.now() - started);
}
parentPort.postMessage(times);
