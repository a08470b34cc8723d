import { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import type { BucketState, RateLimiter } from './rate-limiter';
import { createMemoryRateLimiter, toBucketState, toCountedDecision, windowSeconds } from './rate-limiter';
import { answerWithin } from '../common/timer';
import { watchRedis } from './redis-health';

// Redis keeps a key up to and including its last millisecond, so a key of 60,000 ms refuses a call that arrives exactly
// 60 s later. One millisecond less, added back in `withLastMillisecond`, makes the window end at the time that was
// announced (D18).
const countCall = `
  redis.call('set', KEYS[1], 0, 'PX', ARGV[2] * 1000 - 1, 'NX')
  local consumed = redis.call('incrby', KEYS[1], ARGV[1])
  local left = redis.call('pttl', KEYS[1])
  if left < 0 then
    left = ARGV[2] * 1000 - 1
    redis.call('pexpire', KEYS[1], left)
  end
  return {consumed, left}`;

interface RedisRateLimiterOptions {
  readonly url: string;
  readonly points: number;
  /**
   * A call that Redis has not answered by then is counted in memory. The default is half of the 150 ms that D20 allows.
   */
  readonly answerTimeoutMilliseconds?: number;
  /**
   * Redis has just failed: calls are limited per process until it responds again. For the log and the counters (D20).
   */
  readonly onDegraded: (error: unknown) => void;
  /** Redis responds again and is used again. */
  readonly onRestored?: () => void;
}

export interface RedisRateLimiter extends RateLimiter {
  /** Whether calls are limited per process because Redis does not respond. */
  readonly isDegraded: () => boolean;
  /** Resolves with true once Redis has responded, or with false after that time. For the start of a process. */
  readonly waitForConnection: (timeoutMilliseconds: number) => Promise<boolean>;
  close(): void;
}

/**
 * Buckets that all processes share. A call on which Redis fails is counted in this process's memory instead, and so are
 * all later calls until a background probe succeeds. A dead or hanging Redis delays the calls in flight by at most 75
 * ms and later ones not at all (D20).
 */
export function createRedisRateLimiter(options: RedisRateLimiterOptions): RedisRateLimiter {
  const { points, answerTimeoutMilliseconds = 75 } = options;
  const client = new Redis(options.url, {
    // The defaults queue and repeat commands for many seconds while Redis is unavailable; a request cannot wait for
    // that.
    enableOfflineQueue: false,
    // The calls of one turn of the event loop share one write.
    enableAutoPipelining: true,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 1000,
    commandTimeout: 10 * answerTimeoutMilliseconds,
    disconnectTimeout: 100,
    retryStrategy: (attempt) => Math.min(attempt * 50, 500),
  });
  const store = new RateLimiterRedis({
    storeClient: client,
    points,
    duration: windowSeconds,
    keyPrefix: 'ratelimit',
    customIncrTtlLuaScript: countCall,
    rejectIfRedisNotReady: true,
  });
  const memory = createMemoryRateLimiter({ points });
  const health = watchRedis({
    client,
    tryCommand: () => answerWithin(toBucketState(store.consume('probe')), answerTimeoutMilliseconds),
    onDegraded: options.onDegraded,
    onRestored: options.onRestored,
  });

  return {
    limit: points,
    async consume(bucket) {
      if (health.isDegraded()) return memory.consume(bucket);
      try {
        const state = await answerWithin(toBucketState(store.consume(bucket)), answerTimeoutMilliseconds);
        return toCountedDecision(points, withLastMillisecond(state));
      } catch (error) {
        health.degrade(error);
        return memory.consume(bucket);
      }
    },
    isDegraded: health.isDegraded,
    waitForConnection: health.waitForConnection,
    close() {
      health.stop();
      client.disconnect();
    },
  };
}

const withLastMillisecond = ({ consumed, millisecondsLeft }: BucketState): BucketState => ({
  consumed,
  millisecondsLeft: millisecondsLeft + 1,
});
