import cluster from 'node:cluster';
import { createClusterRateLimiter, serveClusterRateLimiters } from '../../src/rate-limit/cluster-rate-limiter';

/**
 * Four workers of one primary, each of which counts 50 calls in one bucket in two turns of the event loop. Sends all
 * decisions, and how many messages the primary got to make them.
 */
async function count(): Promise<void> {
  const limiter = createClusterRateLimiter({ points: 120, onDegraded: () => process.exit(1) });
  const consume = () => Array.from({ length: 25 }, () => limiter.consume('key:a'));
  const first = consume();
  await new Promise(setImmediate);
  const decisions = await Promise.all([...first, ...consume()]);
  process.send?.({ decisions }, () => process.disconnect());
}

if (cluster.isPrimary) {
  serveClusterRateLimiters(120);
  const decisions: unknown[] = [];
  let messages = 0;
  cluster.on('message', (_, message: { decisions?: unknown[] }) => {
    if (message.decisions === undefined) messages += 1;
    else if (decisions.push(...message.decisions) === 200) process.send?.({ decisions, messages });
  });
  for (let worker = 0; worker < 4; worker += 1) cluster.fork();
} else void count();
