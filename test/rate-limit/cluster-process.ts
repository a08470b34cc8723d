import cluster from 'node:cluster';
import { createClusterRateLimiter, serveClusterRateLimiters } from '../../src/rate-limit/cluster-rate-limiter';

/**
 * Workers of one primary, each of which counts calls in one bucket, all at once and several times. Prints how many
 * calls each admitted and how many messages it sent.
 */
const [workers = 0, calls = 0] = process.argv.slice(2).map(Number);

async function count(): Promise<void> {
  const limiter = createClusterRateLimiter({ points: 120, onDegraded: () => process.exit(1) });
  const send = process.send?.bind(process) as (...given: unknown[]) => boolean;
  let messages = 0;
  process.send = (...given) => {
    messages += 1;
    return send(...given);
  };
  const decisions = await Promise.all(Array.from({ length: calls }, () => limiter.consume('key:a')));
  const admitted = decisions.filter((decision) => decision.admitted).length;
  const remaining = decisions.map((decision) => decision.remaining);
  send({ admitted, messages, remaining }, () => process.disconnect());
}

if (cluster.isPrimary) {
  serveClusterRateLimiters(120);
  const results: unknown[] = [];
  cluster.on('message', (_, message: { readonly admitted?: number }) => {
    if (message.admitted !== undefined && results.push(message) === workers) process.send?.(results);
  });
  for (let worker = 0; worker < workers; worker += 1) cluster.fork();
} else void count();
