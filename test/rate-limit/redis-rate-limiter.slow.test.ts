import { fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { RedisRateLimiter } from '../../src/rate-limit/redis-rate-limiter';
import { createRedisRateLimiter } from '../../src/rate-limit/redis-rate-limiter';
import type { RedisServer } from './redis-server';
import { redisMissing, startRedis } from './redis-server';
import { startTcpProxy } from '../support/tcp-proxy';

/** On a shared machine, a response may take longer than the service waits (D20); most tests are not about that. */
const patient = 20_000;
/** Where Redis does not respond at all, the tests wait that long. */
const impatient = 3_000;

/** Blocks the event loop. */
function busyFor(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

if (redisMissing !== undefined) console.log(`Rate limit over Redis is not tested: ${redisMissing}.`);

(redisMissing === undefined ? describe : describe.skip)('the rate limiter over Redis (D18, D20)', () => {
  let redis: RedisServer;
  let admin: Redis;
  const opened: RedisRateLimiter[] = [];

  const open = async (points = 120, { url = redis.url, answerTimeoutMilliseconds = patient } = {}) => {
    const degradations: unknown[] = [];
    const limiter = createRedisRateLimiter({
      url,
      points,
      answerTimeoutMilliseconds,
      onDegraded: (error) => degradations.push(error),
    });
    opened.push(limiter);
    expect(await limiter.waitForConnection(10_000)).toBe(true);
    return { limiter, degradations };
  };

  beforeAll(async () => {
    redis = await startRedis();
    admin = new Redis(redis.url);
    admin.on('error', () => undefined);
  });
  beforeEach(() => admin.flushall());
  afterEach(() => {
    for (const limiter of opened.splice(0)) limiter.close();
  });
  afterAll(async () => {
    admin.disconnect();
    await redis.kill();
  });

  it('does not use database 0 in place of one that does not exist, and says why', async () => {
    const url = new URL(redis.url);
    url.pathname = '/99';
    const degraded = new Promise<unknown>((onDegraded) =>
      opened.push(createRedisRateLimiter({ url: url.href, points: 120, onDegraded })),
    );
    expect(String(await degraded)).toContain('DB index is out of range');
    expect(opened[0]?.isDegraded()).toBe(true);
  });

  it('admits exactly 120 of 400 concurrent calls of four processes, twenty rounds in a row', async () => {
    const children = Array.from({ length: 4 }, () =>
      fork(resolve(__dirname, 'limiting-process.ts'), [redis.url, String(patient)], {
        execArgv: ['--require', resolve(__dirname, '../support/typescript-hook.cjs')],
      }),
    );
    try {
      expect(await Promise.all(children.map((child) => once(child, 'message')))).toEqual(
        Array(4).fill([true, undefined]),
      );
      const rounds: number[] = [];
      for (let round = 0; round < 20; round += 1) {
        const answers = children.map((child) => once(child, 'message') as Promise<[number]>);
        for (const child of children) child.send({ bucket: `key:${round}`, count: 100 });
        rounds.push((await Promise.all(answers)).reduce((sum, [admitted]) => sum + admitted, 0));
      }
      expect(rounds).toEqual(Array(20).fill(120));
    } finally {
      for (const child of children) child.kill('SIGKILL');
    }
  });

  it.each([59_999, 59_000, 30_001, 1001, 1000, 999, 500])(
    'reports to a refused call with %i ms to go when the window closes, and does not extend it',
    async (millisecondsLeft) => {
      const { limiter } = await open(1);
      await limiter.consume('key:a');
      await admin.pexpire('ratelimit:key:a', millisecondsLeft);
      const expiresAt = await admin.call('PEXPIRETIME', 'ratelimit:key:a');
      const refused = await Promise.all(Array.from({ length: 10 }, () => limiter.consume('key:a')));
      const [seconds, microseconds] = await admin.time();
      expect(await admin.call('PEXPIRETIME', 'ratelimit:key:a')).toBe(expiresAt);
      const now = Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000);
      for (const { admitted, resetSeconds } of refused) {
        expect(admitted).toBe(false);
        // Redis refuses up to and including the millisecond at which a key expires.
        expect(now + resetSeconds * 1000).toBeGreaterThan(Number(expiresAt));
      }
    },
  );

  it('keeps a window for 60 seconds', async () => {
    const { limiter } = await open(1);
    const [seconds, microseconds] = await admin.time();
    expect(await limiter.consume('key:a')).toMatchObject({ admitted: true, resetSeconds: 60 });
    const now = Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000);
    expect(Number(await admin.call('PEXPIRETIME', 'ratelimit:key:a'))).toBeGreaterThanOrEqual(now + 59_999);
  });

  it('gives a window to a bucket that was left without one', async () => {
    const { limiter } = await open(1);
    await admin.set('ratelimit:key:a', 5);
    expect(await limiter.consume('key:a')).toEqual({ admitted: false, limit: 1, remaining: 0, resetSeconds: 60 });
  });

  describe.each([
    ['killed', () => redis.kill(), () => redis.start()],
    ['paused', () => Promise.resolve(redis.signal('SIGSTOP')), () => Promise.resolve(redis.signal('SIGCONT'))],
  ])('with Redis %s', (_, harm, heal) => {
    it('limits per process, logs that once, and uses Redis again when it responds (D20)', async () => {
      const { limiter, degradations } = await open(2, { answerTimeoutMilliseconds: impatient });
      const back = { limiter: (await open(2, { answerTimeoutMilliseconds: impatient })).limiter };
      await limiter.consume('key:a');
      await harm();
      const decisions = await Promise.all(Array.from({ length: 5 }, () => limiter.consume('key:b')));
      expect(decisions.map(({ admitted }) => admitted)).toEqual([true, true, false, false, false]);
      expect(limiter.isDegraded()).toBe(true);
      while (degradations.length === 0) await delay(10);
      await heal();
      await Promise.all([limiter.waitForConnection(60_000), back.limiter.waitForConnection(60_000)]);
      expect([limiter.isDegraded(), back.limiter.isDegraded()]).toEqual([false, false]);
      await limiter.consume('key:c');
      await back.limiter.consume('key:c');
      expect(await limiter.consume('key:c')).toMatchObject({ admitted: false });
      expect(degradations).toHaveLength(1);
    });
  });

  it('is not used over a connection that was lost while no call was made', async () => {
    const { limiter } = await open(1, { answerTimeoutMilliseconds: patient });
    await redis.kill();
    while (!limiter.isDegraded()) await delay(10);
    await redis.start();
    await limiter.waitForConnection(60_000);
    await limiter.consume('key:a');
    expect(await admin.call('EXISTS', 'ratelimit:key:a')).toBe(1);
  });

  it('closes a connection on which nothing arrives any longer, and opens another one', async () => {
    const proxy = await startTcpProxy({ host: '127.0.0.1', port: Number(new URL(redis.url).port) });
    try {
      const { limiter } = await open(1, {
        url: `redis://127.0.0.1:${proxy.port}`,
        answerTimeoutMilliseconds: impatient,
      });
      proxy.silence();
      expect(await limiter.consume('key:a')).toMatchObject({ admitted: true });
      expect(limiter.isDegraded()).toBe(true);
      expect(await limiter.waitForConnection(10_000)).toBe(true);
    } finally {
      for (const limiter of opened.splice(0)) limiter.close();
      await proxy.cut();
    }
  });

  it('gives Redis 75 ms by default: half of what D20 allows for the whole response', async () => {
    const limiter = createRedisRateLimiter({ url: redis.url, points: 1, onDegraded: () => undefined });
    opened.push(limiter);
    await limiter.waitForConnection(10_000);
    const timers = jest.spyOn(globalThis, 'setTimeout');
    await limiter.consume('key:a');
    expect(timers.mock.calls.map(([, milliseconds]) => milliseconds)).toContain(75);
    timers.mockRestore();
  });

  it('limits per process while Redis answers with errors', async () => {
    const { limiter, degradations } = await open(1);
    await admin.set('ratelimit:key:a', 'no number');
    expect(await limiter.consume('key:a')).toMatchObject({ admitted: true });
    expect(degradations).toHaveLength(1);
  });

  it.each([0, 1, 2, 5, 10, 20, 40])(
    'does not report a healthy Redis while the process is busy starting, %i ms after the first step',
    async (milliseconds) => {
      const degradations: unknown[] = [];
      const limiter = createRedisRateLimiter({
        url: redis.url,
        points: 1,
        onDegraded: (error) => degradations.push(error),
      });
      opened.push(limiter);
      // As long as the first probe waits, and longer: modules are loaded and schemas are built.
      setTimeout(() => busyFor(400), milliseconds);
      busyFor(300);
      expect(await limiter.waitForConnection(10_000)).toBe(true);
      expect(degradations).toEqual([]);
    },
  );

  it('reports a Redis that accepts connections and never answers', async () => {
    redis.signal('SIGSTOP');
    try {
      await new Promise<void>((resolve) => {
        opened.push(createRedisRateLimiter({ url: redis.url, points: 1, onDegraded: () => resolve() }));
      });
    } finally {
      redis.signal('SIGCONT');
    }
  });

  it('limits per process when Redis was never there', async () => {
    const limiter = createRedisRateLimiter({ url: 'redis://127.0.0.1:1', points: 1, onDegraded: () => undefined });
    opened.push(limiter);
    expect(await limiter.waitForConnection(50)).toBe(false);
    expect(await limiter.consume('key:a')).toMatchObject({ admitted: true });
    expect(await limiter.consume('key:a')).toMatchObject({ admitted: false });
  });
});
