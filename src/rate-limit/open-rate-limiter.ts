import type { Config } from '../config/config';
import type { Log } from '../observability/log';
import { failureFields } from '../observability/log';
import type { RateLimiter } from './rate-limiter';
import { createMemoryRateLimiter } from './rate-limiter';
import type { RedisRateLimiter } from './redis-rate-limiter';
import { createRedisRateLimiter } from './redis-rate-limiter';

/** Only Redis can be unavailable, and has a connection to close. */
export type RateLimitStore = RateLimiter & Partial<RedisRateLimiter>;

/** @param local the limiter without Redis; by default in this process's memory */
export function openRateLimiter(
  { redisUrl, rateLimitRequests: points }: Pick<Config, 'redisUrl' | 'rateLimitRequests'>,
  log: Log,
  local: RateLimiter | undefined,
): RateLimitStore {
  if (redisUrl === undefined) return local ?? createMemoryRateLimiter({ points });
  return createRedisRateLimiter({
    url: redisUrl,
    points,
    onDegraded: (error) =>
      log.warn(
        failureFields(error),
        'Redis is unavailable; each process enforces its own rate limit until it is available',
      ),
    onRestored: () => log.info('Redis is available again; processes share the rate limit'),
  });
}
