import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { redisMissing, startRedis } from '../rate-limit/redis-server';
import { seedApiKey, seedShop } from '../support/seed';
import { databaseFaults } from './support/database-faults';
import { ask, startLoad } from './support/load';
import type { Oracle } from './support/oracle';
import { seedOracle } from './support/oracle';
import type { OwnPostgres } from './support/own-postgres';
import { startOwnPostgres } from './support/own-postgres';
import { runDatabaseFault } from './support/run-database-fault';
import { startServiceProcess } from './support/service-process';

interface Row {
  readonly fault: string;
  readonly load: string;
  readonly promise: string;
  readonly measured: string;
  readonly isKept: boolean;
}

const clients = 16;
const document = join(__dirname, '../../docs/operations.md');

/** `npm run faults`: breaks things under load and writes what came of it into docs/operations.md. Ends with 1 when a promise broke. */
async function main(): Promise<void> {
  const postgres = await startOwnPostgres();
  const oracle = await seedOracle(postgres.sql);
  const rows = [
    ...(await measureDatabaseFaults(postgres, oracle)),
    await measureKilledWorker(postgres, oracle),
    ...(redisMissing === undefined ? await measureRedisFaults(postgres) : []),
  ];
  if (redisMissing !== undefined) process.stderr.write(`Redis is left out: ${redisMissing}\n`);
  await postgres.remove();
  writeTable(rows);
  for (const { fault, measured, isKept } of rows)
    process.stdout.write(`${isKept ? 'kept  ' : 'BROKEN'} ${fault}: ${measured}\n`);
  process.exitCode = rows.every(({ isKept }) => isKept) ? 0 : 1;
}

async function measureDatabaseFaults(postgres: OwnPostgres, oracle: Oracle): Promise<Row[]> {
  const service = await startServiceProcess(postgres.serviceUrl);
  const rows: Row[] = [];
  for (const fault of databaseFaults) {
    const result = await runDatabaseFault(fault, {
      origin: service.origin,
      postgres,
      oracle,
      clients,
      lastsMilliseconds: 4_000,
    });
    const { answered, refused, slowestMilliseconds, recoveryMilliseconds, problems } = result;
    rows.push({
      fault: fault.name,
      load: `${clients} clients, ${result.requests} requests`,
      promise: 'the right answer or 503, within 1.5 s; answers within 2 s of the end',
      measured: [
        `${answered} right, ${refused} × 503`,
        ...problems,
        `slowest ${slowestMilliseconds} ms, back after ${recoveryMilliseconds} ms`,
      ].join('; '),
      isKept: problems.length === 0 && slowestMilliseconds <= 1_500 && recoveryMilliseconds <= 2_000,
    });
  }
  await service.end();
  return rows;
}

async function measureKilledWorker(postgres: OwnPostgres, oracle: Oracle): Promise<Row> {
  const services = [await startServiceProcess(postgres.serviceUrl), await startServiceProcess(postgres.serviceUrl)];
  const loads = services.map(({ origin }) => startLoad(origin, oracle.questions, clients / 2));
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  await services[0]?.end('SIGKILL');
  await loads[0]?.stop();
  await new Promise((resolve) => setTimeout(resolve, 500));
  await loads[1]?.stop();
  await services[1]?.end();
  const harmed = loads[1]?.records.filter(({ status }) => status !== 200).length ?? NaN;
  return {
    fault: 'one of two processes killed (SIGKILL)',
    load: `${clients} clients, ${loads.reduce((sum, { records }) => sum + records.length, 0)} requests`,
    promise: 'no request of the other process is harmed',
    measured: `${harmed} harmed there`,
    isKept: harmed === 0,
  };
}

const concurrentCalls = 400;

async function measureRedisFaults(postgres: OwnPostgres): Promise<Row[]> {
  const redis = await startRedis();
  const settings = { REDIS_URL: redis.url, RATE_LIMIT_REQUESTS: '120' };
  const services = await Promise.all(
    Array.from({ length: 4 }, () => startServiceProcess(postgres.serviceUrl, settings)),
  );
  const burst = async () => {
    const { apiKey } = await seedApiKey(postgres.sql, await seedShop(postgres.sql));
    const answers = await Promise.all(
      Array.from({ length: concurrentCalls }, (_, index) =>
        ask(services[index % services.length]?.origin ?? '', { apiKey, target: '/v1/shop' }),
      ),
    );
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    return { admitted: count(200), refused: count(429), other: concurrentCalls - count(200) - count(429) };
  };
  const load = `4 processes, one key, ${concurrentCalls} concurrent calls`;
  const toText = ({ admitted, refused, other }: Awaited<ReturnType<typeof burst>>) =>
    `${admitted} admitted, ${refused} × 429, ${other} others`;
  const healthy = await burst();
  redis.signal('SIGSTOP');
  const paused = await burst();
  redis.signal('SIGCONT');
  await redis.kill();
  const killed = await burst();
  await redis.start();
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  const restored = await burst();
  await Promise.all(services.map((service) => service.end()));
  await redis.kill();
  const exactly = 'exactly 120 admitted';
  const each = 'every process limits by itself: at most 480; no error';
  return [
    { fault: 'none', load, promise: exactly, measured: toText(healthy), isKept: healthy.admitted === 120 },
    { fault: 'Redis paused (SIGSTOP)', load, promise: each, measured: toText(paused), isKept: paused.other === 0 },
    { fault: 'Redis killed', load, promise: each, measured: toText(killed), isKept: killed.other === 0 },
    {
      fault: 'Redis restarted empty, two seconds later',
      load,
      promise: exactly,
      measured: toText(restored),
      isKept: restored.admitted === 120,
    },
  ];
}

function writeTable(rows: readonly Row[]): void {
  const lines = [
    '| fault | load | promise | measured |',
    '| --- | --- | --- | --- |',
    ...rows.map(({ fault, load, promise, measured }) => `| ${[fault, load, promise, measured].join(' | ')} |`),
  ];
  const text = readFileSync(document, 'utf8');
  const table = `<!-- faults: written by npm run faults -->\n\n${lines.join('\n')}\n\n<!-- /faults -->`;
  writeFileSync(
    document,
    text.replace(/<!-- faults:[\s\S]*<!-- \/faults -->/, () => table),
  );
}

void main();
