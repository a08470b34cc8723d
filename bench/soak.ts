import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findValue, parseMetrics } from '../test/observability/parse-metrics';
import { redisMissing, startRedis } from '../test/rate-limit/redis-server';
import { exchange } from '../test/support/rest-client';
import { isAnswered, slowestOf, startLoad } from '../test/support/load';
import type { Oracle } from '../test/support/oracle';
import { seedOracle } from '../test/support/oracle';
import { startOwnPostgres } from '../test/support/own-postgres';
import type { ServiceProcess } from '../test/support/service-process';
import { killServiceProcesses, startServiceProcess } from '../test/support/service-process';
import type { Trial, TrialRow } from './trial';

const clients = 4;
const writeEveryMilliseconds = 1_000;
/**
 * How much memory may grow after the first slice, in which compiled code settles. What V8 holds and does not use is no
 * leak: it delays collections while the machine has room, so resident memory only shows when it last collected.
 */
const allowedGrowthMegabytes = { inUse: 24, outsideOfTheHeap: 64 };
/** The minimum length of the first slice. */
const settlingMilliseconds = 15_000;
/** Connections of the load and of the pool come and go; a leak grows with every slice. */
const allowedGrowthDescriptors = 16;
const slowestAllowedMilliseconds = 1_500;
const slices = 10;

/** What one process holds at one time, in megabytes. */
interface Held {
  readonly resident: number;
  /** The heap and its buffers after a collection, without cached responses, which are bounded and filled over time. */
  readonly inUse: number;
  /** Resident, but not V8's: of libraries, compiled code and the allocator. */
  readonly outsideOfTheHeap: number;
  readonly cached: number;
  readonly descriptors: number;
}

/** The results of a slice of the run. */
interface Slice extends Held {
  readonly requests: number;
  readonly slowest: number;
}

/** Ten minutes of mixed load on one process. */
export const trial: Trial = {
  what: 'one process under load: wrong, slow or stale responses, and memory leaks',
  parts: [],
  async run({ minutes, isShort }, report) {
    const sliceMilliseconds = ((minutes ?? (isShort ? 0.25 : 10)) * 60_000) / slices;
    const postgres = await startOwnPostgres();
    const redis = redisMissing === undefined ? await startRedis() : undefined;
    try {
      const oracle = await seedOracle(postgres.sql);
      const service = await startServiceProcess(postgres.serviceUrl, {
        ...(redis === undefined ? {} : { REDIS_URL: redis.url }),
        NODE_OPTIONS: `--require ${join(__dirname, 'collect-garbage.cjs')}`,
      });
      const problems = new Set<string>();
      // Each write makes every cached answer of the shops obsolete, as a synchronization does.
      const writing = oracle.startWriting(writeEveryMilliseconds);
      const seen: Slice[] = [];
      for (let slice = 0; slice < slices; slice++) {
        const milliseconds = slice === 0 ? Math.max(sliceMilliseconds, settlingMilliseconds) : sliceMilliseconds;
        seen.push(await runSlice(service, oracle, milliseconds, problems));
      }
      await writing.stop();
      const { code } = await service.end();
      report(judge(seen, problems, code));
    } finally {
      await killServiceProcesses();
      await redis?.kill();
      await postgres.remove();
    }
  },
};

/** One slice at a time, so that the records of the requests do not grow. */
async function runSlice(
  service: ServiceProcess,
  oracle: Oracle,
  milliseconds: number,
  problems: Set<string>,
): Promise<Slice> {
  service.forgetLog();
  const load = startLoad(service.origin, oracle.questions, clients);
  await delay(milliseconds);
  await load.stop();
  const held = await readHeld(service);
  for (const record of load.records) {
    if (!isAnswered(record)) problems.add(`${record.question.target}: ${record.status} ${record.failure ?? ''}`);
    for (const problem of oracle.findProblems(record)) problems.add(`${record.question.target}: ${problem}`);
  }
  return { ...held, requests: load.records.length, slowest: slowestOf(load.records) };
}

async function readHeld({ origin, child }: ServiceProcess): Promise<Held> {
  child.kill('SIGWINCH');
  const samples = parseMetrics((await exchange(origin, '/metrics', {})).text);
  const toMegabytes = (bytes: number) => Math.round(bytes / 1024 / 1024);
  const read = (name: string) => findValue(samples, name);
  const resident = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'));
  const residentBytes = Number(resident?.[1]) * 1024;
  const cachedBytes = read('answer_cache_bytes');
  return {
    resident: toMegabytes(residentBytes),
    inUse: toMegabytes(read('nodejs_heap_size_used_bytes') + read('nodejs_external_memory_bytes') - cachedBytes),
    outsideOfTheHeap: toMegabytes(residentBytes - read('nodejs_heap_size_total_bytes') - cachedBytes),
    cached: toMegabytes(cachedBytes),
    descriptors: readdirSync(`/proc/${child.pid}/fd`).length,
  };
}

const toText = ({ requests, slowest, resident, inUse, outsideOfTheHeap, cached, descriptors }: Slice): string =>
  `${requests} requests, slowest ${slowest} ms; ${resident} MB resident (in use ${inUse}, outside of the heap ` +
  `${outsideOfTheHeap}, cached responses ${cached}), ${descriptors} descriptors`;

/** Cached responses may fill their share; any other growth is a leak. */
function judge(seen: readonly Slice[], problems: ReadonlySet<string>, code: number | null): TrialRow {
  const growthOf = (read: (slice: Slice) => number) => read(seen.at(-1) as Slice) - read(seen[0] as Slice);
  const slowest = Math.max(...seen.map((slice) => slice.slowest));
  const inUse = growthOf((slice) => slice.inUse);
  const outside = growthOf((slice) => slice.outsideOfTheHeap);
  const descriptors = growthOf((slice) => slice.descriptors);
  return {
    what: 'one process under mixed load',
    load: `${clients} clients, ${seen.reduce((sum, { requests }) => sum + requests, 0)} requests`,
    promise:
      `no wrong response, none later than ${slowestAllowedMilliseconds} ms; without cached responses, memory in use grows by ` +
      `${allowedGrowthMegabytes.inUse} MB at most, outside of the heap by ${allowedGrowthMegabytes.outsideOfTheHeap} MB, ` +
      `descriptors by ${allowedGrowthDescriptors}; exit 0`,
    measured:
      `problems: ${problems.size}, slowest ${slowest} ms; memory in use grew by ${inUse} MB, outside of the heap by ` +
      `${outside} MB, descriptors by ${descriptors}; exit ${code}`,
    isKept:
      problems.size === 0 &&
      slowest <= slowestAllowedMilliseconds &&
      inUse <= allowedGrowthMegabytes.inUse &&
      outside <= allowedGrowthMegabytes.outsideOfTheHeap &&
      descriptors <= allowedGrowthDescriptors &&
      code === 0,
    details: [...seen.map(toText), ...problems],
  };
}
