import { setTimeout as delay } from 'node:timers/promises';
import type { TrialRow } from '../trial';
import type { Recorded } from '../../test/support/load';
import { isAnswered, slowestOf, startLoad } from '../../test/support/load';
import { answerBoundMilliseconds, isWithin } from '../../test/support/time-bounds';
import type { Oracle } from '../../test/support/oracle';
import type { OwnPostgres } from '../../test/support/own-postgres';
import { startServiceProcess } from '../../test/support/service-process';

const poolSize = 2;
const queueSize = 8;
const crowd = 64;
const lastsMilliseconds = 4_000;

/**
 * Many more calls than a service with few connections has room for, on a network that makes every statement take 30 ms
 * more. Every client searches for something else, so that no answer serves for two.
 */
export async function measureOverload({ wire, wiredUrl }: OwnPostgres, oracle: Oracle): Promise<TrialRow[]> {
  const service = await startServiceProcess(wiredUrl, {
    DATABASE_POOL_SIZE: String(poolSize),
    DATABASE_QUEUE_SIZE: String(queueSize),
  });
  const run = (clients: number) => runSearches(service.origin, oracle, clients);
  wire.slowDown(15);
  const few = await run(poolSize);
  const many = await run(crowd);
  wire.slowDown(0);
  await service.end();
  const problems = [...new Set([...few, ...many].flatMap((record) => oracle.findProblems(record)))];
  const [rightOfFew, right] = [few, many].map((records) => records.filter(isAnswered).length) as [number, number];
  const waits = many.filter(({ status }) => status === 503).map(({ milliseconds }) => milliseconds);
  const usualWait = Math.round(waits.sort((left, other) => left - other)[Math.floor(waits.length / 2)] ?? NaN);
  return [
    {
      what: `${crowd} clients with ${poolSize} connections and a queue of ${queueSize}, statements 30 ms slower`,
      load: `${crowd} clients, ${many.length} requests; before that, ${poolSize} clients (one per connection)`,
      promise:
        'the right response or 503, within 1.5 s; half of the 503 within 0.5 s; at least 90% as many right responses as without overload',
      measured: [
        `${right} right, ${waits.length} × 503; without overload ${rightOfFew} right`,
        ...problems,
        `slowest ${slowestOf(many)} ms, half of the 503 within ${usualWait} ms`,
      ].join('; '),
      isKept:
        problems.length === 0 &&
        isWithin(usualWait, 500) &&
        // Fewer if other programs use the processors.
        isWithin(0.9 * rightOfFew, right) &&
        isWithin(slowestOf(many), answerBoundMilliseconds),
    },
  ];
}

async function runSearches(origin: string, oracle: Oracle, clients: number): Promise<readonly Recorded[]> {
  // More than a client can send.
  const loads = Array.from({ length: clients }, () => startLoad(origin, oracle.addSearches(500), 1));
  await delay(lastsMilliseconds);
  await Promise.all(loads.map((load) => load.stop()));
  return loads.flatMap(({ records }) => records);
}
