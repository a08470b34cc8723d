import cluster from 'node:cluster';
import { createClusterRateLimiter, serveClusterRateLimiters } from '../../src/rate-limit/cluster-rate-limiter';
import type { RateLimitDecision } from '../../src/rate-limit/rate-limiter';

/** The decisions of one worker for each bucket, in the order of its calls. */
export type Decisions = Readonly<Record<'a' | 'b', readonly RateLimitDecision[]>>;

/**
 * Four workers of one primary, each of which counts 50 calls in each of two buckets in two turns of the event loop.
 * Sends all decisions by bucket, and how many messages the primary got to make them.
 */
async function count(): Promise<void> {
  const limiter = createClusterRateLimiter({ points: 120, onDegraded: () => process.exit(1) });
  const a: Promise<RateLimitDecision>[] = [];
  const b: Promise<RateLimitDecision>[] = [];
  for (let turn = 0; turn < 2; turn += 1) {
    for (let call = 0; call < 25; call += 1) {
      a.push(limiter.consume('key:a'));
      b.push(limiter.consume('key:b'));
    }
    await new Promise(setImmediate);
  }
  const decisions = { a: await Promise.all(a), b: await Promise.all(b) };
  process.send?.({ decisions }, () => process.disconnect());
}

if (cluster.isPrimary) {
  serveClusterRateLimiters(120);
  const decisions: Decisions[] = [];
  let messages = 0;
  cluster.on('message', (_, message: { decisions?: Decisions }) => {
    if (message.decisions === undefined) messages += 1;
    else if (decisions.push(message.decisions) === 4) process.send?.({ decisions, messages });
  });
  for (let worker = 0; worker < 4; worker += 1) cluster.fork();
} else void count();
