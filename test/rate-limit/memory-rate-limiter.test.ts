import type { RateLimiter } from '../../src/rate-limit/rate-limiter';
import { createMemoryRateLimiter } from '../../src/rate-limit/rate-limiter';
import { fc } from '../support/properties';

const consumeMany = (limiter: RateLimiter, count: number, bucket = 'key:a') =>
  Promise.all(Array.from({ length: count }, () => limiter.consume(bucket)));

describe('the rate limiter in memory (D18)', () => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('opens the window with the first call and not with a clock minute', async () => {
    const limiter = createMemoryRateLimiter({ points: 120 });
    jest.setSystemTime(new Date('2026-01-31T12:00:59.900Z'));
    await consumeMany(limiter, 120);
    jest.advanceTimersByTime(59_999);
    expect(await limiter.consume('key:a')).toMatchObject({ admitted: false, resetSeconds: 1 });
    jest.advanceTimersByTime(1);
    expect(await limiter.consume('key:a')).toMatchObject({ admitted: true, remaining: 119, resetSeconds: 60 });
  });

  it('admits a caller that waits exactly as long as announced, whenever it called', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 59_999 }), fc.integer({ min: 0, max: 999 }), async (wait, offset) => {
        jest.setSystemTime(1_800_000_000_000 + offset);
        const limiter = createMemoryRateLimiter({ points: 1 });
        await limiter.consume('key:a');
        jest.advanceTimersByTime(wait);
        const refused = await limiter.consume('key:a');
        expect(refused).toMatchObject({ admitted: false });
        expect(refused.resetSeconds).toBeGreaterThanOrEqual(1);
        jest.advanceTimersByTime(refused.resetSeconds * 1000);
        expect(await limiter.consume('key:a')).toMatchObject({ admitted: true });
      }),
    );
  });
});
