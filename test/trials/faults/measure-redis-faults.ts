import { setTimeout as delay } from 'node:timers/promises';
import { startRedis } from '../../rate-limit/redis-server';
import { startTcpProxy } from '../../support/tcp-proxy';
import type { Burst } from './burst';
import { measureSlowestCall, runBurst } from './burst';
import type { TrialRow } from '../trial';
import type { OwnPostgres } from '../support/own-postgres';
import type { ServiceProcess } from '../../support/service-process';
import { startServiceProcess } from '../../support/service-process';
import { isWithin } from './time-bounds';

const processes = 4;
const calls = 400;
/** More than all processes admit if each limits on its own. */
const manyCalls = 800;
const rounds = 20;
const toLoad = (count: number) => `${processes} processes, one key, ${count} concurrent calls`;

/** Four processes that share their limits through a Redis that suffers each fault, one at a time (D18, D20). */
export async function measureRedisFaults(postgres: OwnPostgres): Promise<TrialRow[]> {
  const redis = await startRedis();
  const { rows, exactly, eachByItself, stop } = await startProcesses(postgres, redis.url);
  await exactly('none', rounds);
  redis.signal('SIGSTOP');
  await eachByItself('Redis paused (SIGSTOP)');
  redis.signal('SIGCONT');
  await backInUse();
  await exactly('Redis goes on, two seconds later');
  await redis.kill();
  await eachByItself('Redis killed');
  await redis.start();
  await backInUse();
  await exactly('Redis restarted empty, two seconds later');
  await stop();
  const networkRows = await measureNetworkToRedis(postgres, redis.url);
  await redis.kill();
  return [...rows, ...networkRows];
}

async function measureNetworkToRedis(postgres: OwnPostgres, redisUrl: string): Promise<TrialRow[]> {
  const wire = await startTcpProxy({ host: '127.0.0.1', port: Number(new URL(redisUrl).port) });
  const { rows, exactly, eachByItself, stop } = await startProcesses(postgres, `redis://127.0.0.1:${wire.port}`);
  wire.slowDown(500);
  await eachByItself('network to Redis: half a second later in either direction');
  wire.slowDown(0);
  await backInUse();
  await wire.cut();
  await eachByItself('network to Redis: cut');
  await wire.mend();
  await backInUse();
  await exactly('network to Redis: mended, two seconds later');
  await stop();
  await wire.cut();
  return rows;
}

/** The processes poll Redis every 250 ms, and reconnect after half a second at most. */
const backInUse = () => delay(2_000);

async function startProcesses({ sql, serviceUrl }: OwnPostgres, redisUrl: string) {
  const settings = { REDIS_URL: redisUrl, RATE_LIMIT_REQUESTS: '120' };
  const services = await Promise.all(
    Array.from({ length: processes }, () => startServiceProcess(serviceUrl, settings)),
  );
  const [first] = services as [ServiceProcess];
  const rows: TrialRow[] = [];
  return {
    rows,
    async exactly(fault: string, times = 1) {
      const bursts: Burst[] = [];
      for (let round = 0; round < times; round++) bursts.push(await runBurst(sql, services, calls));
      const problems = bursts.flatMap((burst) => burst.problems);
      rows.push({
        what: fault,
        load: times === 1 ? toLoad(calls) : `${toLoad(calls)}, ${times} rounds in a row`,
        promise: 'exactly 120 admitted',
        measured: [...new Set([...bursts.map(toText), ...problems])].join('; '),
        isKept: problems.length === 0 && bursts.every(({ admitted }) => admitted === 120),
      });
    },
    async eachByItself(fault: string) {
      const slowest = await measureSlowestCall(sql, first, 20);
      const burst = await runBurst(sql, services, manyCalls);
      rows.push({
        what: fault,
        load: toLoad(manyCalls),
        promise: `every process limits on its own: exactly ${processes * 120} admitted; no error; a call takes 150 ms at most`,
        measured: [toText(burst), ...burst.problems, `slowest of 20 calls one by one ${slowest} ms`].join('; '),
        isKept: burst.problems.length === 0 && burst.admitted === processes * 120 && isWithin(slowest, 150),
      });
    },
    stop: () => Promise.all(services.map((service) => service.end())),
  };
}

const toText = ({ admitted, refused }: Burst) => `${admitted} admitted, ${refused} × 429`;
