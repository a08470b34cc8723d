import { readFileSync, readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { redisMissing, startRedis } from '../rate-limit/redis-server';
import { startLoad } from './support/load';
import { seedOracle } from './support/oracle';
import { startOwnPostgres } from './support/own-postgres';
import { startServiceProcess } from './support/service-process';

const clients = 4;
/** What memory may grow by after the first tenth, in which caches and compiled code settle. */
const allowedGrowthMegabytes = 96;
/** Connections of the load and of the pool come and go; what leaks grows with every slice. */
const allowedGrowthDescriptors = 16;
const slowestAllowedMilliseconds = 1_500;
const slices = 10;

/** `npm run soak`: ten minutes of mixed load on one process. Ends with 1 when an answer was wrong or late, or when something kept growing. */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } });
  const sliceMilliseconds = (Number(values.minutes) * 60_000) / slices;
  const postgres = await startOwnPostgres();
  const oracle = await seedOracle(postgres.sql);
  const redis = redisMissing === undefined ? await startRedis() : undefined;
  const service = await startServiceProcess(postgres.serviceUrl, redis === undefined ? {} : { REDIS_URL: redis.url });
  const pid = service.child.pid as number;
  // Each write makes every kept answer of the shops old, as a synchronisation does.
  const writes = setInterval(() => void postgres.sql("UPDATE shops SET plan_status = 'active'"), 1_000);
  const problems = new Set<string>();
  const resident: number[] = [];
  const descriptors: number[] = [];
  let requests = 0;
  let slowest = 0;
  for (let slice = 0; slice < slices; slice++) {
    // A slice at a time, so that what is kept of the requests does not grow.
    const load = startLoad(service.origin, oracle.questions, clients);
    await delay(sliceMilliseconds);
    resident.push(readResidentMegabytes(pid));
    descriptors.push(readdirSync(`/proc/${pid}/fd`).length);
    await load.stop();
    requests += load.records.length;
    for (const record of load.records) {
      slowest = Math.max(slowest, Math.round(record.milliseconds));
      if (record.status !== 200) problems.add(`${record.question.target}: ${record.status} ${record.failure ?? ''}`);
      for (const problem of oracle.findProblems(record)) problems.add(`${record.question.target}: ${problem}`);
    }
  }
  clearInterval(writes);
  const { code } = await service.end();
  await redis?.kill();
  await postgres.remove();
  process.stdout.write(
    `${requests} requests, ${problems.size} problems, slowest ${slowest} ms, memory ${resident.join(' → ')} MB, ` +
      `descriptors ${descriptors.join(' → ')}, exit ${code}\n`,
  );
  for (const problem of problems) process.stdout.write(`${problem}\n`);
  const isKept =
    problems.size === 0 &&
    slowest <= slowestAllowedMilliseconds &&
    growthOf(resident) <= allowedGrowthMegabytes &&
    growthOf(descriptors) <= allowedGrowthDescriptors &&
    code === 0;
  process.exitCode = isKept ? 0 : 1;
}

const growthOf = (values: readonly number[]): number => (values.at(-1) ?? NaN) - (values[0] ?? NaN);

function readResidentMegabytes(pid: number): number {
  const found = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Math.round(Number(found?.[1]) / 1024);
}

void main();
