import cluster from 'node:cluster';
import { createClusterRateLimiter, serveClusterRateLimiters } from '../../src/rate-limit/cluster-rate-limiter';

/**
 * Four workers of one primary, each of which counts 50 calls in one bucket in two turns of the event loop. Sends the
 * decisions of each, and how many messages it sent.
 */
async function count(): Promise<void> {
  const limiter = createClusterRateLimiter({ points: 120, onDegraded: () => process.exit(1) });
  const send = process.send?.bind(process) as (...given: unknown[]) => boolean;
  let messages = 0;
  process.send = (...given) => {
    messages += 1;
    return send(...given);
  };
  const consume = () => Array.from({ length: 25 }, () => limiter.consume('key:a'));
  const first = consume();
  await new Promise(setImmediate);
  const decisions = await Promise.all([...first, ...consume()]);
  send({ decisions, messages }, () => process.disconnect());
}

if (cluster.isPrimary) {
  serveClusterRateLimiters(120);
  const results: unknown[] = [];
  cluster.on('message', (_, message: object) => {
    if ('decisions' in message && results.push(message) === 4) process.send?.(results);
  });
  for (let worker = 0; worker < 4; worker += 1) cluster.fork();
} else void count();
