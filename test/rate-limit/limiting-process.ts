import { createRedisRateLimiter } from '../../src/rate-limit/redis-rate-limiter';

/**
 * One of several processes that share buckets: it receives a bucket and a count, and returns how many calls were
 * admitted.
 */
const limiter = createRedisRateLimiter({
  url: process.argv[2] ?? '',
  points: 120,
  answerTimeoutMilliseconds: Number(process.argv[3]),
  onDegraded: () => undefined,
});

process.on('message', ({ bucket, count }: { bucket: string; count: number }) => {
  void Promise.all(Array.from({ length: count }, () => limiter.consume(bucket))).then((decisions) =>
    process.send?.(decisions.filter(({ admitted }) => admitted).length),
  );
});

void limiter.waitForConnection(10_000).then((connected) => process.send?.(connected));
